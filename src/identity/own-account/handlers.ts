import { apiSessionOf, identityOf } from '../../call/actor.ts';
import { apiSessionsOf } from '../../call/authentication/api-sessions.ts';
import { expiry, liveSessions } from '../../call/authentication/lifetime.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { pageOfRows } from '../../call/resources/crud.ts';
import { apiSession } from '../../contract/api/api-sessions.ts';
import { authPolicy, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ownAccount } from '../../contract/api/own-account.ts';
import { notFound } from '../../contract/errors/index.ts';
import { and, equals, stringField } from '../../query/index.ts';
import { endAndRevoke } from '../api-sessions/revocations.ts';

type ApiSession = RowOf<typeof apiSession>;

const presentSession = ({ core, actor }: Call, session: ApiSession) => {
  const { id, bearer, createdAt, endsAt } = session;
  const lastActivityAt = core.activity.lastOf(session) ?? createdAt;
  return {
    id,
    isCurrent: id === apiSessionOf(actor).session.id,
    clientId: bearer?.clientId ?? null,
    ipAddress: session.ipAddress ?? '',
    createdAt,
    lastActivityAt,
    expiresAt: endsAt ?? expiry(core.settings, lastActivityAt).expiresAt,
  };
};

export const ownAccountEntries = implement(ownAccount, {
  getPasswordRules: (call) =>
    call.read(async (entities) => {
      const { authPolicyId } = await entities.require(identity, identityOf(call.actor).id);
      const { updb } = (await entities.require(authPolicy, authPolicyId)).primary;
      const { minPasswordLength, requireSpecialChar, requireNumberChar, requireMixedCase } = updb;
      return { minPasswordLength, requireSpecialChar, requireNumberChar, requireMixedCase };
    }),
  listSessions: (call, query) =>
    call.read(async (entities) => {
      const within = and(equals(stringField('identityId'), identityOf(call.actor).id), liveSessions(call.core.settings, call.now()));
      const page = await pageOfRows(entities, apiSession, query, call, { within });
      return { ...page, data: page.data.map((session) => presentSession(call, session)) };
    }),
  endSession: async (call, { id }) => {
    await call.write(async (entities) => {
      const session = await entities.require(apiSession, id);
      if (session.identityId !== identityOf(call.actor).id) throw notFound(apiSession.kind, id);
      await endAndRevoke(entities, call, [session]);
    });
    return {};
  },
  endOtherSessions: async (call) => {
    const { session, identity } = apiSessionOf(call.actor);
    await call.write(async (entities) => {
      const others = (await apiSessionsOf(entities, identity.id)).filter(({ id }) => id !== session.id);
      await endAndRevoke(entities, call, others);
    });
    return {};
  },
});
