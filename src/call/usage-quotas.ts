import { checkedOptions } from '../contract/options.ts';
import type { Settings } from './settings.ts';

/** A limit of usage that is watched, but not enforced. */
export interface UsageQuota {
  /** Identifies the quota in its events. */
  readonly name: string;
  /** The usage that is added up: of each identity, or of each service. */
  readonly per: 'identity' | 'service';
  /** The period, in UTC, after which the sum begins at zero. */
  readonly period: 'day' | 'month';
  /** The number of bytes that may be sent and received, added up, before the quota is exceeded. */
  readonly bytes: number;
}

const MAX_QUOTAS = 100;
const isOneOf = (values: readonly string[], value: unknown): boolean => values.some((each) => each === value);

/** @throws TypeError for invalid quotas, and if usage is not counted */
export const checkedUsageQuotas = (option: string, quotas: readonly UsageQuota[], { journalKept }: Pick<Settings, 'journalKept'>) => {
  if (!Array.isArray(quotas) || quotas.length > MAX_QUOTAS) throw new TypeError(`${option} must be a list of at most ${MAX_QUOTAS} quotas`);
  const names = new Set<unknown>();
  for (const quota of quotas) {
    const { name, per, period, bytes } = checkedOptions(option, quota, { name: true, per: true, period: true, bytes: true });
    const isValid =
      typeof name === 'string' &&
      name !== '' &&
      isOneOf(['identity', 'service'], per) &&
      isOneOf(['day', 'month'], period) &&
      Number.isSafeInteger(bytes) &&
      bytes >= 0;
    if (!isValid || names.has(name))
      throw new TypeError(
        `${option} takes quotas such as { name: 'daily', per: 'identity', period: 'day', bytes: 5e9 }, each with another name`,
      );
    names.add(name);
  }
  if (quotas.length > 0 && journalKept === 0) throw new TypeError(`${option} needs usage, which the setting journalKept of 0 turns off`);
  return quotas;
};
