/**
 * The timers of the runtime, captured when this module is loaded, so that fake timers of test frameworks do not stop the controller.
 * `Date.now` is read at each call, because tests set the time with it.
 */
interface Timers {
  readonly setTimeout: typeof globalThis.setTimeout;
  readonly clearTimeout: typeof globalThis.clearTimeout;
  /** Node only. */
  readonly setImmediate?: (task: () => void) => unknown;
}

interface NodeProcess {
  getBuiltinModule?(name: 'node:timers'): Timers;
}

// Jest can fake the global timers before any module loads (`enableGlobally`), but not those of `node:timers`.
const { process } = globalThis as { process?: NodeProcess };

const timers: Timers = process?.getBuiltinModule?.('node:timers') ?? globalThis;

/** The function of the runtime, even if a test has replaced the global one. */
export const setTimeout = timers.setTimeout;
/** The function of the runtime, even if a test has replaced the global one. */
export const clearTimeout = timers.clearTimeout;
/** The function of Node, even if a test has replaced the global one; undefined in other runtimes. */
export const setImmediate = timers.setImmediate;

/** Monotonic time in milliseconds, with fractions. */
export const performanceNow: () => number = globalThis.performance.now.bind(globalThis.performance);
