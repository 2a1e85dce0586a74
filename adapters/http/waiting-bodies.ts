import { BodyTooSlow } from '../../src/adapter-kit.ts';
import { collect } from './collect.ts';
import type { NodeIncoming } from './node-request.ts';

/**
 * Limits of incomplete bodies. Beyond them, the oldest is aborted with 408: legitimate bodies arrive quickly, and deliberately slow clients must not
 * block them.
 */
export interface BodyLimits {
  /** Maximum number of incomplete bodies. Default 1,000. */
  readonly maxWaitingBodies?: number;
  /** Maximum from one address. Default 100. Not applied to requests of trusted proxies, unless the host resolves the client's address. */
  readonly maxWaitingBodiesPerAddress?: number;
  /** Maximum number of bytes held for incomplete bodies. Default 64 MiB. */
  readonly maxWaitingBytes?: number;
  /** Minimum average rate of a body, in bytes per second. Default 1,000. */
  readonly minBodyBytesPerSecond?: number;
  /** Milliseconds before that rate is enforced. Default 3,000. */
  readonly bodyGraceMs?: number;
}

/** The names of `BodyLimits`, for checking options. */
export const BODY_LIMITS = {
  maxWaitingBodies: true,
  maxWaitingBodiesPerAddress: true,
  maxWaitingBytes: true,
  minBodyBytesPerSecond: true,
  bodyGraceMs: true,
} as const;

/** The incomplete bodies of a server. */
export interface WaitingBodies {
  /**
   * @param address of the client; undefined if only its proxy is known
   * @throws BodyTooSlow if it is aborted; BodyTooLarge, BodyIncomplete
   */
  receive(req: NodeIncoming, limit: number, address: string | undefined): Promise<Uint8Array>;
}

interface Waiting {
  readonly since: number;
  /** Bytes received. */
  bytes: number;
  cut(): void;
}

export const createWaitingBodies = ({
  maxWaitingBodies = 1000,
  maxWaitingBodiesPerAddress = 100,
  maxWaitingBytes = 64 * 1024 * 1024,
  minBodyBytesPerSecond = 1000,
  bodyGraceMs = 3000,
}: BodyLimits = {}): WaitingBodies => {
  /** Oldest first, as in the sets by address. */
  const all = new Set<Waiting>();
  const byAddress = new Map<string, Set<Waiting>>();
  let bytes = 0;
  let watch: NodeJS.Timeout | undefined;

  const cutSlow = (): void => {
    const now = performance.now();
    for (const waiting of all) {
      const milliseconds = now - waiting.since;
      if (milliseconds > bodyGraceMs && waiting.bytes < (milliseconds / 1000) * minBodyBytesPerSecond) waiting.cut();
    }
  };
  const enter = (waiting: Waiting, address: string | undefined): void => {
    all.add(waiting);
    watch ??= setInterval(cutSlow, Math.max(10, Math.min(1000, bodyGraceMs / 2))).unref();
    if (address !== undefined) {
      const own = byAddress.get(address) ?? new Set();
      byAddress.set(address, own.add(waiting));
      if (own.size > maxWaitingBodiesPerAddress) oldest(own).cut();
    }
    if (all.size > maxWaitingBodies) oldest(all).cut();
  };
  const leave = (waiting: Waiting, address: string | undefined): void => {
    if (!all.delete(waiting)) return;
    bytes -= waiting.bytes;
    if (all.size === 0) {
      clearInterval(watch);
      watch = undefined;
    }
    const own = address === undefined ? undefined : byAddress.get(address);
    own?.delete(waiting);
    if (address !== undefined && own?.size === 0) byAddress.delete(address);
  };

  return {
    receive: async (req, limit, address) => {
      const body = collect(req, limit, (count) => {
        waiting.bytes += count;
        bytes += count;
        while (bytes > maxWaitingBytes) oldest(all).cut();
      });
      const waiting: Waiting = {
        since: performance.now(),
        bytes: 0,
        cut: () => {
          leave(waiting, address);
          body.stop(new BodyTooSlow());
        },
      };
      enter(waiting, address);
      try {
        return await body.bytes;
      } finally {
        leave(waiting, address);
      }
    },
  };
};

/** The first element of a set that is not empty. */
const oldest = <T>(set: ReadonlySet<T>): T => set.values().next().value as T;
