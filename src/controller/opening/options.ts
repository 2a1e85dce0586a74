import { addressFault, SET_ADDRESS } from '../../call/advertised-address.ts';
import type { Hooks } from '../../call/pipeline/hooks.ts';
import type { HostRule } from '../../call/pipeline/host-rule.ts';
import { checkedSettings, type Settings } from '../../call/settings.ts';
import { checkedUsageQuotas, type UsageQuota } from '../../call/usage-quotas.ts';
import { checkedOptions, requireStorage } from '../../contract/options.ts';
import { CONTROLLER_ID, ROUTER_ADDRESS } from '../../contract/wire/known-controller.ts';
import type { PkiOptions } from '../../crypto/pki/pki.ts';
import type { MemberOptions } from '../../operations/controllers/membership.ts';
import { type BackupOptions, type BackupPlan, backupPlan } from '../../operations/database/backups.ts';
import type { Observe } from '../../runtime/observability/events.ts';
import { createObserver, type Observer } from '../../runtime/observability/observer.ts';
import { adaptLogger } from '../../runtime/platform/logger.ts';
import type { Logger, Platform, SnapshotSink } from '../../runtime/platform/platform.ts';
import type { SecretKeys } from '../../runtime/platform/secrets.ts';
import { webPlatform } from '../../runtime/platform/web.ts';
import type { StorageAdapter } from '../../store/storage/port.ts';
import { type AdministratorOptions, type FirstCredentials, firstCredentials } from './bootstrap.ts';
import { type OidcOptions, type ProviderSetup, providerSetup } from './oidc.ts';
import { secretsOf } from './secret-key.ts';

export interface ControllerOptions extends PkiOptions {
  readonly storage: StorageAdapter;
  /** The first administrator of a new network; ignored if the network has one. */
  readonly administrator?: AdministratorOptions;
  /**
   * Clock, randomness, password hashing, logging, outbound requests. Default: `nodePlatform()` on Node and Bun, `webPlatform()` elsewhere.
   */
  readonly platform?: Platform;
  readonly settings?: Partial<Settings>;
  /**
   * The key that seals private keys and TOTP secrets in the store: 32 random bytes in base64, stored apart from the database. To replace a
   * key, pass a list with the new key first: the secret key of the network seals, all keys unseal, and `controller.reseal()` makes the
   * first one the secret key of the network. Required with every store except one in memory, which generates its own key.
   */
  readonly secretKey?: string | readonly string[];
  /** The sink for snapshots of the database, e.g. `snapshotFolder('snapshots')` on Node. Default: none; snapshots cannot be taken then. */
  readonly snapshots?: SnapshotSink | undefined;
  /** Takes backups on a schedule. Default: none. */
  readonly backups?: BackupOptions | undefined;
  /**
   * The host's authorization rule, evaluated for every call by identities, by clients without a session, and by the host's code with the
   * option `actor`. Default: administrators may do everything, other sessions may do what every session may do. `readOnly` is such a rule.
   */
  readonly authorize?: HostRule | undefined;
  /** Functions of the host, called before an operation, in the transaction of a change, and after its commit. */
  readonly hooks?: Hooks | undefined;
  /**
   * Quotas for bytes of each identity or each service in a day or a month. When one is exceeded, the network event `quota` is emitted, and
   * the hook `quotaExceeded` is called; nothing is cut off. A sum counts from when a quota of its kind is set. Default: none.
   */
  readonly usageQuotas?: readonly UsageQuota[] | undefined;
  /** Lists the controller by name in `/controllers`, as one of several on one store. Default: it is not listed. */
  readonly member?: MemberOptions | undefined;
  /**
   * The address at which routers reach the controller, e.g. `tls:overlay.example.com:6262`. Enrollment tokens and the controllers
   * themselves announce it to routers. Default: host and port of `settings.address`. `member.ctrlAddress` takes precedence.
   */
  readonly ctrlAddress?: string | undefined;
  /**
   * The id by which routers know the controller: at most 255 characters, unique in the network. A controller that replaces another one must
   * have its id, because running routers may ignore the sessions and services of a controller with a different id. Default: in an adopted
   * network, the recorded id of the controller at this address; otherwise `ctrlAddress`. `member.name` takes precedence.
   */
  readonly controllerId?: string | undefined;
  /**
   * One or more observers, notified of every call, authentication and denial, e.g. `createMetrics().observe`. Default: none, and nothing is
   * measured.
   */
  readonly observe?: Observe | readonly Observe[] | undefined;
  /**
   * Enables or configures the OpenID provider below `/oidc`, whose access tokens are valid as sessions. Default false. If it is enabled,
   * `/version` lists the capabilities `OIDC_AUTH` and `OIDC_AUTH_WITH_CSR`, by which clients detect it.
   */
  readonly oidc?: boolean | OidcOptions | undefined;
}

/** The checked options of a controller, with defaults. */
export interface Opening {
  readonly storage: StorageAdapter;
  readonly platform: Platform;
  readonly settings: Settings;
  readonly secrets: SecretKeys;
  /** Credentials of the first administrator of a new network. */
  readonly credentials: FirstCredentials;
  readonly pki: PkiOptions;
  readonly snapshots: SnapshotSink | undefined;
  readonly backups: BackupPlan | undefined;
  readonly member: MemberOptions | undefined;
  readonly ctrlAddress: string | undefined;
  readonly controllerId: string | undefined;
  readonly observer: Observer | undefined;
  /** True if the host has set `settings.address`. */
  readonly isAddressSet: boolean;
  readonly authorize: HostRule | undefined;
  readonly hooks: Hooks;
  readonly usageQuotas: readonly UsageQuota[];
  readonly provider: ProviderSetup | undefined;
}

/** @throws TypeError for an unknown option, a missing storage, and for invalid settings, credentials or secret keys */
export const openingOf = async (options: ControllerOptions): Promise<Opening> => {
  const {
    storage,
    administrator = {},
    platform: givenPlatform = webPlatform(),
    settings: given = {},
    secretKey,
    snapshots,
    backups,
    member,
    ctrlAddress,
    controllerId,
    observe,
    authorize,
    hooks = {},
    usageQuotas = [],
    oidc,
    ...pki
  } = checkedOptions('ManagementController.open', options, OPTIONS);
  requireStorage('ManagementController.open', storage);
  // A platform that the host has assembled may contain a plain logger.
  const { clock, random, passwords, outbound } = givenPlatform;
  const platform: Platform = { clock, random, passwords, outbound, logger: adaptLogger(givenPlatform.logger) };
  checkMembers(options);
  const settings = checkedSettings(given);
  const isAddressSet = given.address !== undefined;
  warnOfAddress(platform.logger, { settings, isAddressSet });
  const credentials = firstCredentials(platform, administrator);
  const secrets = await secretsOf(secretKey, storage, platform.random);
  const observer = createObserver(observe, platform);
  const provider = providerSetup(oidc);
  return {
    storage,
    platform,
    settings,
    secrets,
    credentials,
    pki,
    snapshots,
    backups: backups && backupPlan(inOpen('backups'), backups),
    member,
    ctrlAddress,
    controllerId,
    authorize,
    hooks,
    usageQuotas: checkedUsageQuotas(inOpen('usageQuotas'), usageQuotas, settings),
    observer,
    isAddressSet,
    provider,
  };
};

const inOpen = (option: string): string => `the option '${option}' of ManagementController.open`;

/** @throws TypeError for an unknown member of an option, or an option of the wrong form */
const checkMembers = ({ administrator = {}, observe, ctrlAddress, controllerId, member, hooks = {}, pki }: ControllerOptions): void => {
  checkedOptions(inOpen('administrator'), administrator, { username: true, password: true, name: true });
  if ([observe ?? []].flat().some((observer) => typeof observer !== 'function'))
    throw new TypeError(`${inOpen('observe')} must be a function, or a list of functions`);
  if (ctrlAddress !== undefined && !ROUTER_ADDRESS.test(ctrlAddress))
    throw new TypeError(`${inOpen('ctrlAddress')} must be an address such as tls:overlay.example.com:6262`);
  if (controllerId !== undefined && !CONTROLLER_ID.test(controllerId))
    throw new TypeError(`${inOpen('controllerId')} must be a text of 1 to 255 characters, without control characters`);
  if (member) checkedOptions(inOpen('member'), member, { name: true, ctrlAddress: true });
  checkedOptions(inOpen('hooks'), hooks, { before: true, inTransaction: true, afterCommit: true, quotaExceeded: true });
  if (typeof pki === 'object') checkedOptions(inOpen('pki'), pki, SIGNER_OPTIONS);
};

/** Warns if clients or routers cannot use the address of the controller. */
const warnOfAddress = (logger: Logger, { settings, isAddressSet }: Pick<Opening, 'settings' | 'isAddressSet'>): void => {
  const fault = addressFault({ settings, isAddressSet });
  if (fault !== undefined)
    logger.warn(
      isAddressSet
        ? fault
        : `settings.address is not set: answers name ${settings.address}, which only this machine can reach, and enrollment tokens cannot be issued; ${SET_ADDRESS}`,
    );
};

const SIGNER_OPTIONS = { certificates: true, anchors: true, key: true, trustDomain: true } as const;

/** The options that all tenants of a host share. */
export const COMMON_OPTIONS = {
  platform: true,
  settings: true,
  snapshots: true,
  member: true,
  ctrlAddress: true,
  controllerId: true,
  observe: true,
  authorize: true,
  hooks: true,
  usageQuotas: true,
  oidc: true,
  pki: true,
  serverCertificate: true,
  bundle: true,
} as const;

const OPTIONS = { storage: true, administrator: true, secretKey: true, backups: true, ...COMMON_OPTIONS } as const;
