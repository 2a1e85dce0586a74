import type { Outbound } from './outbound.ts';

/** What the core needs of its surroundings, as ports. `webPlatform()` has defaults that run on any web-standard runtime. */
export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly passwords: PasswordHasher;
  readonly logger: Logger;
  readonly outbound: Outbound;
}

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

export interface Random {
  /** Cryptographically strong. */
  bytes(length: number): Uint8Array;
  uuid(): string;
}

export interface PasswordHasher {
  /** A self-describing (PHC) hash with its own random salt. Runs off the event loop where the platform allows. */
  hash(password: string): Promise<string>;
  /** Compares in constant time. False for a hash that it does not know. */
  verify(password: string, hash: string): Promise<boolean>;
  /** Whether a hash was made with weaker parameters than today's. */
  isOutdated(hash: string): boolean;
}

export interface Logger {
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
}
