import { apiSessionsOf, endApiSessions } from '../../../authentication/api-sessions.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';

/**
 * Ends the API sessions of an identity, except that of this call, when its password is changed or removed, if the setting
 * `endSessionsOnPasswordChange` says so. In the transaction of the change.
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
