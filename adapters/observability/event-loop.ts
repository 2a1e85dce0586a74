import { type Family, gauge } from './exposition.ts';

/** In percent. */
const PERCENTILES = [50, 90, 99] as const;
const NANOSECONDS_PER_SECOND = 1e9;
/** Interval of the measurements. ms */
const RESOLUTION = 10;

/**
 * Creates gauges for the delay and utilization of the event loop since the last scrape. They require `perf_hooks` of Node; without it, the
 * result is empty.
 */
export const createEventLoopGauges = (): (() => readonly Family[]) => {
  // Not a static import, so that this file also loads on runtimes other than Node.
  const { monitorEventLoopDelay, performance } = globalThis.process?.getBuiltinModule?.('node:perf_hooks') ?? {};
  const delay = monitorEventLoopDelay?.({ resolution: RESOLUTION });
  delay?.enable();
  let previous = performance?.eventLoopUtilization?.();
  return () => {
    const families: Family[] = [];
    if (delay) {
      // One gauge for each: Prometheus reserves the label `quantile` for summaries.
      for (const percent of PERCENTILES) {
        const help = `Delay of timers on the event loop since the last scrape, percentile ${percent}.`;
        const value = delay.percentile(percent) / NANOSECONDS_PER_SECOND;
        families.push(gauge(`overlay_controller_event_loop_delay_p${percent}_seconds`, help, [[{}, value]]));
      }
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
