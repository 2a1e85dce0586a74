import { rowsById } from '../../call/resources/references.ts';
import { session } from '../../contract/api/sessions.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { sessionMessages } from '../control-channel/messages/sessions.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';

const { sessionRemoved, validateSessions } = sessionMessages;

/** Number of sessions that are looked up before yielding to the event loop. */
const BATCH = 500;

/** Makes a router end its clients' connections in these sessions. */
export const sendSessionsRemoved = ({ channel }: Pick<ConnectedRouter, 'channel'>, ids: readonly string[]): void => {
  if (!channel.signal.aborted) channel.send(sessionRemoved, { tokens: ids, ids });
};

/** Notifies edge routers of sessions that end, and answers when they ask which of their sessions have ended. */
export const syncSessions = ({ core, events, connected }: Fabric): ((router: ConnectedRouter) => readonly HandlerEntry[]) => {
  events.on('session', ({ action, entityId }) => {
    if (action !== 'delete') return;
    for (const router of connected.edgeRouters()) sendSessionsRemoved(router, [entityId]);
  });
  return (router) => [
    handle(validateSessions, async ({ sessionTokens }) => {
      for (const ids of inBatches(sessionTokens, () => 1, BATCH)) {
        const existing = await forRouters(core, (job) => job.read((entities) => rowsById(entities, session, ids)));
        const ended = ids.filter((id) => !existing.has(id));
        if (ended.length > 0) sendSessionsRemoved(router, ended);
        await yieldToEventLoop();
      }
    }),
  ];
};
