import { networkOf } from './addresses.ts';
import { boundedCache } from './bounded-cache.ts';
import { monotonic } from './clock.ts';
import type { Clock } from './platform.ts';

const MINUTE_MS = 60_000;

/** Limits the rate of requests with a token bucket that holds the quota of one minute. */
export interface RequestRate {
  /** @returns 0 if the request may be answered, otherwise the seconds until the next one may be */
  take(perMinute: number | null | undefined): number;
}

export const createRequestRate = (clock: Clock): RequestRate => {
  /** The used part of the bucket, in requests. It remains used if the quota changes. */
  let used = 0;
  let last = monotonic(clock);
  return {
    take: (perMinute) => {
      const now = monotonic(clock);
      if (perMinute == null) return 0;
      used = Math.max(0, used - (Math.max(0, now - last) * perMinute) / MINUTE_MS);
      last = now;
      if (used + 1 <= perMinute) {
        used++;
        return 0;
      }
      return ((used + 1 - perMinute) / perMinute) * 60;
    },
  };
};

/** Maximum number of networks whose rates are kept; beyond it, the least recently active start over. */
const MAX_NETWORKS = 10_000;

/** Limits the rate of requests from each address, or of another key; the addresses of one IPv6 subscriber share a token bucket (RFC 6177). */
export interface AddressRate {
  /** @returns 0 if a request from this address may be answered, otherwise the seconds until the next one may be */
  take(address: string): number;
}

/** @param perMinute the quota of each address */
export const createAddressRate = (clock: Clock, perMinute: number): AddressRate => {
  const rates = boundedCache<string, RequestRate>(MAX_NETWORKS);
  return {
    take: (address) => {
      // A host that does not report the source of its requests cannot limit one client without limiting all.
      if (address === '') return 0;
      const network = networkOf(address);
      const rate = rates.get(network) ?? createRequestRate(clock);
      rates.set(network, rate);
      return rate.take(perMinute);
    },
  };
};
