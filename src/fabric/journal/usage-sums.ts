/** Sums of usage by minute, hour and day. Times are UTC. */

import { rowsById } from '../../call/resources/references.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { SPANS, type Span, usageSum } from '../../contract/api/usage.ts';
import { DAY, HOUR, isoTime, MINUTE } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** Who used what: the key of a sum within its span. */
export interface UsageKey {
  readonly identityId: string;
  readonly serviceId: string;
  /** The router of the client. */
  readonly routerId: string;
}

/** Bytes from the client and to it. */
export interface CountedBytes {
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** Numbers that are added up. */
export interface UsageAmount extends CountedBytes {
  readonly circuits: number;
}

const LENGTHS: Readonly<Record<Span, number>> = { minute: MINUTE, hour: HOUR, day: DAY };

/** The beginning of the span that contains a time, as ISO text. */
export const beginOf = (span: Span, time: number): string => isoTime(time - (time % LENGTHS[span]));

/** The beginning of the ids of the sums of a span. Their order is that of time. */
export const sumPrefix = (span: Span, begin = ''): string => `${span}/${begin}`;

/** Adds amounts as numbers that stay exact. */
export const added = (one: number, other: number): number => Math.min(one + other, Number.MAX_SAFE_INTEGER);

export const addedBytes = (one: CountedBytes, other: CountedBytes): CountedBytes => ({
  bytesSent: added(one.bytesSent, other.bytesSent),
  bytesReceived: added(one.bytesReceived, other.bytesReceived),
});

export const addedAmounts = (one: UsageAmount, other: UsageAmount): UsageAmount => ({
  circuits: added(one.circuits, other.circuits),
  ...addedBytes(one, other),
});

const NOTHING: UsageAmount = { circuits: 0, bytesSent: 0, bytesReceived: 0 };

type Sum = Pick<RowOf<typeof usageSum>, 'id' | 'span' | 'begin'> & UsageKey & UsageAmount;

/** Collects usage, and then adds it to the stored sums. */
export interface UsageSums {
  add(key: UsageKey, time: number, amount: UsageAmount): void;
  /**
   * Adds what was collected to the sums in the store.
   * @param nameOf the names of identities and services by id
   */
  write(entities: Entities, nameOf: (id: string) => string): Promise<void>;
}

export const createUsageSums = (): UsageSums => {
  const sums = new Map<string, Sum>();
  return {
    add: ({ identityId, serviceId, routerId }, time, amount) => {
      for (const span of SPANS) {
        const begin = beginOf(span, time);
        const id = `${sumPrefix(span, begin)}/${identityId}/${serviceId}/${routerId}`;
        sums.set(id, { id, span, begin, identityId, serviceId, routerId, ...addedAmounts(sums.get(id) ?? NOTHING, amount) });
      }
    },
    write: async (entities, nameOf) => {
      if (sums.size === 0) return;
      const rows = await rowsById(entities, usageSum, [...sums.keys()]);
      for (const sum of sums.values()) {
        const row = rows.get(sum.id);
        if (row) await entities.update(usageSum, row, addedAmounts(row, sum));
        else await entities.insert(usageSum, { ...sum, identityName: nameOf(sum.identityId), serviceName: nameOf(sum.serviceId) });
      }
    },
  };
};
