import { checkedOptions, requireStorage } from '../contract/options.ts';
import { type CertificateEnd, certificateEnds } from '../crypto/pki/certificate-ends.ts';
import type { KeyPair } from '../crypto/pki/network-key.ts';
import type { AdoptedAuthority } from '../operations/authority/adopted-authority.ts';
import { trustedUntil } from '../operations/authority/authority-changes.ts';
import {
  type AuthorityStore,
  certificatesInUse,
  type FormerAuthority,
  keptAuthority,
  rotateKeptAuthority,
} from '../operations/authority/kept-authority.ts';
import { adoptedServerUntil, newServer, serverIssuerOf, serverIssuers, serverNames } from '../operations/authority/server-issuers.ts';
import { type StoredAuthority, trustedRoots } from '../operations/authority/stored-authority.ts';
import type { Platform } from '../runtime/platform/platform.ts';
import { webPlatform } from '../runtime/platform/web.ts';
import { createStamps } from '../store/entities/stamps.ts';
import type { StorageAdapter } from '../store/storage/port.ts';
import { withStore } from '../store/storage/with-store.ts';
import { checkSecretKey, isSealed, secretsOf } from './opening/secret-key.ts';

/** Options of `networkAuthority`. */
export interface NetworkAuthorityOptions {
  /** The store of the network. */
  readonly storage: StorageAdapter;
  /** As for `ManagementController.open`. */
  readonly secretKey?: string | readonly string[] | undefined;
  /** Default: `webPlatform()`. */
  readonly platform?: Platform | undefined;
  /**
   * An authority that has been kept outside the store so far: with the key of its root, or adopted from another controller without it. It
   * becomes the authority of a network that has none yet; otherwise its roots are trusted in addition to those of the network, so that
   * certificates issued under them remain valid. Has no effect if its roots already belong to the network, or did so until a rotation
   * replaced them.
   */
  readonly former?: FormerAuthority | AdoptedAuthority | undefined;
}

/** The certificate authority that a network keeps in its store, shared by all its controllers. */
export interface NetworkAuthority {
  /** The roots that clients of the network trust, in PEM. Server certificates are issued below the first one, unless another is chosen. */
  readonly roots: readonly string[];
  /** The network key in PEM (PKCS#8). It signs the JWTs of the network, and the certificates of its servers are for this key. */
  readonly key: string;
  /** Of an adopted authority: the server certificate with its chain, as long as servers are to present it. */
  readonly adoptedServer: AdoptedServer | undefined;
  /** Of an adopted authority: further server certificates with their chains, for clients that ask for one of their names (SNI). */
  readonly alternatives: readonly KeyPair[];
  /** When the certificates end that do not renew themselves, earliest first. */
  readonly ends: readonly CertificateEnd[];
  /** True if the keys of all its roots are elsewhere, so that servers need certificates that end with a chain. */
  readonly isAdopted: boolean;
  /**
   * The certificate that issues server certificates below a root: the root itself, or that of the signer.
   * @param root one of `roots`
   * @returns PEM; undefined if none can be issued below it
   */
  issuerBelow(root: string): string | undefined;
  /**
   * Issues a certificate for a server of the network, valid for 365 days, followed by those between it and the root, if any. It is for the
   * network key, because clients verify JWTs with the certificate of the server to which they connect. That of an adopted network has the
   * names of the adopted server, too.
   * @param names DNS names and IP addresses of the server
   * @param root the root, one of `roots`. Default: the first below which certificates can be issued.
   * @throws TypeError if nothing can be issued below the root
   */
  serverCertificate(names: readonly string[], root?: string): Promise<KeyPair>;
}

/** The server certificate of an adopted authority. */
export interface AdoptedServer extends KeyPair {
  /** Servers present it until then. ms since 1970 */
  readonly until: number;
}

/**
 * Returns the authority that a network keeps in its store, after creating it if necessary. For hosts whose servers use certificates issued
 * by the network. A controller that is opened on the store without `pki` uses the same authority.
 *
 * ```ts
 * const authority = await networkAuthority({ storage, secretKey });
 * const certificate = await authority.serverCertificate(['controller.example.org']);
 * const controller = await ManagementController.open({ storage, secretKey, settings, serverCertificate: () => certificate });
 * ```
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter; TypeError if the secret key is missing or wrong, or `former` is
 * inconsistent
 */
export const networkAuthority = async (options: NetworkAuthorityOptions): Promise<NetworkAuthority> => {
  const { former, ...given } = checkedOptions('networkAuthority', options, OPTIONS);
  const [stored, issuing] = await inStore('networkAuthority', given, async (place) => (await keptAuthority(place, former)).stored());
  return authorityOf(stored, issuing);
};

/**
 * Replaces the authority that a network keeps in its store: a new root, and a signer below it. Clients and routers receive the new root at
 * once with every certificate that they get; the new signer signs 15 minutes later, when every controller and router knows it. Server
 * certificates stay below the old root for a year, in which clients renew theirs. When the last certificate below the old roots has ended,
 * each controller drops them and their signers, and logs it. The network key stays. One write carries out each step, so an interruption
 * leaves the authority of before or of after it.
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter; TypeError if the secret key is missing or wrong, or a rotation
 * has begun less than 15 minutes ago
 */
export const rotateAuthority = async (options: Omit<NetworkAuthorityOptions, 'former'>): Promise<AuthorityRotation> => {
  const given = checkedOptions('rotateAuthority', options, ROTATION_OPTIONS);
  const [stored] = await inStore('rotateAuthority', given, rotateKeptAuthority);
  const { next } = stored;
  if (!next?.root) throw new TypeError('the network had no authority: it has a new one now');
  return { root: next.root.cert, signsFrom: new Date(next.from), trustedUntil: new Date(trustedUntil(next)) };
};

/** A rotation that has begun. */
export interface AuthorityRotation {
  /** The new root, in PEM. */
  readonly root: string;
  /** When the new signer begins to sign. */
  readonly signsFrom: Date;
  /** Until when the old roots and signers are trusted. */
  readonly trustedUntil: Date;
}

/**
 * Works on the authority in a store.
 * @returns the result, and how to issue certificates
 */
const inStore = async <T>(
  name: string,
  { storage, secretKey, platform = webPlatform() }: Omit<NetworkAuthorityOptions, 'former'>,
  work: (place: AuthorityStore) => Promise<T>,
): Promise<readonly [T, IssueContext]> => {
  const { clock, random } = platform;
  requireStorage(name, storage);
  const secrets = await secretsOf(secretKey, storage, random);
  const result = await withStore(storage, async (store) => {
    // No limits, so that these few writes do not drop older changes.
    const logLimits = { changesKept: Number.POSITIVE_INFINITY, changeBytesKept: Number.POSITIVE_INFINITY };
    const context = { actor: 'system', requestId: 'open', random, stamp: createStamps(clock), keys: secrets, ...logLimits };
    await checkSecretKey(store, secrets, context);
    return work({ store, secrets, clock, context });
  });
  return [result, { random, now: clock.now }];
};

/** Issues certificates at any later time. */
interface IssueContext {
  readonly random: Platform['random'];
  readonly now: () => number;
}

const authorityOf = async (stored: StoredAuthority, { random, now }: IssueContext): Promise<NetworkAuthority> => {
  const { server, alternatives = [] } = stored;
  const issuers = serverIssuers(stored);
  const issuerOf = (root: string) => issuers.find((one) => one.root === root);
  const first = (await serverIssuerOf(stored, now()).catch(() => undefined))?.root;
  const until = await adoptedServerUntil(stored);
  const adopted = await serverNames(stored);
  return {
    roots: [...new Set([...(first === undefined ? [] : [first]), ...trustedRoots(stored)])],
    key: server.key,
    adoptedServer: until === undefined ? undefined : { ...server, until },
    alternatives,
    ends: await certificateEnds(certificatesInUse(stored)),
    isAdopted: issuers.every(({ root, issuer }) => issuer.cert !== root),
    issuerBelow: (root) => issuerOf(root)?.issuer.cert,
    serverCertificate: async (names, root) => {
      const issuer = root === undefined ? await serverIssuerOf(stored, now()) : issuerOf(root);
      if (!issuer)
        throw new TypeError(
          trustedRoots(stored).includes(root ?? '')
            ? 'the keys below this root are not in the store: choose another one'
            : 'the root must be one of those of the network',
        );
      const all = [...new Set([...names, ...adopted.names])];
      return newServer(issuer, all, { now: now(), random, like: server, uris: adopted.uris });
    },
  };
};

const ROTATION_OPTIONS = { storage: true, secretKey: true, platform: true } as const;
const OPTIONS = { ...ROTATION_OPTIONS, former: true } as const;

/**
 * True if the network in the store has a secret key, without which it cannot be opened.
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter
 */
export const hasSecretKey = (storage: StorageAdapter): Promise<boolean> => withStore(storage, isSealed);
