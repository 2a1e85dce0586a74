import { createStamps } from './entities/stamps.ts';
import { type FormerAuthority, keptAuthority } from './opening/kept-authority.ts';
import { checkSecretKey, isSealed, secretsOf } from './opening/secret-key.ts';
import { checkedOptions, requireStorage } from './options.ts';
import { newServerCertificate } from './pki/authority.ts';
import type { KeyPair } from './pki/network-key.ts';
import type { Platform } from './platform/platform.ts';
import { webPlatform } from './platform/web.ts';
import type { StorageAdapter, Store } from './storage/port.ts';
import { storageSchema } from './storage/schema.ts';

/** The network whose authority to open. */
export interface NetworkAuthorityOptions {
  /** The store of the network. */
  readonly storage: StorageAdapter;
  /** As for `ManagementController.open`. */
  readonly secretKey?: string | readonly string[] | undefined;
  /** Default: `webPlatform()`. */
  readonly platform?: Platform | undefined;
  /**
   * An authority that was kept outside the store until now. It becomes the authority of a network that has none; otherwise its root is trusted in
   * addition to the network's own, so that certificates below it stay valid. Does nothing if its root already belongs to the network.
   */
  readonly former?: FormerAuthority | undefined;
}

/** The authority that a network keeps in its store: the same for all its controllers. */
export interface NetworkAuthority {
  /** PEM: the roots that clients of the network trust. The first one is the network's own; the others were taken over. */
  readonly roots: readonly string[];
  /** PEM (PKCS#8): the network key, which signs the network's JWTs and which its servers' certificates are for. */
  readonly key: string;
  /**
   * A certificate for a server of the network, valid for 365 days. It is for the network key, as clients verify JWTs by the certificate of the server
   * that they reach.
   * @param names DNS names and addresses of the server
   * @param root the one of `roots` that signs. Default: the first.
   * @throws TypeError for a root that is not one of `roots`
   */
  serverCertificate(names: readonly string[], root?: string): Promise<KeyPair>;
}

/**
 * Returns the authority that a network keeps in its store, and creates it if there is none. For hosts whose servers use certificates below the
 * network's own root. A controller that is opened on the store without `pki` signs with the same authority.
 *
 * ```ts
 * const authority = await networkAuthority({ storage, secretKey });
 * const certificate = await authority.serverCertificate(['controller.example.org']);
 * const controller = await ManagementController.open({ storage, secretKey, settings, serverCertificate: () => certificate });
 * ```
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter; TypeError for a missing or wrong secret key, and for an inconsistent
 * `former`
 */
export const networkAuthority = async (options: NetworkAuthorityOptions): Promise<NetworkAuthority> => {
  const { storage, secretKey, platform = webPlatform(), former } = checkedOptions('networkAuthority', options, OPTIONS);
  const { clock, random } = platform;
  requireStorage('networkAuthority', storage);
  const secrets = await secretsOf(secretKey, storage, random);
  const { roots, networkKey } = await within(storage, async (store) => {
    // These few writes must not expire older changes.
    const bounds = { changesKept: Number.POSITIVE_INFINITY, changeBytesKept: Number.POSITIVE_INFINITY };
    const context = { actor: 'system', requestId: 'open', random, stamp: createStamps(clock), keys: secrets, ...bounds };
    await checkSecretKey(store, secrets, context);
    return keptAuthority(store, secrets, clock, context, former);
  });
  return {
    roots: roots.map(({ cert }) => cert),
    key: networkKey.key,
    serverCertificate: async (names, root = roots[0]?.cert) => {
      const signing = roots.find(({ cert }) => cert === root);
      if (!signing) throw new TypeError('the root must be one of those of the network');
      return newServerCertificate(signing, names, { now: clock.now(), random, like: networkKey });
    },
  };
};

const OPTIONS = { storage: true, secretKey: true, platform: true, former: true } as const;

/**
 * True if the network in the store has a secret key: it opens with that one only.
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter
 */
export const hasSecretKey = (storage: StorageAdapter): Promise<boolean> => within(storage, isSealed);

const within = async <T>(storage: StorageAdapter, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await storage.open(storageSchema);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};
