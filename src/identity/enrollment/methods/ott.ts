import { ApiError } from '../../../contract/errors/index.ts';
import { readRequest } from '../../../crypto/pki/request.ts';
import { issueClientCertificate } from '../client-certificate.ts';
import type { EnrollmentMethod } from '../method.ts';

/** Issues a certificate of the network for the key of a certificate signing request. */
export const enrollByOtt: EnrollmentMethod = async (call, row, { clientCsr }) => {
  const request = clientCsr === undefined ? undefined : await readRequest(clientCsr);
  if (!request) throw new ApiError('COULD_NOT_PROCESS_CSR');
  const { cert, add } = await issueClientCertificate(call, request);
  return { answer: { cert }, complete: (entities) => add(entities, row) };
};
