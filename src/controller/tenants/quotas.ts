import { checkedOptions } from '../../contract/options.ts';

/** The limits of a tenant. */
export interface Quotas {
  /** Maximum number of identities of all types, including those of administrators and routers. */
  readonly identities?: number | null | undefined;
  readonly services?: number | null | undefined;
  /**
   * Maximum total size of the entities in bytes as JSON, which approximates their size in the database. Data that has other limits or
   * expires, such as the change log and sessions, counts only during an import (`create({ from })`). Changes that reduce the size are
   * always possible.
   */
  readonly storageBytes?: number | null | undefined;
  /** Maximum number of HTTP requests per minute to each process. After an idle period, a burst of this size is allowed. */
  readonly requestsPerMinute?: number | null | undefined;
}

const QUOTAS = { identities: true, services: true, storageBytes: true, requestsPerMinute: true } as const;

/** @throws TypeError if a quota is unknown, or is neither a positive integer nor null, which means no limit */
export const checkedQuotas = (name: string, given: Quotas): Quotas => {
  for (const [quota, value] of Object.entries(checkedOptions(name, given, QUOTAS)))
    if (value !== undefined && value !== null && !(Number.isSafeInteger(value) && value >= 1))
      throw new TypeError(`the quota ${quota} must be an integer of 1 or more, or null for none, got ${String(value)}`);
  return given;
};

/** The effective quotas: those of the tenant, completed with the defaults. */
export const mergedQuotas = (defaults: Quotas, own: Quotas): Quotas => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
});
