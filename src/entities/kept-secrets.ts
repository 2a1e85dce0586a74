/** Named values of the controller itself in the store. Each is read and written in its own transaction, before any call. */
import { keptSecret } from '../api/kept-secrets.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Store } from '../storage/port.ts';
import { type EntitiesContext, entitiesOf } from './entities.ts';
import { sealText, unsealText } from './sealed.ts';

/** @returns the value stored under a name; undefined if there is none */
export const keptAs = (store: Store, context: EntitiesContext, name: string): Promise<string | null | undefined> =>
  store.transaction('read', async (tx) => (await entitiesOf(tx, context).get(keptSecret, name))?.sealed);

/**
 * Compare-and-set: stores a value if the name has none yet, or still has `before`. If several controllers do so at the same time, the first one wins.
 * @returns the value stored now: `sealed`, or that of the controller that was first
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

/** Seals a text that is kept under a name: under another name it cannot be unsealed. */
export const sealKept = (secrets: Secrets, name: string, text: string): Promise<string> =>
  sealText(secrets, keptSecret, 'sealed', { id: name }, text);

/** @throws SecretUnreadable */
export const unsealKept = (secrets: Secrets, name: string, sealed: string): Promise<string> =>
  unsealText(secrets, keptSecret, 'sealed', { id: name, sealed });

/**
 * A sealed value that is stored under a name, updated first if necessary.
 * @param due returns the new value; undefined if the current one is up to date. Called again if another controller was first.
 * @throws SecretUnreadable
 */
export const keptUpToDate = async <T>(
  store: Store,
  secrets: Secrets,
  context: EntitiesContext,
  name: string,
  due: (current: T | undefined) => Promise<T | undefined>,
): Promise<T> => {
  let sealed = await keptAs(store, context, name);
  for (;;) {
    // Sealed by this function, so it has that shape.
    const current: T | undefined = sealed == null ? undefined : JSON.parse(await unsealKept(secrets, name, sealed));
    const next = await due(current);
    if (next) sealed = await keepAs(store, context, name, await sealKept(secrets, name, JSON.stringify(next)), sealed);
    else if (current) return current;
    else throw new TypeError(`nothing is kept as '${name}', and nothing is due`);
  }
};
