import { apiSession, identity, revocation } from '../../../api/kinds.ts';
import type { Tags } from '../../../api/kit/index.ts';
import { revocations } from '../../../api/revocations.ts';
import { apiSessionsOf, endApiSessions } from '../../../authentication/api-sessions.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField, notFound } from '../../../errors/index.ts';
import { DAY } from '../../../platform/clock.ts';
import { dateField, has, type Predicate } from '../../../query/index.ts';
import { listRows } from '../../../resources/crud.ts';
import { selfLink } from '../../../resources/links.ts';
import { serializedDetail } from '../../../resources/serialized-details.ts';
import { isOpaqueToken } from '../../../tokens/opaque.ts';

/** The subject of a revocation. */
export interface Revoked {
  readonly id: string;
  readonly type: 'JTI' | 'IDENTITY' | 'API_SESSION';
  readonly tags?: Tags;
}

/** Stores a revocation until the last of the revoked tokens would have expired. Revoking again restarts this period. */
export const storeRevocation = async (entities: Entities, call: Call, { id, type, tags = {} }: Revoked): Promise<void> => {
  const { access, refresh, id: idToken } = call.core.provider?.lifetimes ?? { access: 0, refresh: DAY / 1000, id: 0 };
  const expiresAt = new Date(Date.parse(call.now()) + Math.max(access, refresh, idToken) * 1000).toISOString();
  const known = await entities.get(revocation, id);
  if (known) await entities.remove(revocation, known);
  await entities.insert(revocation, { id, type, expiresAt, tags });
};

/** Ends the token with this id, but not its session or the session's other tokens. */
export const endToken = async (entities: Entities, jti: string): Promise<void> => {
  const session = await entities.find(apiSession, has('tokenIds', jti));
  if (!session?.bearer) return;
  const tokens = session.bearer.tokens.filter(({ id }) => id !== jti);
  await entities.update(apiSession, session, { tokenIds: tokens.map(({ id }) => id), bearer: { ...session.bearer, tokens } });
};

/** Selects revocations that have not expired. */
const inForce = (call: Call): Predicate => ({ op: 'compare', field: dateField('expiresAt'), is: '>', value: call.now() });

export const revocationEntries = implement(revocations, {
  list: (call, query) => call.read((entities) => listRows(entities, revocation, query, call, { within: inForce(call) })),
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
      if (type === 'JTI') await endToken(entities, id);
      else if (type === 'API_SESSION') {
        const session = await entities.get(apiSession, id);
        if (session) await endApiSessions(entities, [session]);
      } else await endApiSessions(entities, await apiSessionsOf(entities, (await entities.require(identity, id)).id));
      await storeRevocation(entities, call, { id, type, tags });
    });
    return { _links: selfLink(revocation, id), id };
  },
});
