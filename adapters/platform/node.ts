/**
 * The platform of a controller on Node.
 * @module overlay-controller/platform/node
 */
import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { argon2idHasher, type DeriveArgon2id, type Platform, type Random, webPlatform } from '../../src/adapter-kit.ts';
import { nodeOutbound } from './node-outbound.ts';
import type { ProxyVariables } from './proxies.ts';

export type { ProxyVariables } from './proxies.ts';
export { snapshotFolder } from './snapshot-folder.ts';

/** The parts of the platform to replace, and what `nodePlatform` itself needs. */
export interface NodePlatformOptions extends Partial<Platform> {
  /** The proxies for outbound requests, unless `outbound` is replaced. Default: `process.env` at the time of the call. `{}`: none. */
  readonly proxies?: ProxyVariables;
}

/**
 * The platform of Node.js and Bun, and the default there; it also runs on Deno if native code is allowed. Passwords are hashed by native code on the thread
 * pool, so that a login does not block other calls. Random bytes come from a pool, because ids are generated often. Outbound requests check the addresses to
 * which they connect, and go through the proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`). Everything else is as in `webPlatform`.
 *
 * ```ts
 * const platform = nodePlatform({ logger: pino() }); // or any `Logger`; for pino and bunyan, the arguments are swapped to the order that they expect
 * ```
 */
export const nodePlatform = (options: NodePlatformOptions = {}): Platform => {
  const { proxies = process.env, ...overrides } = options;
  const random = overrides.random ?? pooledRandom();
  return webPlatform({
    ...overrides,
    random,
    passwords: overrides.passwords ?? argon2idHasher(deriveNatively, random),
    outbound: overrides.outbound ?? nodeOutbound(proxies),
  });
};

// The defaults of the library are Argon2id and version 19. They cannot be passed explicitly, because its enums exist only as types.
// The import is lazy, so that a process that hashes no passwords loads no native code.
const deriveNatively: DeriveArgon2id = async (password, salt, { m, t, p, length }) => {
  const { hashRaw } = await import('@node-rs/argon2');
  return hashRaw(password, { salt, memoryCost: m, timeCost: t, parallelism: p, outputLen: length });
};

const POOL_SIZE = 4096;
/** Maximum size of a read from the pool. Larger reads bypass it, so that they do not drain it. */
const MAX_POOLED_READ = 256;

/** A random generator with a pool of bytes. A system call takes microseconds regardless of the size; with the pool, one call serves about a hundred ids. */
export const pooledRandom = (): Random => {
  const pool = new Uint8Array(POOL_SIZE);
  let position = POOL_SIZE;
  return {
    bytes: (length) => {
      if (length > MAX_POOLED_READ) return new Uint8Array(randomBytes(length));
      if (position + length > POOL_SIZE) {
        randomFillSync(pool);
        position = 0;
      }
      const bytes = pool.slice(position, position + length);
      // Erases the returned bytes from the pool, because they may be secret.
      pool.fill(0, position, position + length);
      position += length;
      return bytes;
    },
    uuid: () => randomUUID(),
  };
};
