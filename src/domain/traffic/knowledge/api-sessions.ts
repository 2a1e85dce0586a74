import { apiSessionCertificate } from '../../../api/api-session-certificates.ts';
import { apiSession } from '../../../api/api-sessions.ts';
import { authenticator } from '../../../api/authenticators.ts';
import type { Entities } from '../../../changes/entities.ts';
import { edgeHeader, type Header } from '../../../control-channel/header-fields.ts';
import { sessionMessages } from '../../../control-channel/messages/sessions.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import type { HeldToken } from '../../../presence/held-tokens.ts';
import { oneOf, stringField } from '../../../query/index.ts';
import { newId } from '../../../storage/ids.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import type { HandlerRow } from '../routers/handlers.ts';

const { apiSessionAdded, apiSessionRemoved, apiSessionHeartbeat, requestResync } = sessionMessages;

/** API sessions in one message at most. */
const CHUNK = 500;

/**
 * Tells edge routers of the API sessions whose clients may come: of all that are known when a router connects or asks, then of each that begins or ends. It is
 * never said that a list is complete: after a restart it is not, and of a complete one routers would remove sessions by the order of ids, which here is random.
 * That a router knows a session too many opens nothing: what its client binds and dials is decided here.
 */
export interface ApiSessionSync {
  /** Tells a router of all. */
  tellAll(router: ConnectedRouter): Promise<void>;
  handlers(router: ConnectedRouter): readonly HandlerRow[];
}

export const syncApiSessions = (fabric: Fabric): ApiSessionSync => {
  const { core, events, connected } = fabric;
  const { clock, random, logger } = core.platform;

  const described = (held: readonly HeldToken[]) => forRouters(core, (job) => job.read((entities) => describe(entities, held)));

  const tell = async (held: readonly HeldToken[], routers: () => readonly ConnectedRouter[]): Promise<void> => {
    const all = await described(held);
    const id = syncId(clock.now(), newId(random));
    const chunks = Math.max(1, Math.ceil(all.length / CHUNK));
    for (let sequence = 0; sequence < chunks; sequence++) {
      const apiSessions = all.slice(sequence * CHUNK, (sequence + 1) * CHUNK);
      const state = stateOf({ id, isLast: sequence === chunks - 1, sequence });
      for (const { channel } of routers()) if (!channel.signal.aborted) channel.send(apiSessionAdded, { apiSessions }, state);
    }
  };

  core.heldTokens.listen((held) => {
    if (connected.edgeRouters().length === 0) return;
    tell([held], connected.edgeRouters).catch((error: unknown) => logger.warn('routers could not be told of an API session', { error }));
  });
  events.on('apiSession', ({ action, entityId }) => {
    if (action !== 'delete') return;
    const held = core.heldTokens.forget(entityId);
    if (held) for (const { channel } of connected.edgeRouters()) channel.send(apiSessionRemoved, { tokens: [held.token], ids: [entityId] });
  });

  return {
    tellAll: (router) => tell(core.heldTokens.all(), () => [router]),
    handlers: (router) => [
      [requestResync, () => tell(core.heldTokens.all(), () => [router])],
      [
        apiSessionHeartbeat,
        async (frame) => {
          const hashes = apiSessionHeartbeat.decode(frame.body).tokens.map(hashToken);
          const where = oneOf(stringField('tokenHash'), hashes);
          const now = isoTime(clock.now());
          const rows = await forRouters(core, (job) => job.read((entities) => entities.list(apiSession, { where })));
          for (const { id } of rows) core.activity.note(id, now);
        },
      ],
    ],
  };
};

/** Later ones are greater: routers compare them as texts. */
const syncId = (now: number, unique: string): string => `${now.toString(36).padStart(10, '0')}${unique}`;

const stateOf = (state: { readonly id: string; readonly isLast: boolean; readonly sequence: number }): readonly Header[] => [
  edgeHeader.syncStrategy.of('instant'),
  edgeHeader.syncState.of(JSON.stringify(state)),
];

/** API sessions as routers know them: with the certificates that their clients may come with. Those that there are no more are left out. */
const describe = async (entities: Entities, held: readonly HeldToken[]) => {
  const of = (field: string, ids: readonly string[]) => oneOf(stringField(field), [...new Set(ids)]);
  const ids = held.map(({ apiSessionId }) => apiSessionId);
  const known = new Set((await entities.list(apiSession, { where: of('id', ids) })).map(({ id }) => id));
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
