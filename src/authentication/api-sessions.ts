import { apiSession } from '../api/api-sessions.ts';
import type { RowOf } from '../api/kit/index.ts';
import type { Entities } from '../entities/entities.ts';
import { equals, stringField } from '../query/index.ts';
import { removeEntity } from '../resources/removal.ts';

type ApiSession = RowOf<typeof apiSession>;

/** Ends sessions, and deletes everything that depends on them. */
export const endApiSessions = async (entities: Entities, sessions: readonly ApiSession[]): Promise<void> => {
  for (const session of sessions) await removeEntity(entities, apiSession, session);
};

/** The API sessions of an identity, idle ones included. */
export const apiSessionsOf = (entities: Entities, identityId: string): Promise<readonly ApiSession[]> =>
  entities.list(apiSession, { where: equals(stringField('identityId'), identityId) });
