import { apiSession } from '../api/api-sessions.ts';
import type { RowOf } from '../api/kit/index.ts';
import type { Entities } from '../entities/entities.ts';
import { equals, stringField } from '../query/index.ts';
import { removeEntity } from '../resources/removal.ts';

type ApiSession = RowOf<typeof apiSession>;

/** Ends sessions, with all that hangs on them. */
export const endApiSessions = async (entities: Entities, sessions: readonly ApiSession[]): Promise<void> => {
  // As `crudHandlers` does it: of a kind only its table is looked at.
  for (const session of sessions) await removeEntity(entities, apiSession, session);
};

/** The API sessions of an identity, idle ones included. */
export const apiSessionsOf = (entities: Entities, identityId: string): Promise<readonly ApiSession[]> =>
  entities.list(apiSession, { where: equals(stringField('identityId'), identityId) });
