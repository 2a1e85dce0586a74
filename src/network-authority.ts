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

/** Options of `networkAuthority`. */
export interface NetworkAuthorityOptions {
  /** The store of the network. */
  readonly storage: StorageAdapter;
  /** As for `ManagementController.open`. */
  readonly secretKey?: string | readonly string[] | undefined;
  /** Default: `webPlatform()`. */
  readonly platform?: Platform | undefined;
  /**
   * An authority that has been kept outside the store so far. It becomes the authority of a network that has none yet; otherwise its root is trusted in
   * addition to that of the network, so that certificates issued under it remain valid. Has no effect if its root already belongs to the network.
   */
  readonly former?: FormerAuthority | undefined;
}

/** The certificate authority that a network keeps in its store, shared by all its controllers. */
export interface NetworkAuthority {
  /** The roots that clients of the network trust, in PEM. The first one is that of the network; the others come from `former`. */
  readonly roots: readonly string[];
  /** The network key in PEM (PKCS#8). It signs the JWTs of the network, and the certificates of its servers are for this key. */
  readonly key: string;
  /**
   * Issues a certificate for a server of the network, valid for 365 days. It is for the network key, because clients verify JWTs with the certificate of the
   * server to which they connect.
   * @param names DNS names and IP addresses of the server
   * @param root the issuing root, one of `roots`. Default: the first.
   * @throws TypeError if the root is not one of `roots`
   */
  serverCertificate(names: readonly string[], root?: string): Promise<KeyPair>;
}

/**
 * Returns the authority that a network keeps in its store, after creating it if necessary. For hosts whose servers use certificates issued by the network. A
 * controller that is opened on the store without `pki` uses the same authority.
 *
 * ```ts
 * const authority = await networkAuthority({ storage, secretKey });
 * const certificate = await authority.serverCertificate(['controller.example.org']);
 * const controller = await ManagementController.open({ storage, secretKey, settings, serverCertificate: () => certificate });
 * ```
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter; TypeError if the secret key is missing or wrong, or `former` is inconsistent
 */
export const networkAuthority = async (options: NetworkAuthorityOptions): Promise<NetworkAuthority> => {
  const { storage, secretKey, platform = webPlatform(), former } = checkedOptions('networkAuthority', options, OPTIONS);
  const { clock, random } = platform;
  requireStorage('networkAuthority', storage);
  const secrets = await secretsOf(secretKey, storage, random);
  const { roots, networkKey } = await withStore(storage, async (store) => {
    // No limits, so that these few writes do not drop older changes.
    const logLimits = { changesKept: Number.POSITIVE_INFINITY, changeBytesKept: Number.POSITIVE_INFINITY };
    const context = { actor: 'system', requestId: 'open', random, stamp: createStamps(clock), keys: secrets, ...logLimits };
    await checkSecretKey(store, secrets, context);
    return keptAuthority(store, secrets, clock, context, former);
  });
  return {
    roots: roots.map(({ cert }) => cert),
    key: networkKey.key,
    serverCertificate: async (names, root = roots[0]?.cert) => {
      const issuer = roots.find(({ cert }) => cert === root);
      if (!issuer) throw new TypeError('the root must be one of those of the network');
      return newServerCertificate(issuer, names, { now: clock.now(), random, like: networkKey });
    },
  };
};

const OPTIONS = { storage: true, secretKey: true, platform: true, former: true } as const;

/**
 * True if the network in the store has a secret key, without which it cannot be opened.
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter
 */
export const hasSecretKey = (storage: StorageAdapter): Promise<boolean> => withStore(storage, isSealed);

const withStore = async <T>(storage: StorageAdapter, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await storage.open(storageSchema);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};
