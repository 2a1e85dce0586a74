import type { Outbound } from './outbound.ts';

/** `Uint8Array<ArrayBuffer>`: bytes in a buffer that is not shared. Written so that it also compiles with TypeScript before 5.7. */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** Ports to the environment. `webPlatform()` has defaults that run on any web-standard runtime. */
export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly passwords: PasswordHasher;
  readonly logger: Logger;
  readonly outbound: Outbound;
}

/** The current time, and timers. Tests can pass a clock that they advance themselves. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Monotonic milliseconds, for durations. Default: `now`. */
  monotonic?(): number;
  /**
   * Runs `task` once, after a delay, unless the returned function is called first. It does not keep the process alive.
   * Default: a timer of the runtime, independent of `now`.
   */
  after?(milliseconds: number, task: () => void): () => void;
}

/** The source of ids, tokens and keys. */
export interface Random {
  /** Returns cryptographically strong random bytes. */
  bytes(length: number): Uint8Array;
  /** Returns a version 4 UUID (RFC 9562). */
  uuid(): string;
}

/** Hashes passwords for storage, and verifies them. */
export interface PasswordHasher {
  /** Returns a self-describing hash (PHC string format) with its own random salt. Runs off the event loop if the platform can. */
  hash(password: string): Promise<string>;
  /** Compares in constant time. Resolves to false for a hash in an unknown format. */
  verify(password: string, hash: string): Promise<boolean>;
  /** True if a hash was made with weaker parameters than the current ones. */
  isOutdated(hash: string): boolean;
}

/**
 * Logs internal information that callers must not receive. Details contain no secrets. Loggers of pino, bunyan and winston, and the console
 * can be passed unchanged: each is called with the arguments that it expects.
 */
export interface Logger {
  /** A failure that requires an operator. */
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** A failure from which the controller recovers. */
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** Useful information about normal operation. */
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** The destination of snapshots. Configured by the host; a request for a snapshot cannot influence it. */
export interface SnapshotSink {
  /**
   * Saves the parts of a snapshot, one after another, under a unique name of letters, digits and hyphens. Resolves once the snapshot is
   * durable. If it rejects, or `parts` throws, it must not leave anything that could be mistaken for a snapshot. A read transaction is open
   * until it resolves, so it must not wait for calls to the controller.
   */
  save(name: string, parts: AsyncIterable<string>): Promise<void>;
}

/** Stores the backups of one network. Names begin with the time, `YYYYMMDD-HHMMSS` in UTC, and are otherwise as those of snapshots. */
export interface BackupStore extends SnapshotSink {
  /** Lists the names of all complete backups, in any order. */
  list(): Promise<readonly string[]>;
  /** Deletes a backup. Resolves if it does not exist. */
  delete(name: string): Promise<void>;
}
