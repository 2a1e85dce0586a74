import { networkOf } from './addresses.ts';
import { boundedCache } from './bounded-cache.ts';
import { monotonic } from './clock.ts';
import type { Clock } from './platform.ts';

const MINUTE_MS = 60_000;

/** Limits the rate of requests with a token bucket. */
export interface RequestRate {
  /**
   * @param burst the size of the bucket; default: the quota of one minute
   * @param weight the requests that this one counts as; default 1
   * @returns 0 if the request may be answered, otherwise the seconds until it may be
   */
  take(perMinute: number | null | undefined, burst?: number, weight?: number): number;
}

export const createRequestRate = (clock: Clock): RequestRate => {
  /** The used part of the bucket, in requests. It remains used if the quota changes. */
  let used = 0;
  let last = monotonic(clock);
  return {
    take: (perMinute, burst = perMinute ?? 0, weight = 1) => {
      const now = monotonic(clock);
      if (perMinute == null) return 0;
      used = Math.max(0, used - (Math.max(0, now - last) * perMinute) / MINUTE_MS);
      last = now;
      if (used + weight <= burst) {
        used += weight;
        return 0;
      }
      return ((used + weight - burst) / perMinute) * 60;
    },
  };
};

/** Maximum number of networks whose rates are kept; beyond it, the least recently active start over. */
const MAX_NETWORKS = 10_000;

/** Limits the rate of requests from each address, or of another key; the addresses of one IPv6 subscriber share a token bucket (RFC 6177). */
export interface AddressRate {
  /**
   * @param weight the requests that this one counts as; default 1
   * @returns 0 if a request from this address may be answered, otherwise the seconds until it may be
   */
  take(address: string, weight?: number): number;
}

/**
 * @param perMinute the quota of each address
 * @param burst the size of its bucket; default: the quota of one minute
 */
export const createAddressRate = (clock: Clock, perMinute: number, burst?: number): AddressRate => {
  const rates = boundedCache<string, RequestRate>(MAX_NETWORKS);
  return {
    take: (address, weight) => {
      // A host that does not report the source of its requests cannot limit one client without limiting all.
      if (address === '') return 0;
      const network = networkOf(address);
      const rate = rates.get(network) ?? createRequestRate(clock);
      rates.set(network, rate);
      return rate.take(perMinute, burst, weight);
    },
  };
};
