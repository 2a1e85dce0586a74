import { apiSession, authPolicy, identity } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { expiry } from '../../../authentication/lifetime.ts';
import type { ApiSessionActor, ApiTokenActor, PresentedToken } from '../../../call/actor.ts';
import { behaviour } from '../../../call/behaviour.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { oneOf, stringField } from '../../../query/index.ts';
import { newRow } from '../../../resources/merge.ts';
import { presentOne } from '../../../resources/present.ts';

/** An API session as administrators see it: `token` is the session's id, which is not a credential. */
export const apiSessionBehaviour = behaviour(apiSession, {
  present: async (entities, rows) => {
    const required = await requiringCode(entities, rows);
    return rows.map((row) => ({
      token: row.id,
      authQueries: [],
      cachedLastActivityAt: row.lastActivityAt,
      isMfaRequired: row.isMfaRequired || required.has(row.identityId),
      isMfaComplete: row.isMfaComplete && !(required.has(row.identityId) && !row.mfaPassedAt),
    }));
  },
});

/** The ids of the sessions' identities whose current policy requires a code. */
const requiringCode = async (entities: Entities, sessions: readonly RowOf<typeof apiSession>[]): Promise<ReadonlySet<string>> => {
  const owners = await entities.list(identity, {
    where: oneOf(stringField('id'), [...new Set(sessions.map((session) => session.identityId))]),
  });
  const policies = await entities.list(authPolicy, {
    where: oneOf(stringField('id'), [...new Set(owners.map((owner) => owner.authPolicyId))]),
  });
  const strict = new Set(policies.filter(({ secondary }) => secondary.requireTotp).map(({ id }) => id));
  return new Set(owners.filter((owner) => strict.has(owner.authPolicyId)).map(({ id }) => id));
};

/** Replaces the presenter for administrators, because owners do not see its computed fields. */
const AS_STORED = {};

/** An API session as its owner sees it: with the presented token, the factors that are still required, and the expiry. */
export const presentOwnSession = async (
  entities: Entities,
  { session, authQueries, token, presented }: Pick<ApiSessionActor, 'session' | 'authQueries' | 'token' | 'presented'>,
  call: Call,
  expiresAt?: string,
) => {
  const detail = await presentOne(entities, apiSession, session, call, AS_STORED);
  const owesCode = authQueries.some(({ typeId }) => typeId === 'MFA');
  return {
    ...detail,
    token,
    authQueries: call.core.settings.compat === '1.7' ? authQueries.map(({ isTotpEnrolled: _, ...query }) => query) : [...authQueries],
    isMfaRequired: session.isMfaRequired || owesCode,
    isMfaComplete: session.isMfaComplete === true && !owesCode,
    cachedLastActivityAt: session.lastActivityAt ?? session.createdAt,
    ...expiry(call.core.settings, session.lastActivityAt ?? session.createdAt),
    ...(presented ? asPresented(presented, call) : {}),
    ...(expiresAt === undefined
      ? {}
      : { expiresAt, expirationSeconds: Math.floor((Date.parse(expiresAt) - Date.parse(call.now())) / 1000) }),
  };
};

/** The fields of a session with signed tokens that the presented token determines. */
const asPresented = ({ claims, iat, exp }: PresentedToken, call: Call) => {
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

/** An API token in the form of a session, for clients that ask for the session of a token that they were given. `token` is the id of the API token. */
export const presentTokenAsSession = (entities: Entities, { apiToken: row, identity: { id: identityId } }: ApiTokenActor, call: Call) => {
  const { id, version, createdAt, updatedAt } = row;
  const session = newRow(apiSession, {}, { identityId, authenticatorId: id, ipAddress: call.remoteAddress, lastActivityAt: call.now() });
  const given = { ...session, id, version, createdAt, updatedAt, tags: {} };
  return presentOwnSession(entities, { session: given, authQueries: [], token: id }, call, row.expiresAt);
};
