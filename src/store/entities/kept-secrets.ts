/**
 * Named values in the store that belong to the controller itself. Each is read and written in its own transaction, before the controller
 * serves calls.
 */
import { keptSecret } from '../../contract/api/kept-secrets.ts';
import type { Secrets } from '../../runtime/platform/secrets.ts';
import type { Store } from '../storage/port.ts';
import { type EntitiesContext, entitiesOf } from './entities.ts';
import { sealText, unsealText } from './sealed.ts';

/** @returns the value stored under a name; null if it is empty, undefined if no value is stored */
export const readKeptSecret = (store: Store, context: EntitiesContext, name: string): Promise<string | null | undefined> =>
  store.transaction('read', async (tx) => (await entitiesOf(tx, context).get(keptSecret, name))?.sealed);

/**
 * Compare-and-set: stores a value if the name has no value yet, or still has the value `before`. If several controllers do so concurrently,
 * the first one wins.
 * @returns the value that is stored now: `sealed`, or the value of the controller that was first
 */
export const compareAndSetKeptSecret = (
  store: Store,
  context: EntitiesContext,
  name: string,
  sealed: string | null,
  before?: string | null,
): Promise<string | null> =>
  store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    const stored = await entities.get(keptSecret, name);
    if (!stored) return (await entities.insert(keptSecret, { id: name, sealed })).sealed;
    return stored.sealed === before ? (await entities.update(keptSecret, stored, { sealed })).sealed : stored.sealed;
  });

/** Seals a text to be stored under a name. It cannot be unsealed under any other name. */
export const sealKeptSecret = (secrets: Secrets, name: string, text: string): Promise<string> =>
  sealText(secrets, keptSecret, 'sealed', { id: name }, text);

/** @throws SecretUnreadable */
export const unsealKeptSecret = (secrets: Secrets, name: string, sealed: string): Promise<string> =>
  unsealText(secrets, keptSecret, 'sealed', { id: name, sealed });

/**
 * Reads the sealed value stored under a name, after updating it if necessary.
 * @param update returns the new value; undefined if the current one is up to date. It is called again with each value that it or another
 * controller has stored, until it returns undefined.
 * @throws SecretUnreadable
 */
export const upToDateKeptSecret = async <T>(
  store: Store,
  secrets: Secrets,
  context: EntitiesContext,
  name: string,
  update: (current: T | undefined) => Promise<T | undefined>,
): Promise<T> => {
  let sealed = await readKeptSecret(store, context, name);
  for (;;) {
    // The value was sealed by this function, so it is a `T`.
    const current: T | undefined = sealed == null ? undefined : JSON.parse(await unsealKeptSecret(secrets, name, sealed));
    const next = await update(current);
    if (next)
      sealed = await compareAndSetKeptSecret(store, context, name, await sealKeptSecret(secrets, name, JSON.stringify(next)), sealed);
    else if (current) return current;
    else throw new TypeError(`no value is stored as '${name}', and update returned none`);
  }
};
