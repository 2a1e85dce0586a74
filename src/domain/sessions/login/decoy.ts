import { keptSecret } from '../../../api/kept-secrets.ts';
import type { Entities, EntitiesContext } from '../../../entities/entities.ts';
import { keepAs, keptAs } from '../../../entities/kept-secrets.ts';
import { equals, stringField } from '../../../query/index.ts';
import type { Store } from '../../../storage/port.ts';

const ID = 'decoy';

/** Keeps a row that says nothing, and stands in for authenticators in `evenOut`. Called before any login. */
export const keepDecoy = async (store: Store, context: EntitiesContext): Promise<void> => {
  if ((await keptAs(store, context, ID)) === undefined) await keepAs(store, context, ID, null);
};

/**
 * Performs the same write for a wrong password of an unknown username as for a known one, so that timing does not distinguish them: the decoy row is
 * rewritten unchanged, which leaves no trace.
 */
export const evenOut = async (entities: Entities, isCounted: boolean): Promise<void> => {
  // Found as an authenticator is, so that the store has the same to do.
  const decoy = await entities.find(keptSecret, equals(stringField('id'), ID));
  if (decoy && !isCounted) await entities.update(keptSecret, decoy, {});
};
