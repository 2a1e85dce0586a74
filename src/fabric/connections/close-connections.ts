import type { Core } from '../../call/core.ts';
import { DELETED, DISABLED, MUST_ENROLL } from '../../runtime/presence/connections.ts';
import type { ChangeListeners } from '../../store/changelog/listeners.ts';

/**
 * Closes connections of routers that are no longer allowed, and removes deleted identities, when such a change is published. Changes by
 * other controllers may be published late: those that precede a router's connection are ignored.
 */
export const closeConnectionsOnChange = (events: Pick<ChangeListeners, 'on'>, { presence }: Pick<Core, 'presence'>): void => {
  for (const kind of ['edgeRouter', 'router'] as const)
    events.on(kind, ({ action, entityId, after, revision }) => {
      if (action === 'delete') presence.closeRouter(entityId, DELETED, revision);
      else if (after?.disabled) presence.closeRouter(entityId, DISABLED, revision);
      else if (!after?.isVerified) presence.closeRouter(entityId, MUST_ENROLL, revision);
    });
  events.on('identity', ({ action, entityId }) => {
    if (action === 'delete') presence.removeIdentity(entityId);
  });
};
