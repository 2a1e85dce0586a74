import { checkedOptions } from '../options.ts';

/** The limits of a tenant. */
export interface Quotas {
  /** Identities, of every type: those of administrators and routers too. */
  readonly identities?: number | null | undefined;
  readonly services?: number | null | undefined;
  /**
   * Bytes of its entities as JSON, an estimate of what they take in the database. What has bounds of its own or passes by itself does not count: the change
   * log, sessions. In an import (`create({ from })`) they count, too. What makes its entities fewer or smaller is always possible.
   */
  readonly storageBytes?: number | null | undefined;
  /** Requests over HTTP in a minute, to each process. After a pause, as many as that may come at once. */
  readonly requestsPerMinute?: number | null | undefined;
}

const QUOTAS = { identities: true, services: true, storageBytes: true, requestsPerMinute: true } as const;

/** @throws TypeError for an unknown quota, and for one that is no integer of 1 or more; null is for none */
export const checkedQuotas = (name: string, given: Quotas): Quotas => {
  for (const [quota, value] of Object.entries(checkedOptions(name, given, QUOTAS)))
    if (value !== undefined && value !== null && !(Number.isSafeInteger(value) && value >= 1))
      throw new TypeError(`the quota ${quota} must be an integer of 1 or more, or null for none, got ${String(value)}`);
  return given;
};

/** The quotas that hold: those of the tenant, and the default of each that it has none of its own of. */
export const mergedQuotas = (defaults: Quotas, own: Quotas): Quotas => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
});
