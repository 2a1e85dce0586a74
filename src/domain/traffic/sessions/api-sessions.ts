import { apiSessionCertificate } from '../../../api/api-session-certificates.ts';
import { apiSession } from '../../../api/api-sessions.ts';
import { authenticator } from '../../../api/authenticators.ts';
import { identity } from '../../../api/identities.ts';
import { edgeRouter } from '../../../api/routers.ts';
import { hasEnded } from '../../../authentication/lifetime.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import { inParts } from '../../../concurrency/parts.ts';
import { edgeHeader, type Header } from '../../../control-channel/header-fields.ts';
import { sessionMessages } from '../../../control-channel/messages/sessions.ts';
import type { Job } from '../../../jobs/background.ts';
import { createDrain } from '../../../jobs/drain.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { oneOf, stringField } from '../../../query/index.ts';
import { rowsById } from '../../../resources/rows-by-id.ts';
import { newId } from '../../../storage/ids.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import { identityRouterAccess } from '../../fabric/routers/common-routers.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';
import { type ClientToken, createClientTokens } from './client-tokens.ts';
import { createToldSessions } from './told-sessions.ts';

const { apiSessionAdded, apiSessionRemoved, apiSessionHeartbeat, requestResync } = sessionMessages;

/** API sessions that are looked at together, and told in one message at most. */
const CHUNK = 500;

/**
 * Tells edge routers of the API sessions whose clients may come: those that reach services, whichever controller they logged in to, and whose identities may use
 * the router by some edge router policy. Of all when a router connects or asks, then of each that begins or ends; and again what has changed after a change of
 * policies, identities or routers. It is never said that a list is complete: of a complete one routers would remove sessions by the order of ids, which here
 * is random.
 */
export interface ApiSessionSync {
  /** Tells a router of all. */
  tellAll(router: ConnectedRouter): void;
  handlers(router: ConnectedRouter): readonly HandlerRow[];
}

export const syncApiSessions = (fabric: Fabric): ApiSessionSync => {
  const { core, events, connected } = fabric;
  const { clock, random } = core.platform;
  const told = createToldSessions();
  const tokens = createClientTokens(fabric, ({ number }) => told.forget(number));
  /** Whether all that were stored when the first router came are known. */
  let isRead = false;
  /** Who is to be told of all. */
  const asking = new Set<ConnectedRouter>();
  /** Sessions that have begun, and identities that have changed: what is to be looked at because of them. */
  const begun = new Set<string>();
  const changed = new Set<string>();
  /** How often everything was to be looked at, and was. */
  const looks = { wanted: 0, done: 0 };

  const send = (router: ConnectedRouter, apiSessions: readonly DescribedSession[]): void => {
    const state = stateOf({ id: syncId(clock.now(), newId(random)), isLast: true, sequence: 0 });
    if (!router.channel.signal.aborted) router.channel.send(apiSessionAdded, { apiSessions }, state);
  };
  /** Tells routers what is news to them of some API sessions. @returns those that were told anything */
  const review = async (job: Job, held: readonly ClientToken[], routers: readonly ConnectedRouter[]) => {
    const hearing = new Set<ConnectedRouter>();
    for (const part of inParts(held, () => 1, CHUNK)) {
      const { described, mayUse } = await job.read((entities) => describe(entities, core, part, routers));
      // One that has ended meanwhile was told of already.
      const known = part.filter((one) => tokens.get(one.id) === one);
      for (const router of routers) {
        const added = known.filter((one) => !told.has(router, one.number) && mayUse(one, router));
        const removed = known.filter((one) => told.has(router, one.number) && !mayUse(one, router));
        for (const { number } of added) told.set(router, number, true);
        for (const { number } of removed) told.set(router, number, false);
        if (added.length + removed.length > 0) hearing.add(router);
        if (added.length > 0)
          send(
            router,
            added.flatMap(({ id }) => described.get(id) ?? []),
          );
        if (removed.length > 0) sendRemoved(router, removed);
      }
      await yieldToEventLoop();
    }
    return hearing;
  };
  const tellOfAll = async (job: Job): Promise<void> => {
    const routers = [...asking];
    if (routers.length === 0) return;
    // One that asks during the review is told of all once more.
    asking.clear();
    try {
      if (!isRead) await tokens.read(job);
      isRead = true;
      const hearing = await review(job, tokens.all(), routers);
      for (const router of routers) if (!hearing.has(router)) send(router, []);
    } catch (error) {
      for (const router of routers) if (!router.channel.signal.aborted) asking.add(router);
      throw error;
    }
  };
  const lookAgain = async (job: Job): Promise<void> => {
    const { wanted } = looks;
    if (wanted !== looks.done) await review(job, tokens.all(), connected.edgeRouters());
    looks.done = wanted;
  };
  const tellOfChanged = async (job: Job): Promise<void> => {
    const [sessionIds, identityIds] = [[...begun].slice(0, CHUNK), [...changed].slice(0, CHUNK)];
    for (const id of sessionIds) begun.delete(id);
    for (const id of identityIds) changed.delete(id);
    try {
      if (sessionIds.length > 0) for (const { identityId } of await tokens.read(job, sessionIds)) identityIds.push(identityId);
      const held = [...new Set(identityIds)].flatMap(tokens.ofIdentity);
      if (held.length > 0) await review(job, held, connected.edgeRouters());
    } catch (error) {
      for (const id of sessionIds) begun.add(id);
      for (const id of identityIds) changed.add(id);
      throw error;
    }
  };
  const work = createDrain(core.platform, {
    attribution: { actor: 'system', requestId: 'routers' },
    step: async (job) => {
      if (connected.edgeRouters().length === 0) {
        for (const known of [tokens, begun, changed]) known.clear();
        isRead = false;
        return false;
      }
      await tellOfAll(job);
      await lookAgain(job);
      await tellOfChanged(job);
      return asking.size + begun.size + changed.size > 0 || looks.wanted !== looks.done;
    },
    failure: 'routers could not be told of API sessions, which is tried once more',
  });
  const begin = (): void => work(core.background);
  const tellAll = (router: ConnectedRouter): void => {
    told.begin(router);
    asking.add(router);
    begin();
  };
  const lookAtAll = (): void => {
    if (connected.edgeRouters().length === 0) return;
    looks.wanted++;
    begin();
  };

  events.on('session', ({ action, entityId, after }) => {
    if (action === 'delete' || tokens.get(after.apiSessionId)) return;
    begun.add(entityId);
    begin();
  });
  events.on('apiSession', ({ action, entityId }) => {
    const held = action === 'delete' ? tokens.get(entityId) : undefined;
    if (!held) return;
    for (const router of connected.edgeRouters()) if (told.has(router, held.number)) sendRemoved(router, [held]);
    tokens.forget(entityId);
  });
  events.on('edgeRouterPolicy', lookAtAll);
  events.on('edgeRouter', ({ action, before, after }) => {
    if (action === 'update' && !isSameJson(before.roleAttributes, after.roleAttributes)) lookAtAll();
  });
  events.on('identity', ({ action, entityId, before, after }) => {
    if (action !== 'update' || isSameJson(before.roleAttributes, after.roleAttributes) || tokens.ofIdentity(entityId).length === 0) return;
    changed.add(entityId);
    begin();
  });

  return {
    tellAll,
    handlers: (router) => {
      router.channel.signal.addEventListener('abort', () => {
        asking.delete(router);
        if (connected.edgeRouters().length === 0) begin();
      });
      return [
        handling(requestResync, (_said, _frame, budget) => {
          budget.spend({ elements: tokens.all().length });
          tellAll(router);
        }),
        handling(apiSessionHeartbeat, async ({ tokens: given }) => {
          const now = isoTime(clock.now());
          for (const some of inParts(given, () => 1, CHUNK)) {
            const where = oneOf(stringField('tokenHash'), some.map(hashToken));
            const rows = await forRouters(core, (job) => job.read((entities) => entities.list(apiSession, { where })));
            for (const { id } of rows) core.activity.note(id, now);
            await yieldToEventLoop();
          }
        }),
      ];
    },
  };
};

const sendRemoved = ({ channel }: ConnectedRouter, ended: readonly ClientToken[]): void => {
  if (!channel.signal.aborted) channel.send(apiSessionRemoved, { tokens: ended.map(({ token }) => token), ids: ended.map(({ id }) => id) });
};

/** Later ones are greater: routers compare them as texts. */
const syncId = (now: number, unique: string): string => `${now.toString(36).padStart(10, '0')}${unique}`;

const stateOf = (state: { readonly id: string; readonly isLast: boolean; readonly sequence: number }): readonly Header[] => [
  edgeHeader.syncStrategy.of('instant'),
  edgeHeader.syncState.of(JSON.stringify(state)),
];

type DescribedSession = NonNullable<Parameters<(typeof apiSessionAdded)['encode']>[0]['apiSessions']>[number];

/** API sessions as routers know them, by id: with the certificates that their clients may come with; and by which routers they may come. Not those that have ended. */
const describe = async (
  entities: Entities,
  { settings, activity, platform: { clock } }: Pick<Core, 'settings' | 'activity' | 'platform'>,
  held: readonly ClientToken[],
  routers: readonly ConnectedRouter[],
) => {
  const of = (field: string, ids: readonly string[]) => oneOf(stringField(field), [...new Set(ids)]);
  const [ids, identityIds] = [held.map(({ id }) => id), held.map(({ identityId }) => identityId)];
  const now = isoTime(clock.now());
  const rows = await entities.list(apiSession, { where: of('id', ids) });
  const open = new Set(rows.filter((row) => !hasEnded(settings, activity.current(row), now)).map(({ id }) => id));
  const fingerprintsOf = (all: readonly { readonly fingerprint: string | null }[] = []) =>
    all.flatMap(({ fingerprint }) => fingerprint ?? []);
  const issued = Map.groupBy(await entities.list(apiSessionCertificate, { where: of('apiSessionId', ids) }), (one) => one.apiSessionId);
  const own = Map.groupBy(await entities.list(authenticator, { where: of('identityId', identityIds) }), (one) => one.identityId);
  const described = held.flatMap(({ id, identityId, token }): readonly (readonly [string, DescribedSession])[] => {
    const certFingerprints = [...fingerprintsOf(own.get(identityId)), ...fingerprintsOf(issued.get(id))];
    return open.has(id) ? [[id, { id, identityId, token, certFingerprints }]] : [];
  });
  const identities = await rowsById(entities, identity, identityIds);
  const routerRows = await rowsById(
    entities,
    edgeRouter,
    routers.map(({ id }) => id),
  );
  const access = await identityRouterAccess(entities, identities.values(), [...routerRows.values()]);
  const mayUse = ({ id, identityId }: ClientToken, router: ConnectedRouter): boolean => {
    const [who, by] = [identities.get(identityId), routerRows.get(router.id)];
    return open.has(id) && who !== undefined && by !== undefined && access(who, by);
  };
  return { described: new Map(described), mayUse };
};
