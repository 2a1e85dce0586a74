/**
 * Preloaded into the server that is fuzzed: tells the fuzzer how long its event loop was blocked, in processor time of its thread, so that a busy machine
 * makes little difference, how much of that was garbage collection, and what memory it holds once garbage is collected.
 */
import { PerformanceObserver, performance } from 'node:perf_hooks';

const TICK_MS = 5;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Collections since the last block. */
const collections: { readonly start: number; readonly ms: number }[] = [];

/** Milliseconds within a stretch of time in which garbage was collected. */
const collectedIn = (from: number, to: number): number => {
  let sum = 0;
  for (const { start, ms } of collections.splice(0)) sum += Math.max(0, Math.min(to, start + ms) - Math.max(from, start));
  return sum;
};

/** A timer comes between any two pieces of work: what was spent since the last one is a block, and this tick at most. */
const watch = (): void => {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ start: startTime, ms: duration });
  }).observe({ entryTypes: ['gc'] });
  let [at, before] = [performance.now(), cpuMs()];
  setInterval(() => {
    const [from, to, ms] = [at, performance.now(), cpuMs() - before];
    // What was collected is told a turn later.
    if (ms > TICK_MS)
      setImmediate(() => setImmediate(() => process.send?.({ is: 'block', ms, collecting: Math.min(ms, collectedIn(from, to)) })));
    [at, before] = [performance.now(), cpuMs()];
  }, TICK_MS).unref();
};

const tellMemory = (): void => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ is: 'memory', heap: heapUsed + external, rss });
};

process.on('message', (message) => (message === 'watch' ? watch() : tellMemory()));
// Does not keep the server alive.
process.channel?.unref();
