import { session } from '../../../api/sessions.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import { inParts } from '../../../concurrency/parts.ts';
import { sessionMessages } from '../../../control-channel/messages/sessions.ts';
import { rowsById } from '../../../resources/rows-by-id.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';

const { sessionRemoved, validateSessions } = sessionMessages;

/** Sessions that are looked up before others have a turn. */
const AT_ONCE = 500;

/** Tells a router that sessions have ended: it ends what its clients have by them. */
export const tellRemoved = ({ channel }: Pick<ConnectedRouter, 'channel'>, ids: readonly string[]): void => {
  if (!channel.signal.aborted) channel.send(sessionRemoved, { tokens: ids, ids });
};

/** Tells edge routers of sessions that end, and answers which of those that they know have ended. */
export const syncSessions = ({ core, events, connected }: Fabric): ((router: ConnectedRouter) => readonly HandlerRow[]) => {
  events.on('session', ({ action, entityId }) => {
    if (action !== 'delete') return;
    for (const router of connected.edgeRouters()) tellRemoved(router, [entityId]);
  });
  return (router) => [
    handling(validateSessions, async ({ sessionTokens }) => {
      for (const ids of inParts(sessionTokens, () => 1, AT_ONCE)) {
        const known = await forRouters(core, (job) => job.read((entities) => rowsById(entities, session, ids)));
        const ended = ids.filter((id) => !known.has(id));
        if (ended.length > 0) tellRemoved(router, ended);
        await yieldToEventLoop();
      }
    }),
  ];
};
