import type { Surface } from '../api/surfaces/surface.ts';
import type { RecentChanges } from '../changes/recent.ts';
import type { Semaphore } from '../concurrency/semaphore.ts';
import type { Background } from '../jobs/background.ts';
import type { Pki } from '../pki/pki.ts';
import type { Platform } from '../platform/platform.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { SnapshotSink } from '../platform/snapshots.ts';
import type { Connections } from '../presence/connections.ts';
import type { Store } from '../storage/port.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import type { Activity } from './activity.ts';
import type { Behaviours } from './behaviour.ts';
import type { PasswordChecks } from './password-checks.ts';
import type { Settings } from './settings.ts';

/** What one controller is made of, shared by all its calls. */
export interface Core extends Keys, Bounds, Live, Work {
  readonly store: Store;
  readonly platform: Platform;
  readonly settings: Settings;
  /** The time of a write, see `createStamps`. ISO text. */
  stamp(): string;
  /** When this controller was opened, ISO text. */
  readonly startedAt: string;
  /** What the kinds do that their field tables cannot say. */
  readonly behaviours: Behaviours;
  /** The descriptions of the APIs, as JSON text. */
  readonly documents: { swagger(surface: Surface): string; openapi(): string };
}

/** What it signs, seals and verifies with. */
interface Keys {
  /** For what must be stored and read again, and by nobody else. */
  readonly secrets: Secrets;
  /** What signs certificates and JWTs. */
  readonly pki: Pki;
  /** The JWT by which clients can join the network. */
  networkJwt(): Promise<string>;
  /** Checks the tokens of external signers. */
  readonly tokens: TokenVerifier;
}

/** What bounds the work that anybody may ask for. */
interface Bounds {
  readonly passwordChecks: PasswordChecks;
  /** Through which the work of enrolling goes. */
  readonly enrollments: Semaphore;
}

/** What it knows in memory, and the store does not, or not yet. */
interface Live {
  /** The routers that are connected to this controller. */
  readonly presence: Connections;
  /** What clients are told of that ask whether their services changed. */
  readonly recentChanges: RecentChanges;
  /** When sessions were last active. */
  readonly activity: Activity;
}

/** What goes on when a call has been answered. */
interface Work {
  readonly background: Background;
  /** Goes on in the background with what changes left to be done about sessions. */
  reviewSessions(): void;
  /** Where snapshots are kept; undefined when the host has given no place. */
  readonly snapshots: SnapshotSink | undefined;
}
