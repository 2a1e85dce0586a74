import { networkOf } from './addresses.ts';
import { boundedCache } from './bounded-cache.ts';
import { MINUTE, monotonic } from './clock.ts';
import type { Clock } from './platform.ts';

/** Limits the rate of requests with a token bucket. */
export interface RequestRate {
  /**
   * @param perMinute the quota in requests per minute; null or undefined for no limit
   * @param burst the size of the bucket. Default: the quota of one minute
   * @param weight the number of requests that this one counts as. Default: 1
   * @returns 0 if the request is admitted, otherwise the seconds until it would be
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
      used = Math.max(0, used - (Math.max(0, now - last) * perMinute) / MINUTE);
      last = now;
      if (used + weight <= burst) {
        used += weight;
        return 0;
      }
      return ((used + weight - burst) / perMinute) * 60;
    },
  };
};

/** Maximum number of networks whose rates are kept. Beyond it, the least recently active ones are forgotten. */
const MAX_NETWORKS = 10_000;

/**
 * Limits the rate of requests from each address, or with another key. The addresses of one IPv6 subscriber share a token bucket (RFC 6177).
 */
export interface AddressRate {
  /**
   * @param weight the number of requests that this one counts as. Default: 1
   * @returns 0 if the request is admitted, otherwise the seconds until it would be
   */
  take(address: string, weight?: number): number;
}

/**
 * @param perMinute the quota of each address
 * @param burst the size of each bucket. Default: the quota of one minute
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
