/** What the controller itself keeps in the store under a name: each in a transaction of its own, before any call is. */
import { keptSecret } from '../api/kept-secrets.ts';
import type { Store } from '../storage/port.ts';
import { type EntitiesContext, entitiesOf } from './entities.ts';

/** @returns what is kept under a name; undefined where nothing is */
export const keptAs = (store: Store, context: EntitiesContext, name: string): Promise<string | null | undefined> =>
  store.transaction('read', async (tx) => (await entitiesOf(tx, context).get(keptSecret, name))?.sealed);

/**
 * Keeps something where nothing is kept under the name yet, or `before` is. Of several controllers that do so at the same time, the first one's counts.
 * @returns what is kept now: `sealed`, or what another controller was first with
 */
export const keepAs = (
  store: Store,
  context: EntitiesContext,
  name: string,
  sealed: string | null,
  before?: string | null,
): Promise<string | null> =>
  store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    const known = await entities.get(keptSecret, name);
    if (!known) return (await entities.insert(keptSecret, { id: name, sealed })).sealed;
    return known.sealed === before ? (await entities.update(keptSecret, known, { sealed })).sealed : known.sealed;
  });
