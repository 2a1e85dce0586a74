import { ApiError } from '../../../../errors/index.ts';
import { certificatesPem } from '../../../../pki/certificate.ts';
import { clientProfile, issue } from '../../../../pki/issue.ts';
import { readRequest } from '../../../../pki/request.ts';
import { addAuthenticator } from '../behaviour.ts';
import type { EnrollmentMethod } from '../method.ts';

/** Issues a certificate of the network for the key of a certificate signing request. */
export const enrollByOtt: EnrollmentMethod = async (call, row, { clientCsr }) => {
  const request = clientCsr === undefined ? undefined : await readRequest(clientCsr);
  if (!request) throw new ApiError('COULD_NOT_PROCESS_CSR');
  const { pki, platform } = call.core;
  const signer = await pki.signer();
  const certificate = await issue(clientProfile(request, platform.clock.now()), signer, platform.random);
  const certPem = certificatesPem([certificate, ...signer.chain]);
  return {
    answer: { cert: certPem },
    complete: (entities) =>
      addAuthenticator(entities, row, 'cert', { certPem }, { fingerprint: certificate.fingerprint, isIssuedByNetwork: true }),
  };
};
