/**
 * Preloaded into the server that is fuzzed: reports to the fuzzer how long its event loop was blocked, in processor time of its thread, so that a busy machine
 * makes little difference, how much of that was garbage collection, and what memory it holds once garbage is collected.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const TICK_MS = 5;
/** Shorter blocks are not reported. */
const REPORTED_MS = 20;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Node reports garbage collections late, above all when there are many: a block is judged after this time. In milliseconds. */
const TOLD_WITHIN_MS = 500;

let blocks = 0;

/** The latest collections. */
const collections: { readonly start: number; readonly ms: number }[] = [];
const MOST_COLLECTIONS = 10_000;

/** Milliseconds within a stretch of time in which garbage was collected. */
const collectedIn = (from: number, to: number): number =>
  collections.reduce((sum, { start, ms }) => sum + Math.max(0, Math.min(to, start + ms) - Math.max(from, start)), 0);

/** An event, by the clock and by the processor time of this thread: a request began or ended, or a statement was slow. */
interface Step {
  readonly at: number;
  readonly cpuMs: number;
  readonly what: string;
}

/** The latest of them: what was done in a block stands between two. */
const steps: Step[] = [];
const MAX_STEPS = 2000;
/** Requests that are not answered yet. */
const open = new Map<IncomingMessage, string>();

const noteStep = (what: string): void => {
  steps.push({ at: performance.now(), cpuMs: cpuMs(), what });
  if (steps.length > MAX_STEPS) steps.splice(0, MAX_STEPS / 2);
};

/** Faster SQLite statements are not reported. */
const LONG_STATEMENT_MS = 10;

/** Statements run in the thread of the event loop: a long one is a block by itself, a checkpoint after a commit among them. */
const noteStatements = (): void => {
  /** The text of statements, and of iterators over what they find. */
  const texts = new WeakMap<object, string>();
  const textOf = (statement: object): string => texts.get(statement) ?? '';
  type Method = (this: object, ...values: unknown[]) => unknown;
  const replace = (prototype: object, name: string, by: (original: Method) => Method) =>
    Reflect.set(prototype, name, by(Reflect.get(prototype, name) as Method)); // a method of Node
  const named =
    (nameOf: (from: object, values: unknown[]) => string) =>
    (original: Method): Method =>
      function (...values) {
        const made = original.apply(this, values) as object; // a statement or an iterator
        texts.set(made, nameOf(this, values));
        return made;
      };
  const timed =
    (nameOf: (of: object, values: unknown[]) => string) =>
    (original: Method): Method =>
      function (...values) {
        const began = cpuMs();
        try {
          return original.apply(this, values);
        } finally {
          const ms = cpuMs() - began;
          if (ms >= LONG_STATEMENT_MS) noteStep(`${ms.toFixed(0)} ms for ${nameOf(this, values).slice(0, 120)}`);
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

const noteRequests = (): void => {
  const on = (channel: string, note: (exchange: Exchange) => string) =>
    subscribe(channel, (message) => noteStep(note(message as Exchange))); // on both channels
  on('http.server.request.start', ({ request, response }) => {
    const name = `${request.method} ${request.url?.slice(0, 200)}`;
    open.set(request, name);
    response.once('close', () => open.delete(request));
    return `began ${name}`;
  });
  on('http.server.response.finish', ({ request }) => `ended ${open.get(request)}`);
};

/** Number of reported steps of a block: the latest ones. */
const MOST_TOLD = 20;

/** The events in an interval, each with the processor time since its begin, and the requests that still run. */
const stepsIn = (from: number, to: number, cpuFrom: number): readonly string[] => [
  ...steps
    .filter(({ at }) => at >= from && at <= to)
    .slice(-MOST_TOLD)
    .map((step) => `${(step.cpuMs - cpuFrom).toFixed(0)} ms ${step.what}`),
  ...[...open.values()].slice(0, MOST_TOLD).map((name) => `under way ${name}`),
];

/** Resource usage of this process. */
const kernelShare = () => {
  const { minorPageFault, majorPageFault } = process.resourceUsage();
  return { ms: process.threadCpuUsage().system / 1000, faults: minorPageFault + majorPageFault, swapped: majorPageFault };
};

const kernelSince = (before: ReturnType<typeof kernelShare>): string => {
  const now = kernelShare();
  return `${(now.ms - before.ms).toFixed(0)} ms of the kernel's, ${now.faults - before.faults} page faults of the process, ${now.swapped - before.swapped} of them read from a disk`;
};

/** A timer comes between any two pieces of work: what was spent since the last one is a block, and this tick at most. */
const watch = (): void => {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ start: startTime, ms: duration });
    if (collections.length > MOST_COLLECTIONS) collections.splice(0, MOST_COLLECTIONS / 2);
  }).observe({ entryTypes: ['gc'] });
  noteRequests();
  let [at, before, kernel] = [performance.now(), cpuMs(), kernelShare()];
  setInterval(() => {
    const [from, to, ms] = [at, performance.now(), cpuMs() - before];
    if (ms > REPORTED_MS) {
      const id = ++blocks;
      const within = [kernelSince(kernel), ...stepsIn(from, to, before)];
      process.send?.({ is: 'blocked', id });
      setTimeout(() => {
        process.send?.({ is: 'block', id, ms, collecting: Math.min(ms, collectedIn(from, to)), steps: within });
      }, TOLD_WITHIN_MS).unref();
    }
    [at, before, kernel] = [performance.now(), cpuMs(), kernelShare()];
  }, TICK_MS).unref();
};

const tellMemory = (): void => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ is: 'memory', heap: heapUsed + external, rss });
};

noteStatements();
process.on('message', (message) => (message === 'watch' ? watch() : tellMemory()));
// Does not keep the server alive.
process.channel?.unref();
