import { type Family, gauge } from './exposition.ts';

const QUANTILES = [50, 90, 99] as const;
const NANOSECONDS = 1e9;

/**
 * Gauges for the delay and utilization of the event loop since the last scrape. They require `perf_hooks` of Node; without it, the result is empty.
 */
export const createEventLoopGauges = (): (() => readonly Family[]) => {
  // Not a static import, so that this file also loads on runtimes other than Node.
  const { monitorEventLoopDelay, performance } = globalThis.process?.getBuiltinModule?.('node:perf_hooks') ?? {};
  const delay = monitorEventLoopDelay?.({ resolution: 10 });
  delay?.enable();
  let previous = performance?.eventLoopUtilization?.();
  return () => {
    const families: Family[] = [];
    if (delay) {
      const quantiles = QUANTILES.map((q) => [{ quantile: String(q / 100) }, delay.percentile(q) / NANOSECONDS] as const);
      families.push(
        gauge('overlay_controller_event_loop_delay_seconds', 'Delay of timers on the event loop since the last scrape.', quantiles),
      );
      delay.reset();
    }
    if (performance && previous) {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, previous);
      previous = now;
      families.push(
        gauge(
          'overlay_controller_event_loop_utilization_ratio',
          'Share of the time since the last scrape in which the event loop was busy.',
          [[{}, utilization]],
        ),
      );
    }
    return families;
  };
};
