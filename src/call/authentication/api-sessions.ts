import { apiSession } from '../../contract/api/api-sessions.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Call } from '../call.ts';
import { removeEntity } from '../resources/removal.ts';

type ApiSession = RowOf<typeof apiSession>;

/** Ends sessions, and deletes everything that depends on them. */
export const endApiSessions = async (entities: Entities, sessions: readonly ApiSession[]): Promise<void> => {
  for (const session of sessions) await removeEntity(entities, apiSession, session);
};

/** The API sessions of an identity, idle ones included. */
export const apiSessionsOf = (entities: Entities, identityId: string): Promise<readonly ApiSession[]> =>
  entities.list(apiSession, { where: equals(stringField('identityId'), identityId) });

/**
 * Ends the API sessions of an identity, except the one of this call.
 * @param isEnded selects the sessions to end. Default: all
 */
export const endOtherSessions = async (
  entities: Entities,
  { actor }: Pick<Call, 'actor'>,
  identityId: string,
  isEnded: (session: ApiSession) => boolean = () => true,
): Promise<void> => {
  const own = actor.kind === 'session' ? actor.session.id : undefined;
  const others = (await apiSessionsOf(entities, identityId)).filter(({ id }) => id !== own);
  await endApiSessions(entities, others.filter(isEnded));
};
