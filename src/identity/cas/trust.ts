import { hexToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';
import { ca } from '../../contract/api/cas.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { type Certificate, Eku, readCertificates } from '../../crypto/pki/certificate.ts';
import { isForClients, validateChain } from '../../crypto/pki/chain.ts';
import type { Presented } from '../../crypto/pki/presented.ts';
import type { Signer } from '../../crypto/pki/signer.ts';
import { sha256Hex } from '../../crypto/sha256.ts';
import { and, booleanField, dateField, equals, oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** A third-party CA, as stored at the time of reading, with its parsed certificate. */
export interface Authority<R = RowOf<typeof ca>> {
  readonly row: R;
  readonly certificate: Certificate;
}

/** Why a certificate is trusted: it was issued by the network itself, or by a verified CA. */
export type Trust =
  /** `isComplete`: the client sent the chain between its certificate and the root. */
  { readonly by: 'network'; readonly isComplete: boolean } | { readonly by: Authority };

export interface TrustOptions {
  /** ms */
  readonly now: number;
  /** See `ChainRules`. */
  readonly ignoreValidity?: 'leaf' | 'all';
  /** Accepts certificates with any key usage; by default, they must allow client authentication. */
  readonly anyUsage?: true;
}

/** The hash of a subject, for finding the CAs with that name. */
export const subjectHashOf = (subjectKey: string): string => sha256Hex(hexToBytes(subjectKey));

/** Maximum number of candidate authorities. Path validation does not try more signatures. */
const MAX_AUTHORITIES = 50;

/**
 * CAs that administrators wrote are first, then the oldest, so that delegates cannot displace existing CAs by adding others with the same
 * name.
 */
const BY_TRUST = [
  { field: booleanField('isWrittenByDelegate'), descending: false },
  { field: dateField('createdAt'), descending: false },
];

/**
 * Finds, in one query, the verified authorities whose names match the issuers of the presented certificates.
 * @param requiredFlag a flag that must be set; default: none
 */
export const authoritiesAbove = async (
  entities: Entities,
  { leaf, others }: Presented,
  requiredFlag?: 'isAuthEnabled' | 'isAutoCaEnrollmentEnabled',
): Promise<readonly Authority[]> => {
  const issuers = [...new Set([leaf, ...(await others())].map(({ issuerKey }) => subjectHashOf(issuerKey)))];
  const flags = ['isVerified', ...(requiredFlag ? [requiredFlag] : [])];
  const where = and(oneOf(stringField('subjectHash'), issuers), ...flags.map((flag) => equals(booleanField(flag), true)));
  const rows = await entities.list(ca, { where, sort: BY_TRUST, limit: MAX_AUTHORITIES });
  const authorities = await Promise.all(rows.map(authorityOf));
  return authorities.filter((authority) => authority !== undefined);
};

/** Cache of parsed certificates by PEM text. Parsing is the slowest part of a login. */
const certificateCache = new LRUCache<string, Promise<Certificate | undefined>>({ max: 1000 });

/** @returns undefined if the stored text is not a certificate, which writes prevent */
export const authorityOf = async <R extends Pick<RowOf<typeof ca>, 'certPem'>>(row: R): Promise<Authority<R> | undefined> => {
  let parsing = certificateCache.get(row.certPem);
  if (!parsing) certificateCache.set(row.certPem, (parsing = readFirstCertificate(row.certPem)));
  const certificate = await parsing;
  return certificate && { row, certificate };
};

const readFirstCertificate = async (pem: string): Promise<Certificate | undefined> => (await readCertificates(pem)).value?.[0];

/** The CA that anchors the presented chain; undefined if none of them does. */
export const authorityFor = async <R>(
  presented: Presented,
  authorities: readonly Authority<R>[],
  options: TrustOptions,
): Promise<Authority<R> | undefined> => {
  if (authorities.length === 0) return undefined;
  const anchors = authorities.map(({ certificate }) => certificate);
  const anchor = await anchorOf(presented, anchors, options);
  return authorities.find(({ certificate }) => certificate === anchor);
};

/**
 * The trust in a certificate that the network itself issued; undefined for any other. The presented chain may omit the signing authorities.
 */
export const networkFor = async (
  presented: Presented,
  { anchors, chain, others }: Pick<Signer, 'anchors' | 'chain' | 'others'>,
  options: TrustOptions,
): Promise<Extract<Trust, { by: 'network' }> | undefined> => {
  if (await anchorOf(presented, anchors, options)) return { by: 'network', isComplete: true };
  return (await anchorOf(presented, [...anchors, ...chain, ...others], options)) && { by: 'network', isComplete: false };
};

const anchorOf = async (
  { leaf, others }: Presented,
  anchors: readonly Certificate[],
  { now, ignoreValidity, anyUsage }: TrustOptions,
): Promise<Certificate | undefined> => {
  if (!anyUsage && !isForClients(leaf)) return undefined;
  const { chain } = await validateChain(leaf, {
    anchors,
    intermediates: await others(),
    now,
    ...(ignoreValidity ? { ignoreValidity } : {}),
    ...(anyUsage ? {} : { usage: Eku.clientAuth }),
  });
  return chain?.at(-1);
};
