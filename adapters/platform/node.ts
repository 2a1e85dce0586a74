/**
 * The surroundings of a controller on Node.
 * @module overlay-controller/platform/node
 */
import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { hashRaw } from '@node-rs/argon2';
import { argon2idHasher, type DeriveArgon2id, type Platform, type Random, webPlatform } from '../../src/adapter-kit.ts';
import { nodeOutbound } from './node-outbound.ts';

export { snapshotFolder } from './snapshot-folder.ts';

/**
 * The platform of Node.js (Bun and Deno run it too): passwords by native code on the thread pool, so that a login does not
 * hold up other calls, and random bytes from a pool, since ids are drawn all the time, and outbound requests that know
 * which addresses they connect to. All else is as in `webPlatform`.
 *
 * ```ts
 * const platform = nodePlatform({ logger: pino() }); // or any `Logger`; pino and bunyan are called in their own order
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

// Argon2id, version 19, is the library's default; its enumerations exist in types only.
const deriveNatively: DeriveArgon2id = (password, salt, { m, t, p, length }) =>
  hashRaw(password, { salt, memoryCost: m, timeCost: t, parallelism: p, outputLen: length });

const POOL_SIZE = 4096;
/** Larger reads go to the system directly, so that they do not drain the pool. */
const POOLED_READ = 256;

/** A read from the system costs some microseconds for any size; a pool shares that among a hundred ids. */
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
