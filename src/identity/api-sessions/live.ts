import { expiry, hasEnded, liveSessions } from '../../call/authentication/lifetime.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { pageOfRows } from '../../call/resources/crud.ts';
import { presentRows } from '../../call/resources/present.ts';
import { apiSession } from '../../contract/api/api-sessions.ts';
import type { DetailOf, RowOf } from '../../contract/api/kit/index.ts';
import { liveApiSessions } from '../../contract/api/live-api-sessions.ts';
import { notFound } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { endAndRevoke } from './revocations.ts';

type ApiSession = RowOf<typeof apiSession>;

const presentLive = async (entities: Entities, rows: readonly ApiSession[], call: Call) => {
  // Built from the kind's own field table.
  const details = (await presentRows(entities, apiSession, rows, call)) as readonly DetailOf<typeof apiSession>[];
  return rows.flatMap((row, at) => {
    const [detail] = details.slice(at, at + 1);
    return detail ? [{ ...detail, ...ofTokens(row, call) }] : [];
  });
};

/** Fields that the published detail leaves out, because signed tokens contain them. */
const ofTokens = (row: ApiSession, { core }: Call) => {
  const { bearer, endsAt, createdAt } = row;
  const lastActivityAt = core.activity.lastOf(row) ?? createdAt;
  return {
    clientId: bearer?.clientId ?? null,
    expiresAt: endsAt ?? expiry(core.settings, lastActivityAt).expiresAt,
    ...(bearer
      ? { ipAddress: bearer.address, lastActivityAt, cachedLastActivityAt: lastActivityAt, isMfaComplete: bearer.amr.includes('totp') }
      : {}),
  };
};

/** @throws ApiError `NOT_FOUND` for a session that has ended */
const requireLive = async (entities: Entities, call: Call, id: string): Promise<ApiSession> => {
  const row = await entities.require(apiSession, id);
  if (hasEnded(call.core.settings, row, call.now())) throw notFound(apiSession.kind, id);
  return row;
};

export const liveApiSessionEntries = implement(liveApiSessions, {
  list: (call, query) =>
    call.read(async (entities) => {
      const page = await pageOfRows(entities, apiSession, query, call, { within: liveSessions(call.core.settings, call.now()) });
      return { ...page, data: await presentLive(entities, page.data, call) };
    }),
  get: (call, { id }) =>
    call.read(async (entities) => {
      const [detail] = await presentLive(entities, [await requireLive(entities, call, id)], call);
      if (!detail) throw notFound(apiSession.kind, id);
      return detail;
    }),
  delete: async (call, { id }) => {
    await call.write(async (entities) => endAndRevoke(entities, call, [await requireLive(entities, call, id)]));
    return {};
  },
});
