import { SET_ADDRESS } from '../call/advertised-address.ts';
import { checkedSettings, type Settings } from '../call/settings.ts';
import type { MemberOptions } from '../domain/maintenance/controllers/membership.ts';
import type { Observe } from '../observability/events.ts';
import { createObserver, type Observer } from '../observability/observer.ts';
import { checkedOptions, requireStorage } from '../options.ts';
import type { Hooks } from '../pipeline/hooks.ts';
import type { HostRule } from '../pipeline/host-rule.ts';
import type { PkiOptions } from '../pki/pki.ts';
import { fittedLogger } from '../platform/fitted-logger.ts';
import type { Platform } from '../platform/platform.ts';
import type { SecretKeys } from '../platform/secrets.ts';
import type { SnapshotSink } from '../platform/snapshots.ts';
import { webPlatform } from '../platform/web.ts';
import type { StorageAdapter } from '../storage/port.ts';
import { type AdministratorOptions, type FirstCredentials, firstCredentials } from './bootstrap.ts';
import { type OidcOptions, type ProviderSetup, providerSetup } from './oidc.ts';
import { secretsOf } from './secret-key.ts';

export interface ControllerOptions extends PkiOptions {
  readonly storage: StorageAdapter;
  /** The first administrator of a new network; without effect where there is one. */
  readonly administrator?: AdministratorOptions;
  /** Clock, randomness, password hashing, logging. Default: those of the web standards. */
  readonly platform?: Platform;
  readonly settings?: Partial<Settings>;
  /**
   * Under which private keys and TOTP secrets are sealed in the store: 32 random bytes in base64, kept apart from the database. A list to replace a
   * key, the new one first: the key of the network seals, all of them unseal, and `controller.reseal()` makes the first one that of the network. Needed with
   * every store but one in memory, which has a key of its own.
   */
  readonly secretKey?: string | readonly string[];
  /** Where snapshots of the database are kept, e.g. `snapshotFolder('snapshots')` on Node. Default: nowhere, and none can be taken. */
  readonly snapshots?: SnapshotSink | undefined;
  /**
   * The host's own rule of who may do what, asked for every call of identities, of clients without a session, and of the host's own code with the option
   * `actor`. Default: administrators may do everything, other sessions what is for every session. `readOnly` is one.
   */
  readonly authorize?: HostRule | undefined;
  /** Where the host's own code comes in: before an operation, in the transaction of a change, after its commit. */
  readonly hooks?: Hooks | undefined;
  /** Makes the controller known under a name in `/controllers`, as one of several on one store. Default: it is not listed. */
  readonly member?: MemberOptions | undefined;
  /**
   * One or several observers, called for every call, authentication and denial, e.g. `createMetrics().observe`. Default: none, and nothing is measured.
   */
  readonly observe?: Observe | readonly Observe[] | undefined;
  /**
   * Enables the OpenID provider below `/oidc`, whose access tokens are sessions, or configures it. Default false. When enabled, `/version` has the
   * capability `OIDC_AUTH`, by which clients find it.
   */
  readonly oidc?: boolean | OidcOptions | undefined;
}

/** The options of a controller, checked, with the default of each that was left out. */
export interface Opening {
  readonly storage: StorageAdapter;
  readonly platform: Platform;
  readonly settings: Settings;
  readonly secrets: SecretKeys;
  /** Credentials of the first administrator of a new network. */
  readonly credentials: FirstCredentials;
  readonly pki: PkiOptions;
  readonly snapshots: SnapshotSink | undefined;
  readonly member: MemberOptions | undefined;
  readonly observer: Observer | undefined;
  /** True if the host has set `settings.address`. */
  readonly isAddressSet: boolean;
  readonly authorize: HostRule | undefined;
  readonly hooks: Hooks;
  readonly provider: ProviderSetup | undefined;
}

/** @throws TypeError for an unknown option, a missing storage, and for settings, credentials or a secret key out of bounds */
export const openingOf = async (options: ControllerOptions): Promise<Opening> => {
  const {
    storage,
    administrator = {},
    platform: givenPlatform = webPlatform(),
    settings: given = {},
    secretKey,
    snapshots,
    member,
    observe,
    authorize,
    hooks = {},
    oidc,
    ...pki
  } = checkedOptions('ManagementController.open', options, OPTIONS);
  requireStorage('ManagementController.open', storage);
  // A platform that the host assembled itself may contain a logger as it is.
  const { clock, random, passwords, outbound } = givenPlatform;
  const platform: Platform = { clock, random, passwords, outbound, logger: fittedLogger(givenPlatform.logger) };
  checkedOptions("the option 'administrator' of ManagementController.open", administrator, { username: true, password: true, name: true });
  if ([observe ?? []].flat().some((one) => typeof one !== 'function'))
    throw new TypeError("the option 'observe' of ManagementController.open must be a function, or a list of functions");
  if (member) checkedOptions("the option 'member' of ManagementController.open", member, { name: true, ctrlAddress: true });
  checkedOptions("the option 'hooks' of ManagementController.open", hooks, { before: true, inTransaction: true, afterCommit: true });
  if (typeof pki.pki === 'object') checkedOptions("the option 'pki' of ManagementController.open", pki.pki, SIGNER_OPTIONS);
  const settings = checkedSettings(given);
  const isAddressSet = given.address !== undefined;
  if (!isAddressSet)
    platform.logger.warn(
      `settings.address is not set: answers name ${settings.address}, which only this machine can reach, and enrollment tokens cannot be issued; ${SET_ADDRESS}`,
    );
  const credentials = firstCredentials(platform, administrator);
  const secrets = await secretsOf(secretKey, storage, platform.random);
  const observer = createObserver(observe, platform);
  const provider = providerSetup(oidc);
  return { storage, platform, settings, secrets, credentials, pki, snapshots, member, authorize, hooks, observer, isAddressSet, provider };
};

const SIGNER_OPTIONS = { certificates: true, anchors: true, key: true, trustDomain: true } as const;

/** The options that hold for the tenants of one host alike. */
export const COMMON_OPTIONS = {
  platform: true,
  settings: true,
  snapshots: true,
  member: true,
  observe: true,
  authorize: true,
  hooks: true,
  oidc: true,
  pki: true,
  serverCertificate: true,
  bundle: true,
} as const;

const OPTIONS = { storage: true, administrator: true, secretKey: true, ...COMMON_OPTIONS } as const;
