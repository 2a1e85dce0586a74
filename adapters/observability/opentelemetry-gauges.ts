import { type Meter, type MeterProvider, metrics, type Observable } from '@opentelemetry/api';
import { checkedOptions } from '../../src/adapter-kit.ts';
import { controllerGauges, type MetricsSource, readGauges } from './gauges.ts';

/** Options of `openTelemetryGauges`. */
export interface OpenTelemetryGaugesOptions {
  /** The provider of meters. Default: the globally registered one. */
  readonly meterProvider?: MeterProvider;
  /**
   * Also exports series of each connected router and each link, for at most this number of routers, and of links: the first ones by id.
   * Default: 0.
   */
  readonly routers?: number;
}

/**
 * Registers the gauges of a controller: entities, queues, health, routers, links and circuits. They are those of `createMetrics`, which are
 * read when the SDK collects metrics.
 *
 * ```ts
 * const stop = openTelemetryGauges(controller, { routers: 100 });
 * ```
 * @returns a function that removes them
 */
export const openTelemetryGauges = (controller: MetricsSource, options: OpenTelemetryGaugesOptions = {}): (() => void) => {
  const { meterProvider = metrics, routers = 0 } = checkedOptions('openTelemetryGauges', options, { meterProvider: true, routers: true });
  const meter: Meter = meterProvider.getMeter('overlay-controller');
  const instruments = controllerGauges.map(({ name, unit, help, samples }) => ({
    samples,
    instrument: meter.createObservableGauge(`overlay_controller.${name}`, { description: help, ...(unit && { unit }) }),
  }));
  const observed: Observable[] = instruments.map(({ instrument }) => instrument);
  const observe: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    const readings = await readGauges(controller, routers);
    for (const { instrument, samples } of instruments)
      for (const [labels, value] of samples(readings)) result.observe(instrument, value, attributesOf(labels));
  };
  meter.addBatchObservableCallback(observe, observed);
  return () => meter.removeBatchObservableCallback(observe, observed);
};

const attributesOf = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [`overlay_controller.${label}`, value]));
