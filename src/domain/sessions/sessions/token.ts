import { session } from '../../../api/sessions.ts';
import { apiSessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';
import { unauthorized } from '../../../errors/index.ts';
import type { StoredSession } from './grants.ts';
import { isGoing } from './visibility.ts';

const AUDIENCE = 'openziti';
/** A year. The session that it speaks of may end sooner, and the token with it. Seconds. */
const LIFETIME = 31_557_600;

/** The JWT by which routers know a session, signed as the network's JWTs are. */
export const sessionToken = async ({ core }: Call, { id, apiSessionId, identityId, serviceId, type }: StoredSession): Promise<string> => {
  const key = await core.pki.networkKey();
  const iat = Math.floor(core.platform.clock.now() / 1000);
  return key.sign({
    iss: `${core.settings.address}/`,
    sub: serviceId,
    aud: [AUDIENCE],
    jti: id,
    iat,
    exp: iat + LIFETIME,
    z_asid: apiSessionId,
    z_iid: identityId,
    z_t: 's',
    z_st: type,
    z_leg: true,
  });
};

/** @throws ApiError `UNAUTHORIZED` for what is no token of a session of this identity that still goes on */
export const requireSessionToken = async (entities: Entities, call: Call, token: string): Promise<void> => {
  const key = await call.core.pki.networkKey();
  const claims = await key.verify(token, { audience: AUDIENCE, now: call.core.platform.clock.now() });
  const row = claims?.z_t === 's' && typeof claims.jti === 'string' ? await entities.get(session, claims.jti) : undefined;
  if (!row || row.identityId !== apiSessionOf(call.actor).identity.id || !(await isGoing(entities, call, row)))
    throw unauthorized('the header session-token holds no token of a session of this identity');
};
