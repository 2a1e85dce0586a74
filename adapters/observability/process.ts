import { counter, type Family, gauge } from './exposition.ts';

/**
 * The metrics of the process under the names that Prometheus recommends for all programs
 * (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics). Empty on runtimes without them.
 */
export const processMetrics = (): readonly Family[] => {
  const { process } = globalThis;
  if (!process?.memoryUsage || !process.cpuUsage) return [];
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const cpu = counter('process_cpu_seconds_total', 'Processor time of the process, in user and system mode.');
  cpu.add({}, (user + system) / 1e6);
  const startedAt = Date.now() / 1000 - process.uptime();
  const descriptors = openDescriptors();
  return [
    cpu,
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', [[{}, rss]]),
    gauge('process_heap_bytes', 'Memory that objects on the heap take.', [[{}, heapUsed]]),
    gauge('process_start_time_seconds', 'Time at which the process was started, in seconds since 1970.', [[{}, startedAt]]),
    ...(descriptors === undefined ? [] : [gauge('process_open_fds', 'Open file descriptors.', [[{}, descriptors]])]),
  ];
};

/** Linux lists them; undefined elsewhere. */
const openDescriptors = (): number | undefined => {
  try {
    return globalThis.process.getBuiltinModule('node:fs').readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
};
