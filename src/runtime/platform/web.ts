import { argon2idAsync } from '@noble/hashes/argon2.js';
import { checkedOptions } from '../../contract/options.ts';
import { systemClock } from './clock.ts';
import { adaptLogger, consoleLogger } from './logger.ts';
import { createOutbound, fetchTransport } from './outbound.ts';
import { argon2idHasher, type DeriveArgon2id } from './password-hasher.ts';
import type { Platform, Random } from './platform.ts';

/**
 * The platform for any web-standard runtime, and the default if the package is resolved without the condition `node`, as in workers and
 * browsers. Passwords are hashed in JavaScript, which is portable but several times slower than native code; hashing yields every 10 ms,
 * but still occupies the thread. `nodePlatform()` hashes off the event loop. Outbound requests use `fetch`, which does not reveal the
 * addresses to which a host name resolves: see `fetchTransport`.
 *
 * ```ts
 * const platform = webPlatform({ clock: { now: () => 0 } });
 * ```
 */
export const webPlatform = (overrides: Partial<Platform> = {}): Platform => {
  checkedOptions('the platform', overrides, { clock: true, random: true, passwords: true, logger: true, outbound: true });
  const random = overrides.random ?? webRandom;
  const { clock = systemClock } = overrides;
  return Object.freeze({
    clock,
    random,
    passwords: overrides.passwords ?? argon2idHasher(deriveInJavaScript, random),
    logger: overrides.logger ? adaptLogger(overrides.logger) : consoleLogger(() => clock.now()),
    outbound: overrides.outbound ?? createOutbound(fetchTransport),
  });
};

/** Maximum number of bytes per call of `getRandomValues` (Web Cryptography API). */
const MAX_RANDOM_BYTES = 65536;

export const webRandom: Random = Object.freeze({
  bytes: (length: number) => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += MAX_RANDOM_BYTES) crypto.getRandomValues(bytes.subarray(at, at + MAX_RANDOM_BYTES));
    return bytes;
  },
  uuid: () => crypto.randomUUID(),
});

const deriveInJavaScript: DeriveArgon2id = (password, salt, { m, t, p, length }) =>
  argon2idAsync(password, salt, { m, t, p, dkLen: length });
