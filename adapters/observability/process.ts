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
  const { open, most } = descriptors();
  return [
    cpu,
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', [[{}, rss]]),
    gauge('process_heap_bytes', 'Memory that objects on the heap take.', [[{}, heapUsed]]),
    gauge('process_start_time_seconds', 'Time at which the process was started, in seconds since 1970.', [[{}, startedAt]]),
    ...(open === undefined ? [] : [gauge('process_open_fds', 'Open file descriptors.', [[{}, open]])]),
    ...(most === undefined ? [] : [gauge('process_max_fds', 'Maximum number of open file descriptors.', [[{}, most]])]),
  ];
};

/** As Linux lists them; undefined elsewhere, `most` also if there is no limit. */
const descriptors = (): { readonly open?: number; readonly most?: number } => {
  try {
    const { readdirSync, readFileSync } = globalThis.process.getBuiltinModule('node:fs');
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return { open: readdirSync('/proc/self/fd').length, ...(most === undefined ? {} : { most: Number(most) }) };
  } catch {
    return {};
  }
};
