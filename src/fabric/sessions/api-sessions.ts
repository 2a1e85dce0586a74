import { identityRouterAccess } from '../../access/routers/common-routers.ts';
import { hasEnded } from '../../call/authentication/lifetime.ts';
import type { Core } from '../../call/core.ts';
import { rowsById, rowsReferredBy } from '../../call/resources/references.ts';
import { apiSession, apiSessionCertificate, authenticator, edgeRouter, identity } from '../../contract/api/kinds.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { oneOf, stringField } from '../../query/index.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Job } from '../../store/jobs/background.ts';
import { createDrain } from '../../store/jobs/drain.ts';
import { newId } from '../../store/storage/ids.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { edgeHeader } from '../control-channel/header-fields.ts';
import { sessionMessages } from '../control-channel/messages/sessions.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { type ClientToken, createClientTokens, createSentSessions } from './client-tokens.ts';

const { apiSessionAdded, apiSessionRemoved, apiSessionHeartbeat, requestResync } = sessionMessages;

/** Maximum number of API sessions that are compared at a time, and sent in one message. */
const BATCH = 500;

/**
 * Sends edge routers the API sessions of their clients: those that have sessions, at any controller, and whose identities may use the
 * router according to an edge router policy. A router receives all of them when it connects or requests them, then each new or ended one,
 * and the differences after policies, identities or routers have changed. Lists are never marked as complete, because routers use the order
 * of ids to decide which sessions a complete list removes, and ids are random here.
 */
export interface ApiSessionSync {
  /** Sends a router all API sessions. */
  onConnect(router: ConnectedRouter): void;
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
}

export const syncApiSessions = (fabric: Fabric): ApiSessionSync => {
  const { core, events, connected } = fabric;
  const { clock, random } = core.platform;
  const sent = createSentSessions();
  const tokens = createClientTokens(fabric, ({ number }) => sent.free(number));
  /** True once the tokens of all stored sessions are in memory. */
  let isLoaded = false;
  /** Routers that are waiting for all API sessions. */
  const requested = new Set<ConnectedRouter>();
  const newSessionIds = new Set<string>();
  const changedIdentityIds = new Set<string>();
  /** Numbers of full comparisons that were requested and done. */
  const comparisons = { requested: 0, done: 0 };

  const send = (router: ConnectedRouter, apiSessions: readonly RouterApiSession[]): void => {
    const state = JSON.stringify({ id: syncId(clock.now(), newId(random)), isLast: true, sequence: 0 });
    const headers = [edgeHeader.syncStrategy.of('instant'), edgeHeader.syncState.of(state)];
    if (!router.channel.signal.aborted) router.channel.send(apiSessionAdded, { apiSessions }, headers);
  };
  /**
   * Compares these API sessions with those that routers know, and sends the differences.
   * @returns the routers that were sent any
   */
  const sendDifferences = async (job: Job, compared: readonly ClientToken[], routers: readonly ConnectedRouter[]) => {
    const updated = new Set<ConnectedRouter>();
    for (const part of inBatches(compared, () => 1, BATCH)) {
      const { forRouter, mayUse } = await job.read((entities) => readApiSessions(entities, core, part, routers));
      // If an API session ended during the read, routers have already been notified.
      const current = part.filter((token) => tokens.get(token.id) === token);
      for (const router of routers) {
        const added = current.filter((token) => !sent.has(router, token.number) && mayUse(token, router));
        const removed = current.filter((token) => sent.has(router, token.number) && !mayUse(token, router));
        for (const { number } of added) sent.set(router, number, true);
        for (const { number } of removed) sent.set(router, number, false);
        if (added.length + removed.length > 0) updated.add(router);
        const messages = added.flatMap(({ id }) => forRouter.get(id) ?? []);
        if (added.length > 0) send(router, messages);
        if (removed.length > 0) sendRemoved(router, removed);
      }
      await yieldToEventLoop();
    }
    return updated;
  };
  const sendAll = async (job: Job): Promise<void> => {
    const routers = [...requested];
    if (routers.length === 0) return;
    // A router that asks during the comparison is sent all API sessions again.
    requested.clear();
    try {
      if (!isLoaded) await tokens.read(job);
      isLoaded = true;
      const updated = await sendDifferences(job, tokens.all(), routers);
      for (const router of routers) if (!updated.has(router)) send(router, []);
    } catch (error) {
      for (const router of routers) if (!router.channel.signal.aborted) requested.add(router);
      throw error;
    }
  };
  const compareAll = async (job: Job): Promise<void> => {
    const count = comparisons.requested;
    if (count !== comparisons.done) await sendDifferences(job, tokens.all(), connected.edgeRouters());
    comparisons.done = count;
  };
  const compareChanged = async (job: Job): Promise<void> => {
    const [sessionIds, identityIds] = [[...newSessionIds].slice(0, BATCH), [...changedIdentityIds].slice(0, BATCH)];
    for (const id of sessionIds) newSessionIds.delete(id);
    for (const id of identityIds) changedIdentityIds.delete(id);
    try {
      if (sessionIds.length > 0) for (const { identityId } of await tokens.read(job, sessionIds)) identityIds.push(identityId);
      const affected = [...new Set(identityIds)].flatMap(tokens.ofIdentity);
      if (affected.length > 0) await sendDifferences(job, affected, connected.edgeRouters());
    } catch (error) {
      for (const id of sessionIds) newSessionIds.add(id);
      for (const id of identityIds) changedIdentityIds.add(id);
      throw error;
    }
  };
  const drain = createDrain(core.platform, {
    attribution: { actor: 'system', requestId: 'routers' },
    step: async (job) => {
      if (connected.edgeRouters().length === 0) {
        for (const collection of [tokens, newSessionIds, changedIdentityIds]) collection.clear();
        isLoaded = false;
        return false;
      }
      await sendAll(job);
      await compareAll(job);
      await compareChanged(job);
      return requested.size + newSessionIds.size + changedIdentityIds.size > 0 || comparisons.requested !== comparisons.done;
    },
    failure: 'API sessions could not be sent to routers; trying again',
  });
  const start = (): void => drain(core.background);
  const onConnect = (router: ConnectedRouter): void => {
    sent.reset(router);
    requested.add(router);
    start();
  };
  const requestComparison = (): void => {
    if (connected.edgeRouters().length === 0) return;
    comparisons.requested++;
    start();
  };

  events.on('session', ({ action, entityId, after }) => {
    if (action === 'delete' || tokens.get(after.apiSessionId)) return;
    newSessionIds.add(entityId);
    start();
  });
  events.on('apiSession', ({ action, entityId }) => {
    const token = action === 'delete' ? tokens.get(entityId) : undefined;
    if (!token) return;
    for (const router of connected.edgeRouters()) if (sent.has(router, token.number)) sendRemoved(router, [token]);
    tokens.remove(entityId);
  });
  events.on('edgeRouterPolicy', requestComparison);
  events.on('edgeRouter', ({ action, before, after }) => {
    if (action === 'update' && !isSameJson(before.roleAttributes, after.roleAttributes)) requestComparison();
  });
  events.on('identity', ({ action, entityId, before, after }) => {
    if (action !== 'update' || isSameJson(before.roleAttributes, after.roleAttributes) || tokens.ofIdentity(entityId).length === 0) return;
    changedIdentityIds.add(entityId);
    start();
  });

  return {
    onConnect,
    handlers: (router) => {
      router.channel.signal.addEventListener('abort', () => {
        requested.delete(router);
        if (connected.edgeRouters().length === 0) start();
      });
      return [
        handle(requestResync, (_body, _frame, budget) => {
          budget.spend({ elements: tokens.all().length });
          onConnect(router);
        }),
        handle(apiSessionHeartbeat, async ({ tokens: active }) => {
          const now = isoTime(clock.now());
          for (const part of inBatches(active, () => 1, BATCH)) {
            const where = oneOf(stringField('tokenHash'), part.map(hashToken));
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

/** Ids that increase over time: routers compare them as strings. */
const syncId = (now: number, unique: string): string => `${now.toString(36).padStart(10, '0')}${unique}`;

type RouterApiSession = NonNullable<Parameters<(typeof apiSessionAdded)['encode']>[0]['apiSessions']>[number];

/**
 * Reads the open API sessions in the form that routers receive, with the certificates of their clients, and determines which routers each
 * may use.
 */
const readApiSessions = async (
  entities: Entities,
  { settings, activity, platform: { clock } }: Pick<Core, 'settings' | 'activity' | 'platform'>,
  tokens: readonly ClientToken[],
  routers: readonly ConnectedRouter[],
) => {
  const oneOfField = (field: string, values: readonly string[]) => oneOf(stringField(field), [...new Set(values)]);
  const [ids, identityIds] = [tokens.map(({ id }) => id), tokens.map(({ identityId }) => identityId)];
  const now = isoTime(clock.now());
  const rows = await entities.list(apiSession, { where: oneOfField('id', ids) });
  const open = new Set(rows.filter((row) => !hasEnded(settings, activity.current(row), now)).map(({ id }) => id));
  const fingerprintsOf = (all: readonly { readonly fingerprint: string | null }[] = []) =>
    all.flatMap(({ fingerprint }) => fingerprint ?? []);
  const certificates = Map.groupBy(
    await entities.list(apiSessionCertificate, { where: oneOfField('apiSessionId', ids) }),
    (row) => row.apiSessionId,
  );
  const authenticators = Map.groupBy(
    await entities.list(authenticator, { where: oneOfField('identityId', identityIds) }),
    (row) => row.identityId,
  );
  const messages = tokens.flatMap(({ id, identityId, token }): readonly (readonly [string, RouterApiSession])[] => {
    const certFingerprints = [...fingerprintsOf(authenticators.get(identityId)), ...fingerprintsOf(certificates.get(id))];
    return open.has(id) ? [[id, { id, identityId, token, certFingerprints }]] : [];
  });
  const identities = await rowsById(entities, identity, identityIds);
  const routerRows = await rowsReferredBy(entities, edgeRouter, routers, ({ id }) => id);
  const access = await identityRouterAccess(entities, identities.values(), [...routerRows.values()]);
  const mayUse = ({ id, identityId }: ClientToken, router: ConnectedRouter): boolean => {
    const [identityRow, routerRow] = [identities.get(identityId), routerRows.get(router.id)];
    return open.has(id) && identityRow !== undefined && routerRow !== undefined && access(identityRow, routerRow);
  };
  return { forRouter: new Map(messages), mayUse };
};
