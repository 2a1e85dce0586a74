import { keptSecret } from '../../../api/kept-secrets.ts';
import type { Entities, EntitiesContext } from '../../../entities/entities.ts';
import { compareAndSetKeptSecret, readKeptSecret } from '../../../entities/kept-secrets.ts';
import { equals, stringField } from '../../../query/index.ts';
import type { Store } from '../../../storage/port.ts';

const ID = 'decoy';

/** Creates the decoy row, which is empty and stands in for an authenticator in `evenOut`. Runs before any login. */
export const keepDecoy = async (store: Store, context: EntitiesContext): Promise<void> => {
  if ((await readKeptSecret(store, context, ID)) === undefined) await compareAndSetKeptSecret(store, context, ID, null);
};

/**
 * Keeps timing from revealing whether a failed login was counted as a wrong password; it is not counted if, for example, the username is unknown. If it was
 * not, rewrites the decoy row unchanged, which costs as much as counting and leaves no trace.
 */
export const evenOut = async (entities: Entities, isCounted: boolean): Promise<void> => {
  // Uses the same kind of query as for an authenticator, so that the store does the same work.
  const decoy = await entities.find(keptSecret, equals(stringField('id'), ID));
  if (decoy && !isCounted) await entities.update(keptSecret, decoy, {});
};
