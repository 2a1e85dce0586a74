import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import type { NetworkEvents } from '../../runtime/observability/network-events.ts';
import { beginningOf, withoutControls } from '../../runtime/platform/control-characters.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import { createRequestRate } from '../../runtime/platform/request-rate.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { metricsReport } from '../control-channel/messages/metrics.ts';
import { timeOf } from './identity-events.ts';

type Report = MessageBody<typeof metricsReport>;
type Values = Readonly<Record<string, bigint | number>>;
type MetricEvent = ToldEvent<'metrics'>;

/** Emits the metrics in the reports of one router. */
export type EmitMetrics = (report: Report) => Generator<number, void>;

/** Maximum number of metrics of a router per minute, and length of their names. */
const METRICS_PER_MINUTE = 12_000;
const MAX_NAME = 255;
/** Approximate number of elements that the event of a metric costs. */
const ELEMENTS_PER_METRIC = 4;

/** The two ends of a link of the router; undefined for one that it does not have. */
export type EndsOf = (linkId: string) => { readonly from: string; readonly to: string } | undefined;

export const createMetricEvents = (events: NetworkEvents, clock: Clock, routerId: string, endsOf: EndsOf): EmitMetrics => {
  const rate = createRequestRate(clock);
  const emit = (report: Report, metric_type: MetricEvent['metric_type'], name: string, values: Values): void => {
    if (name.length > MAX_NAME || rate.take(METRICS_PER_MINUTE) > 0) return;
    const { metric, entityId } = namesIn(withoutControls(name));
    const ends = entityId === undefined || !metric.startsWith('link.') ? undefined : endsOf(entityId);
    events.emit('metrics', () => ({
      ...timeOf((report.timestamp?.seconds ?? 0n) * 1000n + BigInt(Math.floor((report.timestamp?.nanos ?? 0) / 1_000_000))),
      metric_type,
      source_id: routerId,
      ...(entityId !== undefined && { source_entity_id: entityId }),
      version: 3,
      metric,
      metrics: Object.fromEntries(Object.entries(values).map(([value, number]) => [value, finite(Number(number))])),
      ...(ends && { tags: { sourceRouterId: ends.from, targetRouterId: ends.to } }),
      source_event_id: beginningOf(report.eventId, MAX_NAME),
    }));
  };
  function* emitAll<V>(
    report: Report,
    type: MetricEvent['metric_type'],
    metrics: ReadonlyMap<string, V>,
    valuesOf: (metric: V) => Values,
  ): Generator<number, void> {
    for (const [name, metric] of metrics) {
      emit(report, type, name, valuesOf(metric));
      yield ELEMENTS_PER_METRIC;
    }
  }
  return function* (report) {
    if (report.doNotPropagate) return;
    yield* emitAll(report, 'intValue', report.intValues, (value) => ({ value }));
    yield* emitAll(report, 'floatValue', report.floatValues, (value) => ({ value }));
    yield* emitAll(report, 'meter', report.meters, meterOf);
    yield* emitAll(report, 'histogram', report.histograms, histogramOf);
    yield* emitAll(report, 'timer', report.timers, timerOf);
  };
};

/** JSON has no other numbers. */
const finite = (number: number): number => (Number.isFinite(number) ? number : 0);

/** Names of metrics contain the id of what they are about: `link.ID.rx.bytesrate`, `link.dropped_msgs:ID`. */
const namesIn = (name: string): { readonly metric: string; readonly entityId?: string } => {
  const [, linkId, rest] = /^link\.(.+)\.((?:rx|tx)\.\w+|latency|queue_time)$/.exec(name) ?? [];
  if (linkId !== undefined) return { metric: `link.${rest}`, entityId: linkId };
  const colon = name.lastIndexOf(':');
  return colon > 0 ? { metric: name.slice(0, colon), entityId: name.slice(colon + 1) } : { metric: name };
};

const ratesOf = ({ m15Rate, m1Rate, m5Rate }: Pick<Meter, 'm15Rate' | 'm1Rate' | 'm5Rate'>) => ({
  m15_rate: m15Rate,
  m1_rate: m1Rate,
  m5_rate: m5Rate,
});

type ValueIn<M> = M extends ReadonlyMap<string, infer V> ? V : never;
type Meter = ValueIn<Report['meters']>;
type Histogram = ValueIn<Report['histograms']>;
type Timer = ValueIn<Report['timers']>;

const meterOf = (meter: Meter): Values => ({ count: meter.count, ...ratesOf(meter), mean_rate: meter.meanRate });

const percentilesOf = ({ p50, p75, p95, p99, p999, p9999, stdDev, variance }: Histogram) => ({
  ...{ p50, p75, p95, p99, p999, p9999 },
  std_dev: stdDev,
  variance,
});

const histogramOf = (histogram: Histogram): Values => {
  const { count, max, mean, min } = histogram;
  return { count, max, mean, min, ...percentilesOf(histogram) };
};

const timerOf = (timer: Timer): Values => {
  const { count, max, mean, meanRate, min } = timer;
  return { count, ...ratesOf(timer), max, mean, mean_rate: meanRate, min, ...percentilesOf(timer) };
};
