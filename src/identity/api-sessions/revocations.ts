import { apiSessionsOf, endApiSessions } from '../../call/authentication/api-sessions.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { listRows } from '../../call/resources/crud.ts';
import { selfLink } from '../../call/resources/links.ts';
import { serializedDetail } from '../../call/resources/serialized-details.ts';
import { apiSession, identity, revocation } from '../../contract/api/kinds.ts';
import type { RowOf, Tags } from '../../contract/api/kit/index.ts';
import { revocations } from '../../contract/api/revocations.ts';
import { invalidField, notFound } from '../../contract/errors/index.ts';
import { isOpaqueToken } from '../../crypto/tokens/opaque.ts';
import { dateField, has, type Predicate } from '../../query/index.ts';
import { DAY } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** The subject of a revocation. */
export interface Revoked {
  readonly id: string;
  readonly type: 'JTI' | 'IDENTITY' | 'API_SESSION';
  readonly tags?: Tags;
}

/** Stores a revocation until all revoked tokens would have expired. A repeated revocation restarts this period. */
export const storeRevocation = async (entities: Entities, call: Call, { id, type, tags = {} }: Revoked): Promise<void> => {
  const { access, refresh, id: idToken } = call.core.provider?.lifetimes ?? { access: 0, refresh: DAY / 1000, id: 0 };
  const expiresAt = new Date(Date.parse(call.now()) + Math.max(access, refresh, idToken) * 1000).toISOString();
  const previous = await entities.get(revocation, id);
  if (previous) await entities.remove(revocation, previous);
  await entities.insert(revocation, { id, type, expiresAt, tags });
};

/** Ends sessions, and revokes signed tokens, so that other services that check them offline refuse them. */
export const endAndRevoke = async (entities: Entities, call: Call, sessions: readonly RowOf<typeof apiSession>[]): Promise<void> => {
  await endApiSessions(entities, sessions);
  for (const { id, isBearer } of sessions) if (isBearer) await storeRevocation(entities, call, { id, type: 'API_SESSION' });
};

/** Revokes a token, but not the other tokens of its session. */
export const endToken = async (entities: Entities, jti: string): Promise<void> => {
  const session = await entities.find(apiSession, has('tokenIds', jti));
  if (!session?.bearer) return;
  const tokens = session.bearer.tokens.filter(({ id }) => id !== jti);
  await entities.update(apiSession, session, { tokenIds: tokens.map(({ id }) => id), bearer: { ...session.bearer, tokens } });
};

/**
 * Ends what a revocation of each type is about.
 * @throws ApiError `NOT_FOUND` for an unknown identity
 */
const end: Readonly<Record<Revoked['type'], (entities: Entities, id: string) => Promise<void>>> = {
  JTI: endToken,
  API_SESSION: async (entities, id) => {
    const session = await entities.get(apiSession, id);
    if (session) await endApiSessions(entities, [session]);
  },
  IDENTITY: async (entities, id) => {
    await entities.require(identity, id);
    await endApiSessions(entities, await apiSessionsOf(entities, id));
  },
};

/** Selects revocations that have not expired. */
const unexpired = (call: Call): Predicate => ({ op: 'compare', field: dateField('expiresAt'), is: '>', value: call.now() });

export const revocationEntries = implement(revocations, {
  list: (call, query) => call.read((entities) => listRows(entities, revocation, query, call, { within: unexpired(call) })),
  get: (call, { id }) =>
    call.read(async (entities) => {
      const row = await entities.require(revocation, id);
      if ((row.expiresAt ?? '') <= call.now()) throw notFound(revocation.kind, id);
      return serializedDetail(entities, revocation, row, call);
    }),
  create: async (call, { body: { id: requestedId, type, tags = {} } }) => {
    if (type !== 'IDENTITY' && !isOpaqueToken(requestedId)) throw invalidField('id', 'id must be a valid UUID v4', requestedId);
    const id = type === 'IDENTITY' ? requestedId : requestedId.toLowerCase();
    await call.write(async (entities) => {
      await end[type](entities, id);
      await storeRevocation(entities, call, { id, type, tags });
    });
    return { _links: selfLink(revocation, id), id };
  },
});
