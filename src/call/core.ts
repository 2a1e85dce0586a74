import type { Health } from '../contract/api/controllers.ts';
import type { KindName } from '../contract/api/kind-names.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import type { Pki } from '../crypto/pki/pki.ts';
import type { TokenVerifier } from '../crypto/tokens/verifier.ts';
import type { Semaphore } from '../runtime/concurrency/semaphore.ts';
import type { NetworkEvents } from '../runtime/observability/network-events.ts';
import type { Platform, SnapshotSink } from '../runtime/platform/platform.ts';
import type { RepeatedLog } from '../runtime/platform/repeated-log.ts';
import type { SecretKeys } from '../runtime/platform/secrets.ts';
import type { Connections } from '../runtime/presence/connections.ts';
import type { ExpectedRouters } from '../runtime/presence/expected-routers.ts';
import type { ServedTraffic } from '../runtime/presence/traffic.ts';
import type { LogWatch } from '../store/changelog/watch.ts';
import type { RecentChanges } from '../store/entities/recent.ts';
import type { Background } from '../store/jobs/background.ts';
import type { ReadCache } from '../store/read-cache/read-cache.ts';
import type { Store } from '../store/storage/port.ts';
import type { Activity } from './activity.ts';
import type { LogShares } from './log-shares.ts';
import type { PasswordChecks } from './password-checks.ts';
import type { Provider } from './provider.ts';
import type { SecurityEvents } from './security-events.ts';
import type { Settings } from './settings.ts';
import type { UsageQuota } from './usage-quotas.ts';

/** The services of one controller, shared by all its calls. */
export interface Core extends Keys, UnauthenticatedWork, LiveState, BackgroundWork {
  readonly store: Store;
  readonly platform: Platform;
  readonly settings: Settings;
  /** True if the host has set `settings.address`. */
  readonly isAddressSet: boolean;
  /** The address at which routers reach this controller, `tls:host:port`; undefined if it is not known. */
  readonly ctrlAddress: string | undefined;
  /** The id that distinguishes this controller for routers. It survives restarts. */
  readonly controllerId: string;
  /** The time of a write, see `createStamps`. ISO text. */
  stamp(): string;
  /** When this controller was opened, ISO text. */
  readonly startedAt: string;
  /**
   * The behaviours of kinds, each for the rows of its kind (`controller/behaviours.ts`). Other kinds have only the rules of their fields.
   */
  readonly behaviours: { readonly [K in KindName]?: object };
  /** The API descriptions, as JSON text. `base` is the address below which the APIs are, or a path on the host that serves the text. */
  readonly documents: { swagger(surface: Surface, base: string): string; openapi(mounted: readonly Surface[], base: string): string };
}

/** Signing, sealing and verification. */
interface Keys {
  /** Seals secrets that must be recoverable, and unseals them. */
  readonly secrets: SecretKeys;
  /** Signs certificates and JWTs. */
  readonly pki: Pki;
  /** The JWT by which clients can join the network. */
  networkJwt(): Promise<string>;
  /** Checks the tokens of external signers. */
  readonly tokens: TokenVerifier;
  /** Logs why tokens are refused. */
  readonly tokenLog: RepeatedLog;
  /** Limits the requests to OpenID providers for their metadata: a delegate must not flood others through the controller. */
  readonly discoveries: Semaphore;
  /** The OpenID provider; undefined if it is off. */
  readonly provider: Provider | undefined;
}

/** Limits on the work that unauthenticated clients can cause. */
interface UnauthenticatedWork {
  readonly passwordChecks: PasswordChecks;
  /** Limits the number of concurrent enrollments. */
  readonly enrollments: Semaphore;
}

/** State in memory that is not stored, or not stored yet. */
interface LiveState {
  /** The routers that are connected, to this controller and to others on the store. */
  readonly presence: Connections;
  /** Waits for routers to reconnect after the start of this controller. */
  readonly expectedRouters: ExpectedRouters;
  /** The links and circuits of these routers, while routers are served. */
  readonly traffic: ServedTraffic;
  /** The events of the network, from their sources to those who follow them. */
  readonly networkEvents: NetworkEvents;
  /** The cache of earlier reads. */
  readonly readCache: ReadCache;
  /** The recent changes, for clients that poll for changes to their services. */
  readonly recentChanges: RecentChanges;
  /** Wakes the readers that follow the change log. */
  readonly logWatch: LogWatch;
  /** Limits how much identities without rights write to the change log. */
  readonly logShares: LogShares;
  /** Records attempts that were refused. */
  readonly securityEvents: SecurityEvents;
  /** The latest activity of sessions and API tokens. */
  readonly activity: Activity;
}

/** Work that is not part of a single call. */
interface BackgroundWork {
  readonly background: Background;
  /** Continues pending session reviews in the background. */
  reviewSessions(): void;
  /**
   * Reads which routers are connected to other controllers, unless this was read within the last second, and whether the authority has
   * changed, unless that was read within the last five minutes.
   * @returns a promise that resolves once this has been read and never rejects; undefined if nothing had to be read
   */
  catchUp(): Promise<void> | undefined;
  /**
   * Reads new changes from the change log, unless this was done within the last second. Needed by calls whose own reads bypass the cache,
   * so that rows which another release has left incomplete are completed first.
   * @returns as `catchUp`
   */
  followLog(): Promise<void> | undefined;
  /** The health of this controller. Never rejects. */
  health(): Promise<Health>;
  /** The quotas of the host for usage. */
  readonly usageQuotas: readonly UsageQuota[];
  /** Stores snapshots; undefined if the host has not configured it. */
  readonly snapshots: SnapshotSink | undefined;
}
