import { setInterval } from 'node:timers';
import { BodyTooSlow, performanceNow } from '../../src/adapter-kit.ts';
import { collect } from './collect.ts';
import type { NodeIncoming } from './node-request.ts';

/**
 * Limits on incomplete bodies. If one is exceeded, the request with the oldest body gets 408, so that deliberately slow clients cannot
 * block others, whose bodies arrive quickly.
 */
export interface BodyLimits {
  /** Maximum number of incomplete bodies. Default 1,000. */
  readonly maxWaitingBodies?: number;
  /**
   * Maximum number of incomplete bodies from one address. Default 100. Does not apply to trusted proxies, unless the host resolves the
   * client's address.
   */
  readonly maxWaitingBodiesPerAddress?: number;
  /** Maximum total size of the received parts of incomplete bodies, in bytes. Default 67,108,864 (64 MiB). */
  readonly maxWaitingBytes?: number;
  /** Minimum average rate of a body, in bytes per second. Default 1,000. */
  readonly minBodyBytesPerSecond?: number;
  /** Milliseconds before that rate is enforced. Default 3,000. */
  readonly bodyGraceMs?: number;
}

/** The names of `BodyLimits`, for the validation of options. */
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
   * Reads a body.
   * @param address the client's address; undefined if only that of its proxy is known
   * @throws BodyTooSlow if it is aborted; BodyTooLarge, BodyIncomplete
   */
  receive(req: NodeIncoming, limit: number, address: string | undefined): Promise<Uint8Array>;
}

interface WaitingBody {
  /** Time of arrival, on the clock of `performanceNow`. */
  readonly since: number;
  /** Number of bytes received. */
  bytes: number;
  abort(): void;
}

export const createWaitingBodies = ({
  maxWaitingBodies = 1000,
  maxWaitingBodiesPerAddress = 100,
  maxWaitingBytes = 64 * 1024 * 1024,
  minBodyBytesPerSecond = 1000,
  bodyGraceMs = 3000,
}: BodyLimits = {}): WaitingBodies => {
  /** In order of arrival, as are the sets by address. */
  const all = new Set<WaitingBody>();
  const byAddress = new Map<string, Set<WaitingBody>>();
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const abortSlow = (): void => {
    const now = performanceNow();
    for (const waiting of all) {
      const milliseconds = now - waiting.since;
      if (milliseconds > bodyGraceMs && waiting.bytes < (milliseconds / 1000) * minBodyBytesPerSecond) waiting.abort();
    }
  };
  const enter = (waiting: WaitingBody, address: string | undefined): void => {
    all.add(waiting);
    timer ??= setInterval(abortSlow, Math.max(10, Math.min(1000, bodyGraceMs / 2))).unref();
    if (address !== undefined) {
      const fromAddress = byAddress.get(address) ?? new Set();
      byAddress.set(address, fromAddress.add(waiting));
      if (fromAddress.size > maxWaitingBodiesPerAddress) oldest(fromAddress).abort();
    }
    if (all.size > maxWaitingBodies) oldest(all).abort();
  };
  const leave = (waiting: WaitingBody, address: string | undefined): void => {
    if (!all.delete(waiting)) return;
    bytes -= waiting.bytes;
    if (all.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    const fromAddress = address === undefined ? undefined : byAddress.get(address);
    fromAddress?.delete(waiting);
    if (address !== undefined && fromAddress?.size === 0) byAddress.delete(address);
  };

  return {
    receive: async (req, limit, address) => {
      const body = collect(req, limit, (count) => {
        waiting.bytes += count;
        bytes += count;
        while (bytes > maxWaitingBytes) oldest(all).abort();
      });
      const waiting: WaitingBody = {
        since: performanceNow(),
        bytes: 0,
        abort: () => {
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

/** The first element of a non-empty set. */
const oldest = <T>(set: ReadonlySet<T>): T => set.values().next().value as T;
