import { field, message, valueType } from '../codec/index.ts';
import { fromRouters, tableMessage } from './message-type.ts';

const CONTENT_TYPE = 1007;
const NAME = 'Metrics';
const BOUNDS = { bytes: 8_388_608, elements: 200_000 };

const time = message({ seconds: field.int64(1), nanos: field.int32(2) });

/** Bytes of a circuit, by the point where they were counted. */
const usageBucket = message({
  values: field.mapped(1, valueType.text, valueType.uint64),
  tags: field.mapped(2, valueType.text, valueType.text),
});

/** Bytes of circuits since the last report, for an interval in seconds. */
const usageCounter = message({
  intervalStartUTC: field.int64(1),
  intervalLength: field.uint64(2),
  buckets: field.mapped(3, valueType.text, usageBucket),
});

/**
 * The usage that a router reports, the counts of its meters, such as `ingress.rx.bytesrate`, which begin when the router starts, and the
 * means of its histograms, such as `link.ID.latency`.
 */
export const usageReport = fromRouters(
  BOUNDS,
  tableMessage(CONTENT_TYPE, NAME, {
    timestamp: field.nested(3, time),
    meters: field.mapped(7, valueType.text, message({ count: field.int64(1) })),
    histograms: field.mapped(8, valueType.text, message({ mean: field.double(3) })),
    usageCounters: field.list(11, usageCounter),
    doNotPropagate: field.bool(12),
  }),
);

/** Rates per second, beginning with this number. */
const ratesFrom = (number: number) => ({
  m1Rate: field.double(number),
  m5Rate: field.double(number + 1),
  m15Rate: field.double(number + 2),
  meanRate: field.double(number + 3),
});

/** The distribution of values since the router has started. */
const distribution = {
  count: field.int64(1),
  max: field.int64(2),
  mean: field.double(3),
  min: field.int64(4),
  stdDev: field.double(5),
  variance: field.double(6),
  p50: field.double(7),
  p75: field.double(8),
  p95: field.double(9),
  p99: field.double(10),
  p999: field.double(11),
  p9999: field.double(12),
};

/** The metrics in the same message, in full. Read only if someone follows them. */
export const metricsReport = fromRouters(
  BOUNDS,
  tableMessage(CONTENT_TYPE, NAME, {
    eventId: field.text(1),
    timestamp: field.nested(3, time),
    intValues: field.mapped(5, valueType.text, valueType.int64),
    floatValues: field.mapped(6, valueType.text, valueType.double),
    meters: field.mapped(7, valueType.text, message({ count: field.int64(1), ...ratesFrom(2) })),
    histograms: field.mapped(8, valueType.text, message(distribution)),
    timers: field.mapped(10, valueType.text, message({ ...distribution, ...ratesFrom(13) })),
    doNotPropagate: field.bool(12),
  }),
);
