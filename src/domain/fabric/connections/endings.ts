import type { Core } from '../../../call/core.ts';
import type { ChangeListeners } from '../../../changes/listeners.ts';
import { DISABLED, MUST_ENROLL } from '../../../presence/connections.ts';

/** Why the connection of such a router ends. */
export const DELETED = 'the router was deleted';

/**
 * Ends connections of routers that may have none any more, and forgets identities that there are no more, as soon as such a change is published. That may be
 * late, where another controller made it: what was so before the router connected does not count.
 */
export const endConnectionsOnChange = (events: Pick<ChangeListeners, 'on'>, { presence }: Pick<Core, 'presence'>): void => {
  for (const kind of ['edgeRouter', 'router'] as const)
    events.on(kind, ({ action, entityId, after, revision }) => {
      if (action === 'delete') presence.end(entityId, DELETED, revision);
      else if (after?.disabled) presence.end(entityId, DISABLED, revision);
      else if (!after?.isVerified) presence.end(entityId, MUST_ENROLL, revision);
    });
  events.on('identity', ({ action, entityId }) => {
    if (action === 'delete') presence.forget(entityId);
  });
};
