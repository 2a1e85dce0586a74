import type { Bytes } from '../../runtime/platform/platform.ts';
import { readAuthorityCertificates } from './authority-text.ts';
import type { Certificate } from './certificate.ts';
import { validateChain } from './chain.ts';
import { element, SEQUENCE, SET } from './der.ts';
import { unknownCriticalText } from './faults.ts';
import { foreignKeyHolder, type KeyHolder, keyHolder } from './keys.ts';
import { base64Lines } from './pem.ts';

/** 1.2.840.113549.1.7.1 */
const DATA = Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01);
/** 1.2.840.113549.1.7.2 */
const SIGNED_DATA = Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02);
const VERSION_1 = Uint8Array.of(0x02, 0x01, 0x01);
/** `[0]`, the tag of a content and of the certificates. */
const CONTEXT_0 = 0xa0;

/**
 * Encodes certificates as a certs-only CMS message (PKCS#7) in lines of Base64. It is unsigned and has no content, not even an empty one,
 * which some parsers mistake for the certificates (RFC 7030, section 4.1.3; RFC 5652, section 5.2).
 */
export const encodeCertsOnly = (certificates: readonly Certificate[]): string => {
  const [emptySet, content] = [element(SET), element(SEQUENCE, DATA)];
  const signedData = element(SEQUENCE, VERSION_1, emptySet, content, element(CONTEXT_0, ...certificates.map(({ der }) => der)), emptySet);
  return `${base64Lines(element(SEQUENCE, SIGNED_DATA, element(CONTEXT_0, signedData)))}\n`;
};

/** The authority that signs certificates for clients and routers, as supplied by the host. */
export interface SignerOptions {
  /** PEM: the authority's certificate, followed by its issuers without the root. */
  readonly certificates: string;
  /** PEM: the roots of the network. */
  readonly anchors: string;
  /**
   * The authority's private key in PEM (PKCS#8, PKCS#1 or SEC 1), or a function that signs bytes like `crypto.subtle.sign` (for ECDSA with
   * SHA-2 of the curve's size, for RSA with PKCS#1 v1.5 and SHA-256).
   */
  readonly key: string | ((bytes: Bytes) => Promise<Bytes>);
  /** Trust domain of the SPIFFE ids in session certificates. Default: the fingerprint of the first root. */
  readonly trustDomain?: string;
}

/** The authority in the store of a network. */
export interface KeptSignerOptions extends SignerOptions {
  /** PEM: authorities whose certificates are accepted even without a chain: the previous signers, and the next one. */
  readonly others?: string | undefined;
  /** PEM: authorities that clients should trust in addition to the roots. */
  readonly bundle?: string | undefined;
  /**
   * Signs the server certificates of routers instead of the signer, whose root clients may not trust yet. They end at `until` at the
   * latest, in ms since 1970.
   */
  readonly servers?: (Pick<SignerOptions, 'certificates'> & { readonly key: string; readonly until: number }) | undefined;
}

/** The issuer of the server certificates of routers. */
export interface ServerSigner extends Pick<Signer, 'certificate' | 'holder' | 'chain'> {
  /** The latest end of these certificates, in ms since 1970. */
  readonly until: number;
}

/** A validated signing authority, ready for use. */
export interface Signer {
  readonly certificate: Certificate;
  readonly holder: KeyHolder;
  /** The chain of a certificate that it signed: its own certificate and its issuers, without the root. */
  readonly chain: readonly Certificate[];
  /** Other authorities below the roots of the network. Clients may present certificates of these without a chain. */
  readonly others: readonly Certificate[];
  readonly anchors: readonly Certificate[];
  /** The certificates that clients should trust. */
  readonly bundle: readonly Certificate[];
  /** The bundle as certs-only PKCS#7. */
  readonly certsOnly: string;
  readonly servers: ServerSigner;
  readonly trustDomain: string;
}

/**
 * @param bundle PEM: certificates that clients should trust in addition to the roots
 * @throws TypeError that names the invalid option
 */
export const openSigner = async (options: KeptSignerOptions, bundle?: string): Promise<Signer> => {
  const [above, anchors, others, ownBundle, hostBundle] = await Promise.all([
    certificatesOf('certificates', options.certificates),
    certificatesOf('anchors', options.anchors),
    certificatesOf('others', options.others),
    certificatesOf('bundle', options.bundle),
    certificatesOf('bundle', bundle),
  ]);
  const [certificate, ...issuers] = above;
  const [root] = anchors;
  if (!certificate || !root) throw new TypeError('the signer of certificates must have a certificate and a root');
  const isAnchor = (one: Certificate) => anchors.some(({ fingerprint }) => fingerprint === one.fingerprint);
  assertAuthority(certificate);
  const { fault } = await validateChain(certificate, { anchors, intermediates: issuers, now: 0, ignoreValidity: 'all' });
  if (fault && !isAnchor(certificate))
    throw new TypeError(`no chain leads from the signer's certificate, of ${certificate.subject}, to one of its roots`);
  // Only authorities and self-signed certificates can be a client's trust anchors.
  const trustable = [...ownBundle, ...hostBundle].filter(({ isCa, subjectKey, issuerKey }) => isCa || subjectKey === issuerKey);
  const trusted = [...new Map([...anchors, ...trustable].map((one) => [one.fingerprint, one])).values()];
  const holder = typeof options.key === 'string' ? await keyHolder(options.key, certificate) : foreignKeyHolder(options.key, certificate);
  const own = { certificate, holder, chain: above.filter((one) => !isAnchor(one)) };
  return {
    ...own,
    servers: (options.servers && (await openServerSigner(options.servers, isAnchor))) ?? { ...own, until: Number.POSITIVE_INFINITY },
    others,
    anchors,
    bundle: trusted,
    certsOnly: encodeCertsOnly(trusted),
    trustDomain: options.trustDomain ?? root.fingerprint,
  };
};

/** @throws TypeError if the certificate cannot be that of a signer */
const assertAuthority = ({ isCa, subject, unknownCritical }: Certificate): void => {
  if (!isCa) throw new TypeError(`the signer's certificate, of ${subject}, is not that of an authority`);
  const [unknown] = unknownCritical;
  if (unknown !== undefined) throw new TypeError(`the signer's certificate, of ${subject}, has ${unknownCriticalText(unknown)}`);
};

const openServerSigner = async (
  { certificates, key, until }: NonNullable<KeptSignerOptions['servers']>,
  isAnchor: (one: Certificate) => boolean,
): Promise<ServerSigner | undefined> => {
  const above = await certificatesOf('servers', certificates);
  const [certificate] = above;
  return certificate && { certificate, holder: await keyHolder(key, certificate), chain: above.filter((one) => !isAnchor(one)), until };
};

const certificatesOf = async (name: string, pem: string | undefined): Promise<readonly Certificate[]> =>
  pem === undefined ? [] : readAuthorityCertificates(`the signer's ${name} must be certificates in PEM`, pem);
