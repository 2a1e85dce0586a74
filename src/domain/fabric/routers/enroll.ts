import { router } from '../../../api/routers.ts';
import { ApiError } from '../../../errors/index.ts';
import { certificatesPem } from '../../../pki/certificate.ts';
import { enrolleeOf } from '../../directory/enrollment/behaviour.ts';
import type { EnrollmentMethod } from '../../directory/enrollment/method.ts';
import { certifyRouter } from './certificates.ts';
import { updateRouter } from './update.ts';
import { NONE_UNVERIFIED } from './verification.ts';

/** A router, of either kind, gets its certificates. */
export const enrollRouter: EnrollmentMethod = async (call, row, { certCsr, serverCertCsr }) => {
  const [, id] = enrolleeOf(row);
  if (!certCsr || !serverCertCsr) throw new ApiError(row.method === 'erott' ? 'MISSING_OR_INVALID_CSR' : 'COULD_NOT_PROCESS_CSR');
  const found = await call.read((entities) => entities.get(router, id));
  if (!found) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  const { certificate, cert, serverCert, claim } = await certifyRouter(call, found, { certCsr, serverCertCsr });
  const { bundle } = await call.core.pki.signer();
  const verified = { ...NONE_UNVERIFIED, isVerified: true, fingerprint: certificate.fingerprint, enrolledBy: row.id };
  return {
    answer: { ca: certificatesPem(bundle), cert, serverCert },
    // With a router goes its enrollment, which the transaction has found.
    complete: async (entities) =>
      updateRouter(entities, await entities.require(router, id), { ...verified, ...(await claim(entities)) }, { certPem: cert }),
  };
};
