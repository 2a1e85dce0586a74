import { waitForRouters } from '../../access/routers/wait-for-routers.ts';
import { type ApiSessionActor, apiSessionOf, isPrivileged } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { listRows } from '../../call/resources/crud.ts';
import { newRow } from '../../call/resources/merge.ts';
import { presentOne } from '../../call/resources/present.ts';
import { apiSession, type edgeRouter, session } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { sessions } from '../../contract/api/sessions.ts';
import { notFound } from '../../contract/errors/index.ts';
import { dateField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { sealText } from '../../store/entities/sealed.ts';
import { decideSession, type Granted, invalidPosture, type SessionRequest } from './decide-session.ts';
import { storeFailure } from './failures.ts';
import type { StoredSession } from './grants.ts';
import { sessionRouter } from './present.ts';
import { sessionEvent } from './session-event.ts';
import { sessionToken, unstoredSessionToken } from './token.ts';
import { requireVisible, visibleSessions } from './visibility.ts';

interface ObtainedSession {
  /** Undefined for a session that is not stored. */
  readonly row?: StoredSession;
  readonly routers: readonly RowOf<typeof edgeRouter>[];
}

type Tags = StoredSession['tags'];

/**
 * Returns the caller's session for a request. Creates it if there is none; updates an existing one only if it lacks fields of this release.
 */
const obtainSession = async (call: Call, request: SessionRequest, tags: Tags): Promise<ObtainedSession> => {
  const { session: caller, token, presented } = apiSessionOf(call.actor);
  const decide = (entities: Entities) => decideSession(entities, call, request);
  const decided = await call.read(decide);
  const current = decided.isGranted && (await waitForRouters(call, decided.routers)) ? await call.readReauthorized(decide) : decided;
  const isMarked = !needsMark(apiSessionOf(call.actor));
  if (current.isGranted && presented && isMarked) return { routers: current.routers };
  if (current.isGranted && current.existing?.sealedApiSessionToken && !current.hasEnded && isMarked)
    return { row: current.existing, routers: current.routers };
  const sealedApiSessionToken = presented ? null : await sealText(call.core.secrets, session, TOKEN, { apiSessionId: caller.id }, token);
  const fields = { ...request, sealedApiSessionToken };
  const outcome = await call.write(async (entities) => {
    const decided = await decideSession(entities, call, request);
    if (decided.isGranted) await markKnown(entities, apiSessionOf(call.actor));
    if (decided.isGranted && presented) return { routers: decided.routers };
    if (decided.isGranted) return { row: await storeSession(entities, call, fields, decided, tags), routers: decided.routers };
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

const storeSession = async (
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
    const { row, routers } = await obtainSession(call, { serviceId, type }, tags ?? {});
    const { session: caller, identity } = apiSessionOf(call.actor);
    const { id, token } = row ? { id: row.id, token: await sessionToken(call, row) } : await unstoredSessionToken(call, serviceId, type);
    const fields = { id, serviceId, type, apiSessionId: caller.id, identityId: identity.id };
    // A session that is stored has its event with the change.
    if (!row) call.core.networkEvents.emit('session', () => sessionEvent('created', fields));
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
