import { keptSecret } from '../../contract/api/kept-secrets.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities, EntitiesContext } from '../../store/entities/entities.ts';
import { compareAndSetKeptSecret, readKeptSecret } from '../../store/entities/kept-secrets.ts';
import type { Store } from '../../store/storage/port.ts';

const ID = 'decoy';

/** Creates the decoy row, which is empty and replaces an authenticator in `equalizeTiming`. Must run before any login. */
export const ensureDecoy = async (store: Store, context: EntitiesContext): Promise<void> => {
  if ((await readKeptSecret(store, context, ID)) === undefined) await compareAndSetKeptSecret(store, context, ID, null);
};

/**
 * Prevents timing from revealing whether a failed login was counted as a wrong password; for example, it is not if the username is unknown.
 * In that case, writes the decoy row unchanged, which takes as long as counting.
 */
export const equalizeTiming = async (entities: Entities, isCounted: boolean): Promise<void> => {
  // Uses the same kind of query as for an authenticator, so that the store does the same work.
  const decoy = await entities.find(keptSecret, equals(stringField('id'), ID));
  if (decoy && !isCounted) await entities.update(keptSecret, decoy, {});
};
