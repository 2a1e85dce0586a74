/**
 * Preloaded into the server that is fuzzed: tells the fuzzer how long its event loop was blocked, in processor time of its thread, so that a busy machine
 * makes no difference, and what memory it holds once garbage is collected.
 */
const TICK_MS = 5;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** A timer comes between any two pieces of work: what was spent since the last one is a block, and this tick at most. */
const watch = (): void => {
  let before = cpuMs();
  setInterval(() => {
    const now = cpuMs();
    if (now - before > TICK_MS) process.send?.({ is: 'block', ms: now - before });
    before = cpuMs();
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
