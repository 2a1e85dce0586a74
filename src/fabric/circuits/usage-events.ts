import type { NetworkEvents } from '../../runtime/observability/network-events.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { createRequestRate } from '../../runtime/platform/request-rate.ts';
import { type TrafficPoint, trafficPoints } from '../../runtime/presence/traffic.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { usageReport } from '../control-channel/messages/metrics.ts';
import type { Journal } from '../journal/journal.ts';
import { added } from '../journal/usage-sums.ts';
import type { CircuitUsage } from '../journal/write-step.ts';
import type { RecordedCircuit } from './circuit-records.ts';
import type { CircuitTable } from './circuit-table.ts';

type Report = Pick<MessageBody<typeof usageReport>, 'timestamp' | 'usageCounters' | 'doNotPropagate'>;

/** Handles the usage in the reports of one router. */
export type HandleUsage = (report: Report) => Generator<number, void>;

/** Maximum number of circuits whose usage is accepted of a router per minute. */
const CIRCUITS_PER_MINUTE = 120_000;
/** Tolerance for the clock of a router, and maximum age of an interval. ms */
const MAX_AHEAD = 5 * MINUTE;
const MAX_AGE = 24 * 60 * MINUTE;
const SECOND = 1000;
const MAX_INTERVAL_SECONDS = 3600n;

const POINTS: ReadonlySet<string> = new Set(trafficPoints);

/** Maximum number of bytes of a circuit in an interval, 8 TiB: far more than a router can carry, and few enough to be added up. */
const MAX_BYTES = 1n << 43n;

/**
 * Emits the usage of circuits that routers report, and has the journal count what the routers of their clients report. Routers report only
 * what has come since their last report, so that events of one circuit and interval are to be added up. Dropped and logged: usage of
 * circuits that the router never had, reports that are not newer than the previous one, and intervals in the future or from before the
 * circuit.
 *
 * The journal counts the circuits of this controller only, also in reports that are meant for another one: each circuit is counted by the
 * controller that has set it up.
 */
export const createUsageEvents = (
  events: NetworkEvents,
  circuits: Pick<CircuitTable, 'carriedBy'>,
  journal: Pick<Journal, 'used'>,
  platform: Pick<Platform, 'clock' | 'logger'>,
): ((routerId: string) => HandleUsage) => {
  const log = createRepeatedLog(platform);
  return (routerId) => {
    const { clock } = platform;
    const rate = createRequestRate(clock);
    let last = -1n;
    const drop = (reason: string, circuitId?: string) =>
      log(
        'warn',
        'usage that a router reports was dropped',
        { routerId, reason, ...(circuitId !== undefined && { circuitId }) },
        `${routerId} ${reason}`,
      );
    return function* ({ timestamp, usageCounters, doNotPropagate }) {
      if (usageCounters.length === 0) return;
      const reportedAt = (timestamp?.seconds ?? 0n) * 1_000_000_000n + BigInt(timestamp?.nanos ?? 0);
      if (reportedAt <= last) return drop('the report is not newer than the previous one');
      if (reportedAt > BigInt(clock.now() + MAX_AHEAD) * 1_000_000n) return drop('the clock of the router is ahead');
      last = reportedAt;
      const counted = new Map<string, CountedCircuit>();
      for (const { intervalStartUTC, intervalLength, buckets } of usageCounters) {
        const start = Number(intervalStartUTC) * SECOND;
        const isCredible = start <= clock.now() + MAX_AHEAD && start >= clock.now() - MAX_AGE && intervalLength <= MAX_INTERVAL_SECONDS;
        if (!isCredible) drop('the interval is in the future, too old, or too long');
        else
          for (const [circuitId, { values, tags }] of buckets) {
            yield 1;
            const carried = circuits.carriedBy(circuitId, routerId);
            if (!carried) drop('the router never had the circuit', circuitId.slice(0, 64));
            else if (start + Number(intervalLength) * SECOND < Date.parse(carried.createdAt) - MAX_AHEAD)
              drop('the interval is from before the circuit', circuitId.slice(0, 64));
            else if (rate.take(CIRCUITS_PER_MINUTE) > 0) drop('there are too many circuits');
            else {
              if (!doNotPropagate)
                emitUsage(events, {
                  routerId,
                  circuitId,
                  start: start / SECOND,
                  length: Number(intervalLength),
                  values,
                  tags: tags.size > 0 ? carried.tags : undefined,
                });
              const [received = 0n, sent = 0n] = [values.get('ingress.tx'), values.get('ingress.rx')];
              // The other routers count the same bytes again.
              if (carried.path[0] !== routerId || received + sent === 0n) continue;
              if (received > MAX_BYTES || sent > MAX_BYTES) drop('there are more bytes than a router can carry', circuitId.slice(0, 64));
              else addInterval(counted, carried, { begin: start, bytesSent: Number(sent), bytesReceived: Number(received) });
            }
          }
      }
      journal.used(
        routerId,
        reportedAt,
        [...counted.values()].map(({ circuit, byMinute }) => ({ circuit, intervals: [...byMinute.values()] })),
      );
    };
  };
};

type Interval = CircuitUsage['intervals'][number];

interface CountedCircuit extends Pick<CircuitUsage, 'circuit'> {
  /** By the minute, the shortest span of sums. */
  readonly byMinute: Map<number, Interval>;
}

const addInterval = (counted: Map<string, CountedCircuit>, circuit: RecordedCircuit, interval: Interval): void => {
  const { byMinute } = counted.get(circuit.id) ?? { byMinute: new Map<number, Interval>() };
  const minute = Math.floor(interval.begin / MINUTE);
  const { begin, bytesSent, bytesReceived } = byMinute.get(minute) ?? { begin: interval.begin, bytesSent: 0, bytesReceived: 0 };
  byMinute.set(minute, {
    begin,
    bytesSent: added(bytesSent, interval.bytesSent),
    bytesReceived: added(bytesReceived, interval.bytesReceived),
  });
  counted.set(circuit.id, { circuit, byMinute });
};

interface Usage {
  readonly routerId: string;
  readonly circuitId: string;
  /** Seconds since 1970. */
  readonly start: number;
  /** Seconds. */
  readonly length: number;
  readonly values: ReadonlyMap<string, bigint>;
  /** Undefined for bytes between routers. */
  readonly tags: ReadonlyMap<string, string> | undefined;
}

const emitUsage = (events: NetworkEvents, { routerId, circuitId, start, length, values, tags }: Usage): void => {
  const bytes = [...values].filter((entry): entry is [TrafficPoint, bigint] => POINTS.has(entry[0])).sort();
  const end = { interval_start_utc: start, interval_length: length, tags: tags ? Object.fromEntries([...tags].sort()) : null };
  const head = { source_id: routerId, circuit_id: circuitId };
  for (const [point, count] of bytes)
    events.emit('usage', () => ({ version: 2, event_type: `usage.${point}`, ...head, usage: Number(count), ...end }));
  if (bytes.length > 0)
    events.emit('usage.v3', () => ({
      version: 3,
      ...head,
      usage: Object.fromEntries(bytes.map(([point, count]) => [point, Number(count)])),
      ...end,
    }));
};
