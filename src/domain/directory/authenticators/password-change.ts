import { apiSessionsOf, endApiSessions } from '../../../authentication/api-sessions.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';

/**
 * What follows when a password is changed or taken away: where the host wants it (`endSessionsOnPasswordChange`), the sessions of the identity end, but for the
 * one of this call. In the transaction of the change.
 */
export const passwordChanged = async (
  entities: Entities,
  { actor, core }: Pick<Call, 'actor' | 'core'>,
  identityId: string,
): Promise<void> => {
  if (!core.settings.endSessionsOnPasswordChange) return;
  const own = actor.kind === 'session' ? actor.session.id : undefined;
  await endApiSessions(
    entities,
    (await apiSessionsOf(entities, identityId)).filter(({ id }) => id !== own),
  );
};
