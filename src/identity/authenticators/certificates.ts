import type { Call } from '../../call/call.ts';
import { authenticator } from '../../contract/api/authenticators.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { type Certificate, certificatesPem } from '../../crypto/pki/certificate.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { authoritiesAbove, authorityFor, networkFor, type Trust } from '../cas/trust.ts';

/** The authenticator fields for a trusted certificate. */
export const certificateFields = (certificate: Certificate, { by }: Trust) =>
  ({
    certPem: certificatesPem([certificate]),
    fingerprint: certificate.fingerprint,
    isIssuedByNetwork: by === 'network',
    caId: by === 'network' ? null : by.row.id,
  }) satisfies Partial<RowOf<typeof authenticator>>;

/** True if a certificate is already an authenticator. */
export const isInUse = async (entities: Entities, fingerprint: string): Promise<boolean> =>
  (await entities.count(authenticator, equals(stringField('fingerprint'), fingerprint))) > 0;

/**
 * The issuer (the network or a verified CA) of a certificate that an administrator uploads, and that no client presented. Accepts any key
 * usage, and validates the chain at the time of issue.
 */
export const issuerOf = async (call: Call, leaf: Certificate): Promise<Trust | undefined> => {
  const presented = { leaf, others: async () => [] };
  const options = { now: leaf.notBefore, anyUsage: true } as const;
  const network = await networkFor(presented, await call.core.pki.signer(), { ...options, ignoreValidity: 'all' });
  if (network) return network;
  const authority = await authorityFor(presented, await call.read((entities) => authoritiesAbove(entities, presented)), options);
  return authority && { by: authority };
};
