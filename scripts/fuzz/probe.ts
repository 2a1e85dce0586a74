/**
 * Preloaded into the fuzzed server. Reports to the fuzzer how long the event loop was blocked, how much of that was garbage collection, and
 * how much memory is in use after garbage collection. Blocks are measured in processor time of the thread, so that load on the machine
 * makes little difference.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const TICK_MS = 5;
/** Minimum length of a reported block. */
const MIN_BLOCK_MS = 20;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Delay before a block is evaluated, because Node reports garbage collections late, especially if there are many. */
const GC_REPORT_DELAY_MS = 500;

let blocks = 0;

/** The latest garbage collections. */
const collections: { readonly start: number; readonly ms: number }[] = [];
const MAX_COLLECTIONS = 10_000;

/** The time spent on garbage collection in an interval, in milliseconds. */
const collectedIn = (from: number, to: number): number =>
  collections.reduce((sum, { start, ms }) => sum + Math.max(0, Math.min(to, start + ms) - Math.max(from, start)), 0);

/** An event, with its time and the processor time of this thread until then: a request began or ended, or a statement was slow. */
interface Step {
  readonly at: number;
  readonly cpuMs: number;
  readonly what: string;
}

/** The latest steps. Those during a block show what caused it. */
const steps: Step[] = [];
const MAX_STEPS = 2000;
/** Requests that have not been answered yet. */
const open = new Map<IncomingMessage, string>();

const recordStep = (what: string): void => {
  steps.push({ at: performance.now(), cpuMs: cpuMs(), what });
  if (steps.length > MAX_STEPS) steps.splice(0, MAX_STEPS / 2);
};

/** Minimum duration of a recorded SQLite statement. */
const MIN_STATEMENT_MS = 10;

/**
 * Records slow statements. They run in the thread of the event loop, so a slow one, such as a commit with a checkpoint, is a block by
 * itself.
 */
const recordStatements = (): void => {
  /** The SQL of statements and of iterators over their rows. */
  const texts = new WeakMap<object, string>();
  const textOf = (statement: object): string => texts.get(statement) ?? '';
  type Method = (this: object, ...values: unknown[]) => unknown;
  const replace = (prototype: object, name: string, wrap: (original: Method) => Method) =>
    Reflect.set(prototype, name, wrap(Reflect.get(prototype, name) as Method)); // a method of Node
  const named =
    (nameOf: (receiver: object, values: unknown[]) => string) =>
    (original: Method): Method =>
      function (...values) {
        const result = original.apply(this, values) as object; // a statement or an iterator
        texts.set(result, nameOf(this, values));
        return result;
      };
  const timed =
    (nameOf: (receiver: object, values: unknown[]) => string) =>
    (original: Method): Method =>
      function (...values) {
        const began = cpuMs();
        try {
          return original.apply(this, values);
        } finally {
          const ms = cpuMs() - began;
          if (ms >= MIN_STATEMENT_MS) recordStep(`${ms.toFixed(0)} ms for ${nameOf(this, values).slice(0, 120)}`);
        }
      };
  const rows = Object.getPrototypeOf(new DatabaseSync(':memory:').prepare('select 1').iterate());
  replace(
    DatabaseSync.prototype,
    'prepare',
    named((_, [text]) => String(text)),
  );
  replace(StatementSync.prototype, 'iterate', named(textOf));
  replace(
    DatabaseSync.prototype,
    'exec',
    timed((_, [text]) => String(text)),
  );
  for (const name of ['run', 'get', 'all']) replace(StatementSync.prototype, name, timed(textOf));
  replace(rows, 'next', timed(textOf));
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const recordRequests = (): void => {
  const on = (channel: string, describe: (exchange: Exchange) => string) =>
    subscribe(channel, (message) => recordStep(describe(message as Exchange))); // the messages of both channels have this shape
  on('http.server.request.start', ({ request, response }) => {
    const name = `${request.method} ${request.url?.slice(0, 200)}`;
    open.set(request, name);
    response.once('close', () => open.delete(request));
    return `began ${name}`;
  });
  on('http.server.response.finish', ({ request }) => `ended ${open.get(request)}`);
};

/** Maximum number of steps to report for a block: the latest ones. */
const MAX_REPORTED_STEPS = 20;

/** The steps in an interval, each with the processor time since the start of the interval, and the requests that are still running. */
const stepsIn = (from: number, to: number, cpuFrom: number): readonly string[] => [
  ...steps
    .filter(({ at }) => at >= from && at <= to)
    .slice(-MAX_REPORTED_STEPS)
    .map((step) => `${(step.cpuMs - cpuFrom).toFixed(0)} ms ${step.what}`),
  ...[...open.values()].slice(0, MAX_REPORTED_STEPS).map((name) => `under way ${name}`),
];

/** The kernel's share of the processor time, and the page faults of this process. */
const kernelShare = () => {
  const { minorPageFault, majorPageFault } = process.resourceUsage();
  return { ms: process.threadCpuUsage().system / 1000, faults: minorPageFault + majorPageFault, swapped: majorPageFault };
};

const kernelSince = (before: ReturnType<typeof kernelShare>): string => {
  const now = kernelShare();
  return `${(now.ms - before.ms).toFixed(0)} ms of the kernel's, ${now.faults - before.faults} page faults of the process, ${now.swapped - before.swapped} of them read from a disk`;
};

/**
 * Reports blocks. A timer fires as soon as the event loop is free, so the processor time since the previous tick is at most one block and
 * this tick.
 */
const watch = (): void => {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ start: startTime, ms: duration });
    if (collections.length > MAX_COLLECTIONS) collections.splice(0, MAX_COLLECTIONS / 2);
  }).observe({ entryTypes: ['gc'] });
  recordRequests();
  let [at, before, kernel] = [performance.now(), cpuMs(), kernelShare()];
  setInterval(() => {
    const [from, to, ms] = [at, performance.now(), cpuMs() - before];
    if (ms > MIN_BLOCK_MS) {
      const id = ++blocks;
      const within = [kernelSince(kernel), ...stepsIn(from, to, before)];
      process.send?.({ is: 'blocked', id });
      setTimeout(() => {
        process.send?.({ is: 'block', id, ms, collecting: Math.min(ms, collectedIn(from, to)), steps: within });
      }, GC_REPORT_DELAY_MS).unref();
    }
    [at, before, kernel] = [performance.now(), cpuMs(), kernelShare()];
  }, TICK_MS).unref();
};

const reportMemory = (): void => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ is: 'memory', heap: heapUsed + external, rss });
};

recordStatements();
process.on('message', (message) => (message === 'watch' ? watch() : reportMemory()));
// Does not keep the server alive.
process.channel?.unref();
