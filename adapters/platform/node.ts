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

/** Replacements for parts of the platform, and options of `nodePlatform` itself. */
export interface NodePlatformOptions extends Partial<Platform> {
  /** The proxies for outbound requests, unless `outbound` is replaced. `{}` for none. Default: `process.env` at the time of the call. */
  readonly proxies?: ProxyVariables;
}

/**
 * The platform for Node.js and Bun, and the default there. It also runs on Deno if native code is allowed. Passwords are hashed by native
 * code on the thread pool, so that a login does not block other calls. Random bytes come from a pool, because ids are generated often.
 * Outbound requests check the addresses to which they connect, and use the proxies of the environment (`HTTPS_PROXY`, `HTTP_PROXY`,
 * `NO_PROXY`). Everything else is as in `webPlatform`.
 *
 * ```ts
 * // Any `Logger`. For pino and bunyan, the arguments are swapped.
 * const platform = nodePlatform({ logger: pino() });
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

/** Bytes. */
const POOL_SIZE = 4096;
/** Maximum size of a read from the pool, in bytes. Larger reads bypass the pool, so that they do not drain it. */
const MAX_POOLED_READ = 256;

/**
 * Creates a random generator with a pool of bytes. A system call takes microseconds regardless of the size; with the pool, one system call
 * serves about a hundred ids.
 */
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
