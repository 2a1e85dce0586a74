import type { RowOf } from '../api/kit/resource.ts';
import { apiSession } from '../api/api-sessions.ts';
import type { Entities } from '../changes/entities.ts';
import { equals, text } from '../query/index.ts';
import { removeEntity } from '../resources/removal.ts';

type Session = RowOf<typeof apiSession>;

/** Ends sessions, with all that hangs on them. */
export const endSessions = async (entities: Entities, sessions: readonly Session[]): Promise<void> => {
  // As `crudHandlers` does it: of a kind only its table is looked at.
  for (const session of sessions) await removeEntity(entities, apiSession, session);
};

/** The API sessions of an identity, idle ones included. */
export const sessionsOf = (entities: Entities, identityId: string): Promise<readonly Session[]> =>
  entities.list(apiSession, { where: equals(text('identityId'), identityId) });
