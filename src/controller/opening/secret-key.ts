import { formerKeys } from '../../operations/restore/reseal.ts';
import type { Random } from '../../runtime/platform/platform.ts';
import { createSecrets, keyNameOf, type SecretKeys, SecretUnreadable } from '../../runtime/platform/secrets.ts';
import type { EntitiesContext } from '../../store/entities/entities.ts';
import { compareAndSetKeptSecret, readKeptSecret, sealKeptSecret, unsealKeptSecret } from '../../store/entities/kept-secrets.ts';
import { KEY_CHECK, secretKeyNameIn } from '../../store/entities/sealed.ts';
import type { StorageAdapter, Store } from '../../store/storage/port.ts';

/**
 * The secret keys of this controller.
 * @throws TypeError if a persistent store is opened without a key, or with an invalid one
 */
export const secretsOf = (given: string | readonly string[] | undefined, storage: StorageAdapter, random: Random): Promise<SecretKeys> => {
  const keys = given ?? storage.secretKey;
  if (keys === undefined)
    throw new TypeError(
      'secretKey is required with a persistent store: 32 random bytes in base64, kept apart from the database; newSecretKey() creates one',
    );
  return createSecrets(typeof keys === 'string' ? [keys] : keys, random);
};

/**
 * Checks the keys against the store. The first key of a network seals a known value (the key check), which the keys of every later start
 * must unseal. The controller then seals under that key, even if it was given others: only `reseal` replaces the key of a network.
 * @throws TypeError if the store's secrets were sealed under another key, or some of them are still sealed under a former key
 */
export const checkSecretKey = async (store: Store, keys: SecretKeys, context: EntitiesContext): Promise<void> => {
  const first = async () => compareAndSetKeptSecret(store, context, KEY_CHECK, await sealKeptSecret(keys, KEY_CHECK, KEY_CHECK));
  const sealed = (await readKeptSecret(store, context, KEY_CHECK)) ?? (await first()) ?? '';
  try {
    await unsealKeptSecret(keys, KEY_CHECK, sealed);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new TypeError(
      'the secrets in this store were sealed under a different secretKey than the one given: open it with the key that the network was created with, or that the last reseal() set',
    );
  }
  keys.sealUnder(keyNameOf(sealed) ?? '');
  const missing = (await formerKeys(store, keys)).filter((name) => !keys.names.includes(name));
  if (missing.length > 0)
    throw new TypeError(
      'a reseal of this store is not finished, and some secrets are still sealed under a former secretKey: open it with both, the new one first, and call reseal() again',
    );
};

/** True if the network in this store has a secret key. */
export const isSealed = (store: Store): Promise<boolean> =>
  store.transaction('read', async (tx) => (await secretKeyNameIn(tx)) !== undefined);
