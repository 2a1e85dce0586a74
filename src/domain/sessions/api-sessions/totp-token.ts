import { apiSessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { ApiError } from '../../../errors/index.ts';
import { withCode } from '../../directory/mfa/codes.ts';

/**
 * Issues a proof of the second factor for third parties, signed by the provider, for sessions with signed tokens. It is not a credential for this controller.
 * @throws ApiError `INVALID_BACKING_TOKEN_TYPE` for any other session; `MFA_INVALID_TOKEN`, `MFA_NOT_ENROLLED`
 */
export const totpToken = async (call: Call, { body: { code } }: { readonly body: { readonly code: string } }) => {
  const { presented, session, identity } = apiSessionOf(call.actor);
  const { provider, platform } = call.core;
  if (!presented || !provider) throw new ApiError('INVALID_BACKING_TOKEN_TYPE');
  await withCode(call, 'prove', code, async () => undefined);
  const iat = Math.floor(Date.parse(call.now()) / 1000);
  const { iss, aud } = presented.claims;
  const token = await provider.keys.sign({
    iss: String(iss).replace(/\/oidc$/, ''),
    sub: identity.id,
    aud,
    iat,
    jti: platform.random.uuid(),
    z_asid: session.id,
    z_t: 't',
  });
  return { issuedAt: new Date(iat * 1000).toISOString(), token };
};
