import { setInterval } from 'node:timers';
import { BodyTooSlow, performanceNow } from '../../src/adapter-kit.ts';
import { collect } from './collect.ts';
import type { NodeIncoming } from './node-request.ts';

/**
 * Limits on incomplete bodies. If they are exceeded, the oldest body is aborted with 408: legitimate bodies arrive quickly, and deliberately slow clients
 * must not block them.
 */
export interface BodyLimits {
  /** Maximum number of incomplete bodies. Default 1,000. */
  readonly maxWaitingBodies?: number;
  /** Maximum number of incomplete bodies from one address. Default 100. Does not apply to trusted proxies, unless the host resolves the client's address. */
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
   * Reads a body.
   * @param address the client's address; undefined if only that of its proxy is known
   * @throws BodyTooSlow if it is aborted; BodyTooLarge, BodyIncomplete
   */
  receive(req: NodeIncoming, limit: number, address: string | undefined): Promise<Uint8Array>;
}

interface Waiting {
  readonly since: number;
  /** Number of bytes received. */
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
  /** In order of arrival, like the sets by address. */
  const all = new Set<Waiting>();
  const byAddress = new Map<string, Set<Waiting>>();
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const cutSlow = (): void => {
    const now = performanceNow();
    for (const waiting of all) {
      const milliseconds = now - waiting.since;
      if (milliseconds > bodyGraceMs && waiting.bytes < (milliseconds / 1000) * minBodyBytesPerSecond) waiting.cut();
    }
  };
  const enter = (waiting: Waiting, address: string | undefined): void => {
    all.add(waiting);
    timer ??= setInterval(cutSlow, Math.max(10, Math.min(1000, bodyGraceMs / 2))).unref();
    if (address !== undefined) {
      const ofAddress = byAddress.get(address) ?? new Set();
      byAddress.set(address, ofAddress.add(waiting));
      if (ofAddress.size > maxWaitingBodiesPerAddress) oldest(ofAddress).cut();
    }
    if (all.size > maxWaitingBodies) oldest(all).cut();
  };
  const leave = (waiting: Waiting, address: string | undefined): void => {
    if (!all.delete(waiting)) return;
    bytes -= waiting.bytes;
    if (all.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    const ofAddress = address === undefined ? undefined : byAddress.get(address);
    ofAddress?.delete(waiting);
    if (address !== undefined && ofAddress?.size === 0) byAddress.delete(address);
  };

  return {
    receive: async (req, limit, address) => {
      const body = collect(req, limit, (count) => {
        waiting.bytes += count;
        bytes += count;
        while (bytes > maxWaitingBytes) oldest(all).cut();
      });
      const waiting: Waiting = {
        since: performanceNow(),
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

/** The first element of a non-empty set. */
const oldest = <T>(set: ReadonlySet<T>): T => set.values().next().value as T;
