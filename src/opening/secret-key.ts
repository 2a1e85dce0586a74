import { keptSecret } from '../api/kept-secrets.ts';
import type { EntitiesContext } from '../changes/entities.ts';
import { keepAs, keptAs } from '../changes/kept-secrets.ts';
import type { Random } from '../platform/platform.ts';
import { createSecrets, type Secrets, SecretUnreadable } from '../platform/secrets.ts';
import type { StorageAdapter, Store } from '../storage/port.ts';

const ID = 'key-check';

/**
 * Seals the secrets of this controller.
 * @throws TypeError when a persistent store is opened without a key, or with an invalid one
 */
export const secretsOf = (given: string | readonly string[] | undefined, storage: StorageAdapter, random: Random): Promise<Secrets> => {
  const keys = given ?? storage.secretKey;
  if (keys === undefined)
    throw new TypeError(
      'secretKey is needed with a store that outlives the process: 32 random bytes in base64, kept apart from the database; newSecretKey() makes one',
    );
  return createSecrets(typeof keys === 'string' ? [keys] : keys, random);
};

/**
 * Holds the key against the store: the first one ever given seals a word that every later one must unseal.
 * @throws TypeError when the store's secrets were sealed under another key
 */
export const checkSecretKey = async (store: Store, secrets: Secrets, context: EntitiesContext): Promise<void> => {
  const sealed = (await keptAs(store, context, ID)) ?? (await keepAs(store, context, ID, await secrets.seal(ID, ID)));
  try {
    await secrets.unseal(sealed ?? '', ID);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new TypeError(
      'the secrets in this store were sealed under another secretKey than the one given: the network opens only with the one that it was made with',
    );
  }
};

/** Whether a network in this store has a secret key already. */
export const isSealed = (store: Store): Promise<boolean> =>
  store.transaction('read', async (tx) => (await tx.get(keptSecret.kind, ID)) !== undefined);
