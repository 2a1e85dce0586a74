/**
 * Usage within the periods of quotas. The sum of an identity or a service in a period is a lease, `quota/PERIOD/BEGIN/PER/ID`, written in
 * the transaction that counts the usage: whichever controller counts, one transaction exceeds a quota, and reports it.
 */
import * as z from 'zod';
import { rowsById } from '../../call/resources/references.ts';
import type { UsageQuota } from '../../call/usage-quotas.ts';
import { lease } from '../../contract/api/leases.ts';
import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { added, beginOf, type CountedBytes, type UsageKey } from './usage-sums.ts';

/** The quotas that share sums: those of identities or of services, and of one period, of which it has the beginning. */
interface Scope extends Pick<UsageQuota, 'per' | 'period'> {
  readonly begin: string;
}

/** The beginning of the ids of the sums of a period. Once the period is over, its sums are no longer used. */
export const quotaPrefix = (period: UsageQuota['period'], begin = ''): string => `quota/${period}/${begin}`;

/** The beginning of the period at a time, as ISO text. */
export const periodBegin = (period: UsageQuota['period'], time: number): string => {
  if (period === 'day') return beginOf('day', time);
  const date = new Date(time);
  return isoTime(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
};

/** The sum as the lease has it, and the names of the quotas that were reported as exceeded. */
const storedSum = z.object({ bytes: z.number(), exceeded: z.array(z.string()) });

/** Collects usage, and adds it to the sums of the current periods in one write. */
export interface QuotaCounts {
  add(key: UsageKey, time: number, bytes: CountedBytes): void;
  /** @returns the quotas that are exceeded, and were not before */
  write(entities: Entities): Promise<readonly ToldEvent<'quota'>[]>;
}

/** @param now ms since 1970. Usage outside the periods that contain this time is not counted */
export const createQuotaCounts = (quotas: readonly UsageQuota[], now: number, controllerId: string): QuotaCounts => {
  const scopes = new Map<string, Scope>(
    quotas.map(({ per, period }) => [`${per} ${period}`, { per, period, begin: periodBegin(period, now) }]),
  );
  const sums = new Map<string, Scope & { readonly subjectId: string; readonly bytes: number }>();
  return {
    add: ({ identityId, serviceId }, time, { bytesSent, bytesReceived }) => {
      for (const { per, period, begin } of scopes.values()) {
        if (periodBegin(period, time) !== begin) continue;
        const subjectId = per === 'identity' ? identityId : serviceId;
        const id = `${quotaPrefix(period, begin)}/${per}/${subjectId}`;
        const bytes = added(sums.get(id)?.bytes ?? 0, added(bytesSent, bytesReceived));
        sums.set(id, { per, period, subjectId, begin, bytes });
      }
    },
    write: async (entities) => {
      if (sums.size === 0) return [];
      const rows = await rowsById(entities, lease, [...sums.keys()]);
      const events: ToldEvent<'quota'>[] = [];
      for (const [id, { per, period, subjectId, begin, bytes: more }] of sums) {
        const row = rows.get(id);
        const before = storedSum.safeParse(row?.told).data ?? { bytes: 0, exceeded: [] };
        const bytes = added(before.bytes, more);
        const exceeded = quotas.filter(
          (quota) => quota.per === per && quota.period === period && bytes > quota.bytes && !before.exceeded.includes(quota.name),
        );
        for (const quota of exceeded)
          events.push({
            event_type: 'exceeded',
            quota: quota.name,
            period,
            period_start: begin,
            ...(per === 'identity' ? { identity_id: subjectId } : { service_id: subjectId }),
            usage: bytes,
            limit: quota.bytes,
          });
        const told = { bytes, exceeded: [...before.exceeded, ...exceeded.map(({ name }) => name)] };
        if (row) await entities.update(lease, row, { told });
        else await entities.insert(lease, { id, holder: controllerId, until: null, told });
      }
      return events;
    },
  };
};
