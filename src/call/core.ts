import type { Surface } from '../api/kit/surface.ts';
import type { RecentChanges } from '../changes/recent.ts';
import type { Pki } from '../pki/pki.ts';
import type { Platform } from '../platform/platform.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { SnapshotSink } from '../platform/snapshots.ts';
import type { Connections } from '../presence/connections.ts';
import type { Store } from '../storage/port.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import type { Activity } from './activity.ts';
import type { Background } from './background.ts';
import type { Gate } from './gate.ts';
import type { PasswordChecks } from './password-checks.ts';
import type { Settings } from './settings.ts';

/** What one controller is made of, shared by all its calls. */
export interface Core {
  readonly store: Store;
  readonly platform: Platform;
  readonly settings: Settings;
  /** For what must be stored and read again, and by nobody else. */
  readonly secrets: Secrets;
  /** What signs certificates and JWTs. */
  readonly pki: Pki;
  /** The JWT by which clients can join the network. */
  networkJwt(): Promise<string>;
  readonly passwordChecks: PasswordChecks;
  /** Checks the tokens of external signers. */
  readonly tokens: TokenVerifier;
  /** Through which the work of enrolling goes: anybody may ask for it. */
  readonly enrollments: Gate;
  /** The descriptions of the APIs, as JSON text. */
  readonly documents: { swagger(surface: Surface): string; openapi(): string };
  /** The routers that are connected to this controller. */
  readonly presence: Connections;
  /** What clients are told of that ask whether their services changed. */
  readonly recentChanges: RecentChanges;
  readonly background: Background;
  /** When sessions were last active. */
  readonly activity: Activity;
  /** Goes on in the background with what changes left to be done about sessions. */
  reviewSessions(): void;
  /** Where snapshots are kept; undefined when the host has given no place. */
  readonly snapshots: SnapshotSink | undefined;
  /** The time of a write, see `createStamps`. ISO text. */
  stamp(): string;
  /** When this controller was opened, ISO text. */
  readonly startedAt: string;
}
