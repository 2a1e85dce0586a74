import type { Clock } from './platform.ts';
import { clearTimeout, performanceNow, setTimeout } from './timers.ts';

/** The clock of the runtime. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now(), monotonic: performanceNow });

/** The monotonic time of a clock, in milliseconds. */
export const monotonic = (clock: Clock): number => (clock.monotonic ? clock.monotonic() : clock.now());

export interface TimerOptions {
  /** Keeps the process alive. Default false. */
  readonly keepsAlive?: boolean;
}

/**
 * Runs `task` once, after a delay on this clock.
 * @returns a function that cancels it
 */
export const after = (clock: Clock, milliseconds: number, task: () => void, options: TimerOptions = {}): (() => void) =>
  clock.after ? clock.after(milliseconds, task) : realAfter(milliseconds, task, options);

/**
 * Runs `step` at a fixed interval, for the first time after one interval. Skips steps while one is still running.
 * @returns a function that stops it
 */
export const every = (clock: Clock, milliseconds: number, step: () => Promise<void>): (() => void) => {
  let isRunning = false;
  const finish = () => {
    isRunning = false;
  };
  const run = () => {
    cancel = after(clock, milliseconds, run);
    if (isRunning) return;
    isRunning = true;
    step().then(finish, finish);
  };
  let cancel = after(clock, milliseconds, run);
  return () => cancel();
};

/** Resolves after a delay, or as soon as `signal` is aborted. */
export const pause = (clock: Clock, milliseconds: number, signal: AbortSignal, options: TimerOptions = {}): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = after(clock, milliseconds, finish, options);
    signal.addEventListener('abort', finish);
  });

const realAfter = (milliseconds: number, task: () => void, { keepsAlive = false }: TimerOptions): (() => void) => {
  const timer = setTimeout(task, milliseconds);
  if (!keepsAlive) setKeepsAlive(timer, false);
  return () => clearTimeout(timer);
};

/**
 * Runs a task after the timer's delay.
 * @returns a function that cancels it
 */
export type SharedTimer = (task: () => void) => () => void;

interface WaitingTask {
  /** Time of `performanceNow`. ms */
  readonly due: number;
  readonly task: () => void;
}

/** Maximum delay of JavaScript timers: with a longer one, they fire immediately. ms */
const MAX_DELAY = 2 ** 31 - 1;

/**
 * Creates one timer for all tasks with the same delay, such as the time limits of requests, so that adding and cancelling a task is cheap.
 * The timer keeps the process alive while a task is waiting.
 * @param milliseconds the delay; if it is above 2^31 - 1, e.g. Infinity, tasks never run
 */
export const createSharedTimer = (milliseconds: number): SharedTimer => {
  if (milliseconds > MAX_DELAY) return () => () => undefined;
  // In order of due time.
  const waiting = new Set<WaitingTask>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const fire = () => {
    const now = performanceNow();
    for (const entry of waiting) {
      if (entry.due > now) break;
      waiting.delete(entry);
      entry.task();
    }
    const [next] = waiting;
    timer = next && setTimeout(fire, Math.ceil(next.due - now));
  };

  return (task) => {
    const entry = { due: performanceNow() + milliseconds, task };
    waiting.add(entry);
    if (timer === undefined) timer = setTimeout(fire, milliseconds);
    else if (waiting.size === 1) setKeepsAlive(timer, true);
    return () => {
      waiting.delete(entry);
      if (waiting.size === 0 && timer !== undefined) setKeepsAlive(timer, false);
    };
  };
};

/** Node's timers are objects, and keep the process alive unless unreferenced. In other runtimes, timers are numbers. */
const setKeepsAlive = (timer: unknown, keepsAlive: boolean): void => {
  const { ref, unref } = timer as { ref?(): void; unref?(): void };
  (keepsAlive ? ref : unref)?.call(timer);
};

/** Maximum number of cached times. A call needs a few of them, and calls in the same millisecond need the same ones. */
const MAX_CACHED = 16;
const cachedTexts = new Map<number, string>();

/**
 * A time in milliseconds since 1970 as ISO 8601 text in UTC.
 * @throws RangeError if it is not a valid time
 */
export const isoTime = (milliseconds: number): string => {
  const cached = cachedTexts.get(milliseconds);
  if (cached !== undefined) return cached;
  if (cachedTexts.size === MAX_CACHED) cachedTexts.clear();
  const text = new Date(milliseconds).toISOString();
  cachedTexts.set(milliseconds, text);
  return text;
};

/** Spans of time, in milliseconds. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const YEAR = 365 * DAY;
