import type { ApiSessionActor, ApiTokenActor, PresentedToken } from '../../call/actor.ts';
import { expiry } from '../../call/authentication/lifetime.ts';
import { behaviour } from '../../call/behaviour.ts';
import type { Call } from '../../call/call.ts';
import { newRow } from '../../call/resources/merge.ts';
import { presentOne } from '../../call/resources/present.ts';
import { apiSession, authPolicy, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** Presents API sessions to administrators: `token` is the session's id, which is not a credential. */
export const apiSessionBehaviour = behaviour(apiSession, {
  present: async (entities, rows) => {
    const required = await ownersRequiringCode(entities, rows);
    return rows.map((row) => ({
      token: row.id,
      authQueries: [],
      cachedLastActivityAt: row.lastActivityAt,
      isMfaRequired: row.isMfaRequired || required.has(row.identityId),
      isMfaComplete: row.isMfaComplete && !(required.has(row.identityId) && !row.mfaPassedAt),
    }));
  },
});

/** The ids of the owners whose current policy requires a code. */
const ownersRequiringCode = async (entities: Entities, sessions: readonly RowOf<typeof apiSession>[]): Promise<ReadonlySet<string>> => {
  const owners = await entities.list(identity, {
    where: oneOf(stringField('id'), [...new Set(sessions.map((session) => session.identityId))]),
  });
  const policies = await entities.list(authPolicy, {
    where: oneOf(stringField('id'), [...new Set(owners.map((owner) => owner.authPolicyId))]),
  });
  const strict = new Set(policies.filter(({ secondary }) => secondary.requireTotp).map(({ id }) => id));
  return new Set(owners.filter((owner) => strict.has(owner.authPolicyId)).map(({ id }) => id));
};

/** Omits the computed fields of `apiSessionBehaviour`, which are for administrators. */
const AS_STORED = {};

/**
 * Presents an API session to its owner, with the presented token, the pending factors and the expiry.
 * @param expiresAt overrides the expiry
 */
export const presentOwnSession = async (
  entities: Entities,
  { session, authQueries, token, presented }: Pick<ApiSessionActor, 'session' | 'authQueries' | 'token' | 'presented'>,
  call: Call,
  expiresAt?: string,
) => {
  // The owner is active in this call.
  const lastActivityAt = call.now();
  const detail = await presentOne(entities, apiSession, { ...session, lastActivityAt }, call, AS_STORED);
  const owesCode = authQueries.some(({ typeId }) => typeId === 'MFA');
  return {
    ...detail,
    token,
    authQueries: call.core.settings.compat === '1.7' ? authQueries.map(({ isTotpEnrolled: _, ...query }) => query) : [...authQueries],
    isMfaRequired: session.isMfaRequired || owesCode,
    isMfaComplete: session.isMfaComplete === true && !owesCode,
    cachedLastActivityAt: lastActivityAt,
    ...expiry(call.core.settings, lastActivityAt),
    ...(presented ? fieldsOfToken(presented, call) : {}),
    ...(expiresAt === undefined
      ? {}
      : { expiresAt, expirationSeconds: Math.floor((Date.parse(expiresAt) - Date.parse(call.now())) / 1000) }),
  };
};

/** The fields of a session with signed tokens that depend on the presented token. */
const fieldsOfToken = ({ claims, iat, exp }: PresentedToken, call: Call) => {
  const [now, issuedAt] = [call.now(), new Date(iat * 1000).toISOString()];
  return {
    createdAt: issuedAt,
    updatedAt: issuedAt,
    ipAddress: call.remoteAddress,
    isMfaRequired: false,
    isMfaComplete: Array.isArray(claims.amr) && claims.amr.includes('totp'),
    lastActivityAt: now,
    cachedLastActivityAt: now,
    expirationSeconds: Math.max(0, exp - Math.floor(Date.parse(now) / 1000)),
    expiresAt: new Date(exp * 1000).toISOString(),
  };
};

/**
 * Presents an API token in the form of a session, for clients that request the current session with an API token. `token` is the id of the
 * API token.
 */
export const presentTokenAsSession = (entities: Entities, { apiToken: row, identity: { id: identityId } }: ApiTokenActor, call: Call) => {
  const { id, version, createdAt, updatedAt } = row;
  const session = newRow(apiSession, {}, { identityId, authenticatorId: id, ipAddress: call.remoteAddress, lastActivityAt: call.now() });
  const tokenSession = { ...session, id, version, createdAt, updatedAt, tags: {} };
  return presentOwnSession(entities, { session: tokenSession, authQueries: [], token: id }, call, row.expiresAt);
};
