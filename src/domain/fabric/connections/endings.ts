import type { Core } from '../../../call/core.ts';
import type { ChangeListeners } from '../../../changes/listeners.ts';
import { DISABLED, MUST_ENROLL } from '../../../presence/connections.ts';

/** Why the connection of such a router ends. */
export const DELETED = 'the router was deleted';

/** Ends connections of routers that may have none any more, and forgets identities that there are no more, as soon as such a change is published. */
export const endConnectionsOnChange = (events: Pick<ChangeListeners, 'on'>, { presence }: Pick<Core, 'presence'>): void => {
  for (const kind of ['edgeRouter', 'router'] as const)
    events.on(kind, ({ action, entityId, after }) => {
      if (action === 'delete') presence.end(entityId, DELETED);
      else if (after?.disabled) presence.end(entityId, DISABLED);
      else if (!after?.isVerified) presence.end(entityId, MUST_ENROLL);
    });
  events.on('identity', ({ action, entityId }) => {
    if (action === 'delete') presence.forget(entityId);
  });
};
