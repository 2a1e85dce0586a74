import { ca } from '../../../contract/api/cas.ts';
import { ApiError } from '../../../contract/errors/index.ts';
import { readPresented } from '../../../crypto/pki/presented.ts';
import type { Entities } from '../../../store/entities/entities.ts';
import { type Authority, authorityFor, authorityOf } from '../../cas/trust.ts';
import { enrolleeOf } from '../behaviour.ts';
import { addCertificate } from '../by-certificate.ts';
import type { EnrollmentMethod } from '../method.ts';

/** Adds the presented client certificate, which the enrollment's CA must have issued, as an authenticator of the identity. */
export const enrollByOttca: EnrollmentMethod = async (call, row) => {
  const { caId } = row;
  const [, identityId] = enrolleeOf(row);
  const authority = await call.read((entities) => openAuthority(entities, caId));
  const presented = await readPresented(call.peerCertificates);
  const issuer = presented && (await authorityFor(presented, [authority], { now: call.core.platform.clock.now() }));
  if (!issuer) throw new ApiError('CERTIFICATE_FAILED_VALIDATION');
  return {
    answer: {},
    complete: async (entities) => {
      await openAuthority(entities, caId);
      await addCertificate(entities, identityId, presented, authority);
    },
  };
};

/** @throws ApiError `ENROLLMENT_CA_NOT_VALID` */
const openAuthority = async (entities: Entities, caId: string | null): Promise<Authority> => {
  const row = caId === null ? undefined : await entities.get(ca, caId);
  const authority = row?.isVerified && row.isOttCaEnrollmentEnabled ? await authorityOf(row) : undefined;
  if (!authority) throw new ApiError('ENROLLMENT_CA_NOT_VALID');
  return authority;
};
