import { authenticator } from '../../../api/authenticators.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import type { Entities } from '../../../changes/entities.ts';
import { ApiError, invalidField } from '../../../errors/index.ts';
import { certificatesPem } from '../../../pki/certificate.ts';
import { issue } from '../../../pki/issue.ts';
import { clientProfile } from '../../../pki/profiles.ts';
import { readRequest } from '../../../pki/request.ts';
import { newRow } from '../../../resources/merge.ts';
import { hashed, requireFirst } from '../authenticators/behaviour.ts';
import { passwordChanged } from '../authenticators/password-change.ts';
import { enrolleeOf } from './behaviour.ts';
import { enrollWithCertificate } from './by-certificate.ts';
import type { EnrollmentRow, Methods } from './method.ts';

/** The ways in which identities enroll by a token. */
export const identityMethods: Pick<Methods, 'ott' | 'ottca' | 'updb'> = {
  /** A certificate of the network, for the key of a request. */
  ott: async (call, row, { clientCsr }) => {
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
  },
  ottca: enrollWithCertificate,
  /** A password for the username that the administrator gave. */
  updb: async (call, row, { password }) => {
    if (password === undefined) throw invalidField('password', 'password in body is required', undefined);
    const [, identityId] = enrolleeOf(row);
    const own = await hashed(call, identityId, password);
    const username = row.username ?? '';
    return {
      answer: { username },
      complete: async (entities) => {
        await addAuthenticator(entities, row, 'updb', { username }, own);
        await passwordChanged(entities, call, identityId);
      },
    };
  },
};

/** @throws ApiError `MAX_AUTHENTICATOR_METHODS_REACHED`; `COULD_NOT_VALIDATE` with the field when username or certificate are another's */
export const addAuthenticator = async (
  entities: Entities,
  row: EnrollmentRow,
  method: 'updb' | 'cert',
  given: Partial<RowOf<typeof authenticator>>,
  own: Partial<RowOf<typeof authenticator>>,
): Promise<void> => {
  const [, identityId] = enrolleeOf(row);
  await requireFirst(entities, { identityId, method });
  await entities.insert(authenticator, newRow(authenticator, { identityId, method, ...given }, own));
};
