import { apiSessionCertificate } from '../../../api/api-session-certificates.ts';
import { apiSession } from '../../../api/api-sessions.ts';
import { authenticator } from '../../../api/authenticators.ts';
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
import { newId } from '../../../storage/ids.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { type HandlerRow, on } from '../routers/handlers.ts';
import { type ClientToken, createClientTokens } from './client-tokens.ts';

const { apiSessionAdded, apiSessionRemoved, apiSessionHeartbeat, requestResync } = sessionMessages;

/** API sessions in one message at most. */
const CHUNK = 500;

/**
 * Tells edge routers of the API sessions whose clients may come, those that reach services, whichever controller they logged in to: of all when a router connects or
 * asks, then of each that begins or ends. It is never said that a list is complete: of a complete one routers would remove sessions by the order of ids, which here
 * is random. That a router knows a session too many opens nothing: what its client binds and dials is decided here.
 */
export interface ApiSessionSync {
  /** Tells a router of all. */
  tellAll(router: ConnectedRouter): void;
  handlers(router: ConnectedRouter): readonly HandlerRow[];
}

export const syncApiSessions = (fabric: Fabric): ApiSessionSync => {
  const { core, events, connected } = fabric;
  const { clock, random } = core.platform;
  const tokens = createClientTokens(fabric);
  /** Whether all that were stored when the first router came are known. */
  let isRead = false;
  /** Who is to be told of all; sessions that have begun since, and what is to be told of them. */
  const asking = new Set<ConnectedRouter>();
  const begun = new Set<string>();
  const untold = new Set<ClientToken>();

  const tell = async (job: Job, held: readonly ClientToken[], routers: readonly ConnectedRouter[]): Promise<void> => {
    const id = syncId(clock.now(), newId(random));
    const chunks = Math.max(1, Math.ceil(held.length / CHUNK));
    for (let sequence = 0; sequence < chunks; sequence++) {
      const part = held.slice(sequence * CHUNK, (sequence + 1) * CHUNK);
      const described = await job.read((entities) => describe(entities, core, part));
      // What has ended meanwhile was told of already.
      const apiSessions = described.filter(({ id }) => tokens.has(id));
      const state = stateOf({ id, isLast: sequence === chunks - 1, sequence });
      for (const { channel } of routers) if (!channel.signal.aborted) channel.send(apiSessionAdded, { apiSessions }, state);
    }
  };
  const tellOfAll = async (job: Job): Promise<void> => {
    const routers = [...asking];
    if (routers.length === 0) return;
    if (!isRead) await tokens.read(job);
    isRead = true;
    await tell(job, tokens.all(), routers);
    for (const router of routers) asking.delete(router);
  };
  const tellOfBegun = async (job: Job): Promise<void> => {
    const ids = [...begun].slice(0, CHUNK);
    if (ids.length > 0) for (const one of await tokens.read(job, ids)) untold.add(one);
    for (const id of ids) begun.delete(id);
    if (untold.size > 0) await tell(job, [...untold], connected.edgeRouters());
    untold.clear();
  };
  const work = createDrain(core.platform, {
    attribution: { actor: 'system', requestId: 'routers' },
    step: async (job) => {
      if (connected.edgeRouters().length === 0) {
        for (const known of [tokens, begun, untold]) known.clear();
        isRead = false;
        return false;
      }
      await tellOfAll(job);
      await tellOfBegun(job);
      return asking.size + begun.size > 0;
    },
    failure: 'routers could not be told of API sessions, which is tried once more',
  });
  const tellAll = (router: ConnectedRouter): void => {
    asking.add(router);
    work(core.background);
  };

  events.on('session', ({ action, entityId, after }) => {
    if (action === 'delete' || tokens.has(after.apiSessionId)) return;
    begun.add(entityId);
    work(core.background);
  });
  events.on('apiSession', ({ action, entityId }) => {
    if (action !== 'delete') return;
    const held = tokens.forget(entityId);
    if (held) for (const { channel } of connected.edgeRouters()) channel.send(apiSessionRemoved, { tokens: [held.token], ids: [entityId] });
  });

  return {
    tellAll,
    handlers: (router) => {
      router.channel.signal.addEventListener('abort', () => {
        asking.delete(router);
        if (connected.edgeRouters().length === 0) work(core.background);
      });
      return [
        on(requestResync, () => tellAll(router)),
        on(apiSessionHeartbeat, async ({ tokens }) => {
          const now = isoTime(clock.now());
          for (const some of inParts(tokens, () => 1, CHUNK)) {
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

/** Later ones are greater: routers compare them as texts. */
const syncId = (now: number, unique: string): string => `${now.toString(36).padStart(10, '0')}${unique}`;

const stateOf = (state: { readonly id: string; readonly isLast: boolean; readonly sequence: number }): readonly Header[] => [
  edgeHeader.syncStrategy.of('instant'),
  edgeHeader.syncState.of(JSON.stringify(state)),
];

/** API sessions as routers know them: with the certificates that their clients may come with. Those that have ended are left out. */
const describe = async (
  entities: Entities,
  { settings, activity, platform: { clock } }: Pick<Core, 'settings' | 'activity' | 'platform'>,
  held: readonly ClientToken[],
) => {
  const of = (field: string, ids: readonly string[]) => oneOf(stringField(field), [...new Set(ids)]);
  const ids = held.map(({ apiSessionId }) => apiSessionId);
  const now = isoTime(clock.now());
  const open = (await entities.list(apiSession, { where: of('id', ids) })).filter((row) => !hasEnded(settings, activity.current(row), now));
  const known = new Set(open.map(({ id }) => id));
  const issued = await entities.list(apiSessionCertificate, { where: of('apiSessionId', ids) });
  const own = await entities.list(authenticator, {
    where: of(
      'identityId',
      held.map(({ identityId }) => identityId),
    ),
  });
  return held
    .filter(({ apiSessionId }) => known.has(apiSessionId))
    .map(({ apiSessionId, identityId, token }) => ({
      id: apiSessionId,
      identityId,
      token,
      certFingerprints: [
        ...own.flatMap((one) => (one.identityId === identityId && one.fingerprint ? [one.fingerprint] : [])),
        ...issued.flatMap((one) => (one.apiSessionId === apiSessionId && one.fingerprint ? [one.fingerprint] : [])),
      ],
    }));
};
