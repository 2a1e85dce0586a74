import { apiSessionOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { session } from '../../contract/api/sessions.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { StoredSession } from './grants.ts';
import { isActiveSession } from './visibility.ts';

const AUDIENCE = 'openziti';
/** One year. A token becomes invalid earlier if its session ends. Seconds */
const LIFETIME = 31_557_600;

/** Signs the JWT that identifies a session to routers. */
export const sessionToken = async (call: Call, { id, serviceId, type }: StoredSession): Promise<string> =>
  (await signedToken(call, { id, serviceId, type }, true)).token;

type Claimed = Pick<StoredSession, 'id' | 'serviceId' | 'type'>;

/** @param isStored true if the session has a row */
const signedToken = async (call: Call, { id, serviceId, type }: Claimed, isStored: boolean) => {
  const { core } = call;
  const { session, identity } = apiSessionOf(call.actor);
  const key = await core.pki.networkKey();
  const iat = Math.floor(core.platform.clock.now() / 1000);
  const token = await key.sign({
    iss: `${core.settings.address}/`,
    sub: serviceId,
    aud: [AUDIENCE],
    jti: id,
    iat,
    exp: iat + LIFETIME,
    z_asid: session.id,
    z_iid: identity.id,
    z_t: 's',
    z_st: type,
    z_leg: isStored,
  });
  return { id, token };
};

/**
 * Like `sessionToken`, for a session that is not stored because its API session has signed tokens. The session ends with its API session,
 * and routers check whether it is still granted.
 */
export const unstoredSessionToken = (
  call: Call,
  serviceId: string,
  type: PolicyType,
): Promise<{ readonly id: string; readonly token: string }> =>
  signedToken(call, { id: call.core.platform.random.uuid(), serviceId, type }, false);

/** The claims of a session token. The session may have ended since the token was issued. */
export interface SessionClaims {
  /** True if the session has a row; sessions of API sessions with signed tokens have none. */
  readonly isStored: boolean;
  readonly sessionId: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
}

/** Verifies and reads a session token; undefined if the text is not a valid one. */
export const readSessionToken = async (
  { pki, platform }: Pick<Core, 'pki' | 'platform'>,
  token: string,
): Promise<SessionClaims | undefined> => {
  const claims = await (await pki.networkKey()).verify(token, { audience: AUDIENCE, now: platform.clock.now() });
  if (claims?.z_t !== 's') return undefined;
  const { jti, z_asid, z_iid, sub, z_st, z_leg } = claims;
  if (z_st !== 'Dial' && z_st !== 'Bind') return undefined;
  // All claims are present: `signedToken` sets them.
  return {
    isStored: z_leg === true,
    sessionId: String(jti),
    apiSessionId: String(z_asid),
    identityId: String(z_iid),
    serviceId: String(sub),
    type: z_st,
  };
};

/** @throws ApiError `UNAUTHORIZED` unless this is the token of an active session of the caller's identity */
export const requireSessionToken = async (entities: Entities, call: Call, token: string): Promise<void> => {
  const key = await call.core.pki.networkKey();
  const claims = await key.verify(token, { audience: AUDIENCE, now: call.core.platform.clock.now() });
  if (claims?.z_t === 's' && claims.z_leg === false && claims.z_asid === apiSessionOf(call.actor).session.id) return;
  const row = claims?.z_t === 's' && typeof claims.jti === 'string' ? await entities.get(session, claims.jti) : undefined;
  if (!row || row.identityId !== apiSessionOf(call.actor).identity.id || !(await isActiveSession(entities, call, row)))
    throw unauthorized('the header session-token is not the token of a session of this identity');
};
