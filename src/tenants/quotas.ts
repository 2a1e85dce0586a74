import { checkedOptions } from '../options.ts';

/** The limits of a tenant. */
export interface Quotas {
  /** Maximum number of identities of all types, including those of administrators and routers. */
  readonly identities?: number | null | undefined;
  readonly services?: number | null | undefined;
  /**
   * Maximum size of its entities in bytes as JSON, an estimate of their size in the database. Data that is bounded otherwise or expires does not count, such
   * as the change log and sessions; in an import (`create({ from })`) it does count. Changes that reduce the size are always possible.
   */
  readonly storageBytes?: number | null | undefined;
  /** Maximum number of HTTP requests per minute to each process. After an idle period, a burst of that many is allowed. */
  readonly requestsPerMinute?: number | null | undefined;
}

const QUOTAS = { identities: true, services: true, storageBytes: true, requestsPerMinute: true } as const;

/** @throws TypeError for an unknown quota, and for one that is not an integer of 1 or more; null means no limit */
export const checkedQuotas = (name: string, given: Quotas): Quotas => {
  for (const [quota, value] of Object.entries(checkedOptions(name, given, QUOTAS)))
    if (value !== undefined && value !== null && !(Number.isSafeInteger(value) && value >= 1))
      throw new TypeError(`the quota ${quota} must be an integer of 1 or more, or null for none, got ${String(value)}`);
  return given;
};

/** The effective quotas: those of the tenant, with defaults for the others. */
export const mergedQuotas = (defaults: Quotas, own: Quotas): Quotas => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
});
