import type { Call } from '../../../call/call.ts';
import { unauthorized } from '../../../errors/index.ts';
import { certifyRouter, type RouterRequests } from './certificates.ts';
import { provenRouter, routerOf } from './proof.ts';
import { updateRouter } from './update.ts';
import { NONE_UNVERIFIED } from './verification.ts';

/**
 * New certificates for a router, in place of the one that it presents. Unlike an identity it has nothing to confirm: the old one is dead at once.
 * @throws ApiError `UNAUTHORIZED` for a certificate of no router; `COULD_NOT_PROCESS_CSR`
 */
export const extendRouter = async (call: Call, { body }: { readonly body: RouterRequests }) => {
  const { core, peerCertificates } = call;
  const proven = await provenRouter(core, peerCertificates);
  const found = proven && (await call.read((entities) => routerOf(entities, proven)));
  if (!proven || !found) throw unauthorized(UNKNOWN);
  const { certificate, cert, serverCert, claim } = await core.enrollments.run(() => certifyRouter(call, found, body), call);
  await call.write(async (entities) => {
    // In between, it may have been extended by another request, or have to enroll again.
    const current = await routerOf(entities, proven);
    if (!current) throw unauthorized(UNKNOWN);
    await updateRouter(
      entities,
      current,
      { ...NONE_UNVERIFIED, fingerprint: certificate.fingerprint, ...(await claim(entities)) },
      { certPem: cert },
    );
  });
  return { cert, serverCert };
};

const UNKNOWN = 'the certificate is not the current one of a router';
