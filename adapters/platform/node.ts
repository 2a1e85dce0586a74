/**
 * The platform of a controller on Node.
 * @module overlay-controller/platform/node
 */
import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { argon2idHasher, type DeriveArgon2id, type Platform, type Random, webPlatform } from '../../src/adapter-kit.ts';
import { nodeOutbound } from './node-outbound.ts';

export { snapshotFolder } from './snapshot-folder.ts';

/**
 * The platform of Node.js and Bun, and the default there; it also runs on Deno, if that allows it native code. Passwords are hashed by native code on the thread pool, so that a login does
 * not block other calls. Random bytes come from a pool, because ids are generated often. Outbound requests check the addresses that they connect to. Everything
 * else is as in `webPlatform`.
 *
 * ```ts
 * const platform = nodePlatform({ logger: pino() }); // or any `Logger`; pino and bunyan get their arguments in the order they expect
 * ```
 */
export const nodePlatform = (overrides: Partial<Platform> = {}): Platform => {
  const random = overrides.random ?? pooledRandom();
  return webPlatform({
    ...overrides,
    random,
    passwords: overrides.passwords ?? argon2idHasher(deriveNatively, random),
    outbound: overrides.outbound ?? nodeOutbound(),
  });
};

// The library defaults to Argon2id, version 19. Its enums exist only as types, so they cannot be passed.
// Imported with the first password, so that a process that hashes none loads no native code.
const deriveNatively: DeriveArgon2id = async (password, salt, { m, t, p, length }) => {
  const { hashRaw } = await import('@node-rs/argon2');
  return hashRaw(password, { salt, memoryCost: m, timeCost: t, parallelism: p, outputLen: length });
};

const POOL_SIZE = 4096;
/** Larger reads bypass the pool, so that they do not drain it. */
const POOLED_READ = 256;

/** A pool of random bytes. A system call takes microseconds regardless of the size; with the pool, one call serves about a hundred ids. */
export const pooledRandom = (): Random => {
  const pool = new Uint8Array(POOL_SIZE);
  let at = POOL_SIZE;
  return {
    bytes: (length) => {
      if (length > POOLED_READ) return new Uint8Array(randomBytes(length));
      if (at + length > POOL_SIZE) {
        randomFillSync(pool);
        at = 0;
      }
      const bytes = pool.slice(at, at + length);
      // Returned bytes are erased from the pool: they may be secret.
      pool.fill(0, at, at + length);
      at += length;
      return bytes;
    },
    uuid: () => randomUUID(),
  };
};
