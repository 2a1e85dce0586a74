/**
 * The timers of the runtime, taken when this module loads. Fake timers, which test frameworks put in their place, would otherwise stop what the controller
 * waits for. `Date.now` is read at each call, because tests set the time with it.
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

/** The function of the runtime, also while a test has replaced the global one. */
export const setTimeout = timers.setTimeout;
/** The function of the runtime, also while a test has replaced the global one. */
export const clearTimeout = timers.clearTimeout;
/** The function of Node, also while a test has replaced the global one; undefined elsewhere. */
export const setImmediate = timers.setImmediate;

/** Milliseconds on a monotonic clock, with fractions. */
export const performanceNow: () => number = globalThis.performance.now.bind(globalThis.performance);
