import { apiSession, type edgeRouter, session } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { sessions } from '../../../api/sessions.ts';
import { type ApiSessionActor, apiSessionOf, isPrivileged } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { sealText } from '../../../entities/sealed.ts';
import { notFound } from '../../../errors/index.ts';
import { dateField } from '../../../query/index.ts';
import { listRows } from '../../../resources/crud.ts';
import { newRow } from '../../../resources/merge.ts';
import { presentOne } from '../../../resources/present.ts';
import { waitForRouters } from '../../fabric/routers/expected.ts';
import { decideSession, type Granted, invalidPosture, type SessionRequest } from './decide-session.ts';
import { storeFailure } from './failures.ts';
import type { StoredSession } from './grants.ts';
import { sessionRouter } from './present.ts';
import { sessionToken, unstoredSessionToken } from './token.ts';
import { requireVisible, visibleSessions } from './visibility.ts';

interface Obtained {
  /** Undefined for a session that is not stored. */
  readonly row?: StoredSession;
  readonly routers: readonly RowOf<typeof edgeRouter>[];
}

type Tags = StoredSession['tags'];

/** The caller's session for a request: a new one, or the existing one, which is updated only if it lacks fields that this release stores. */
const obtain = async (call: Call, request: SessionRequest, tags: Tags): Promise<Obtained> => {
  const { session: caller, token, presented } = apiSessionOf(call.actor);
  const decide = (entities: Entities) => decideSession(entities, call, request);
  const decided = await call.read(decide);
  const known = decided.isGranted && (await waitForRouters(call, decided.routers)) ? await call.readOn(decide) : decided;
  const isMarked = !needsMark(apiSessionOf(call.actor));
  if (known.isGranted && presented && isMarked) return { routers: known.routers };
  if (known.isGranted && known.existing?.sealedApiSessionToken && !known.hasEnded && isMarked)
    return { row: known.existing, routers: known.routers };
  const sealedApiSessionToken = presented ? null : await sealText(call.core.secrets, session, TOKEN, { apiSessionId: caller.id }, token);
  const fields = { ...request, sealedApiSessionToken };
  const outcome = await call.write(async (entities) => {
    const decided = await decideSession(entities, call, request);
    if (decided.isGranted) await markKnown(entities, apiSessionOf(call.actor));
    if (decided.isGranted && presented) return { routers: decided.routers };
    if (decided.isGranted) return { row: await begin(entities, call, fields, decided, tags), routers: decided.routers };
    await storeFailure(entities, call, { ...decided, type: request.type });
    return decided.decision;
  });
  if ('policies' in outcome) throw invalidPosture(outcome);
  return outcome;
};

/** The field from which controllers that serve routers read the API session token of a client. */
const TOKEN = 'sealedApiSessionToken';

/** True if an administrator's API session is not yet marked as known to routers, which ends its rights on the management API. */
const needsMark = ({ identity, session: caller }: ApiSessionActor): boolean => isPrivileged(identity) && !caller.isKnownToRouters;

const markKnown = async (entities: Entities, actor: ApiSessionActor): Promise<void> => {
  if (needsMark(actor)) await entities.update(apiSession, await entities.require(apiSession, actor.session.id), { isKnownToRouters: true });
};

/** Maximum number of lapsed sessions that a new session removes. */
const MAX_REMOVED = 10;

/** Removes some lapsed sessions, which are no longer visible. Called for each new session, so that they do not accumulate. */
const removeLapsed = async (entities: Entities, now: string): Promise<void> => {
  const grantedUntil = dateField('grantedUntil');
  const lapsed = await entities.list(session, {
    where: { op: 'compare', field: grantedUntil, is: '<', value: now },
    sort: [{ field: grantedUntil, descending: false }],
    limit: MAX_REMOVED,
  });
  for (const row of lapsed) await entities.remove(session, row);
};

const begin = async (
  entities: Entities,
  call: Call,
  fields: SessionRequest & Pick<StoredSession, typeof TOKEN>,
  { existing, hasEnded, grant }: Granted,
  tags: Tags,
): Promise<StoredSession> => {
  if (existing && !hasEnded) return existing[TOKEN] ? existing : entities.update(session, existing, { [TOKEN]: fields[TOKEN] });
  if (existing) await entities.remove(session, existing);
  await removeLapsed(entities, call.now());
  const { session: caller, identity } = apiSessionOf(call.actor);
  return entities.insert(session, newRow(session, { tags }, { ...fields, ...grant, apiSessionId: caller.id, identityId: identity.id }));
};

export const sessionEntries = implement(sessions, {
  list: (call, query) =>
    call.read(async (entities) => listRows(entities, session, query, call, { within: await visibleSessions(entities, call) })),
  get: (call, { id }) => call.read(async (entities) => presentOne(entities, session, await requireVisible(entities, call, id), call)),
  create: async (call, { body: { serviceId, type, tags } }) => {
    if (!serviceId) throw notFound('service', '');
    const { row, routers } = await obtain(call, { serviceId, type }, tags ?? {});
    const { session: caller, identity } = apiSessionOf(call.actor);
    const { id, token } = row ? { id: row.id, token: await sessionToken(call, row) } : await unstoredSessionToken(call, serviceId, type);
    return {
      _links: null,
      createdAt: null,
      id,
      updatedAt: null,
      apiSession: null,
      apiSessionId: caller.id,
      service: null,
      serviceId,
      identityId: identity.id,
      type,
      token,
      edgeRouters: routers.map((router) => sessionRouter(router, call.core)),
    };
  },
  delete: async (call, { id }) => {
    await call.write(async (entities) => entities.remove(session, await requireVisible(entities, call, id)));
    return {};
  },
  getRoutePath: (call, { id }) =>
    call.read(async (entities) => {
      await requireVisible(entities, call, id);
      const circuit = call.core.traffic.circuits().find(({ sessionId }) => sessionId === id);
      return { routePath: [...(circuit?.path ?? [])] };
    }),
});
