import type { Clock } from './platform.ts';

/** The clock of the runtime. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now(), monotonic: () => performance.now() });

/** Monotonic milliseconds of this clock. */
export const monotonic = (clock: Clock): number => (clock.monotonic ? clock.monotonic() : clock.now());

export interface TimerOptions {
  /** Keeps the process alive. Default false. */
  readonly keepsAlive?: boolean;
}

/** Runs `task` after so many milliseconds on this clock. @returns cancels it */
export const after = (clock: Clock, milliseconds: number, task: () => void, options: TimerOptions = {}): (() => void) =>
  clock.after ? clock.after(milliseconds, task) : realAfter(milliseconds, task, options);

/**
 * Runs `step` every so many milliseconds, the first time after that long. A step that takes longer than the pause is not run beside itself.
 * @returns what ends it
 */
export const every = (clock: Clock, milliseconds: number, step: () => Promise<void>): (() => void) => {
  let isRunning = false;
  const over = () => {
    isRunning = false;
  };
  const run = () => {
    cancel = after(clock, milliseconds, run);
    if (isRunning) return;
    isRunning = true;
    step().then(over, over);
  };
  let cancel = after(clock, milliseconds, run);
  return () => cancel();
};

/** Resolves after so many milliseconds, or as soon as `signal` is aborted. */
export const pause = (clock: Clock, milliseconds: number, signal: AbortSignal, options: TimerOptions = {}): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      cancel();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const cancel = after(clock, milliseconds, over, options);
    signal.addEventListener('abort', over);
  });

const realAfter = (milliseconds: number, task: () => void, { keepsAlive = false }: TimerOptions): (() => void) => {
  const timer = setTimeout(task, milliseconds);
  // Node's timers are objects, and keep the process alive unless unreferenced.
  if (!keepsAlive) (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer);
};

/** Runs a task when the timer expires. @returns cancels it */
export type SharedTimer = (task: () => void) => () => void;

interface Waiting {
  readonly due: number;
  readonly task: () => void;
}

/** Maximum delay in milliseconds. With more, JavaScript timers fire immediately. */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * One timer for all tasks with the same delay, such as the time limit of requests: it is nearly free to add a task and to call it off. The timer keeps
 * the process alive while a task waits.
 * @param milliseconds above 2^31 - 1, such as Infinity, no task is ever run
 */
export const createSharedTimer = (milliseconds: number): SharedTimer => {
  if (milliseconds > LONGEST_DELAY) return () => () => undefined;
  // In order of due time.
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const fire = () => {
    const now = performance.now();
    for (const each of waiting) {
      if (each.due > now) break;
      waiting.delete(each);
      each.task();
    }
    const [next] = waiting;
    timer = next && setTimeout(fire, Math.ceil(next.due - now));
  };

  return (task) => {
    const own = { due: performance.now() + milliseconds, task };
    waiting.add(own);
    if (timer === undefined) timer = setTimeout(fire, milliseconds);
    else if (waiting.size === 1) keepAlive(timer, true);
    return () => {
      waiting.delete(own);
      if (waiting.size === 0 && timer !== undefined) keepAlive(timer, false);
    };
  };
};

/** Node's timers are objects, and keep the process alive unless unreferenced. */
const keepAlive = (timer: unknown, isKept: boolean): void => {
  const { ref, unref } = timer as { ref?(): void; unref?(): void }; // a number in other runtimes
  (isKept ? ref : unref)?.call(timer);
};

/** Times that are remembered. A call asks for a few, and calls of the same millisecond for the same ones. */
const MOST = 16;
const texts = new Map<number, string>();

/** A time in milliseconds since 1970 as ISO 8601 text in UTC. @throws RangeError when it is no time */
export const isoTime = (milliseconds: number): string => {
  const known = texts.get(milliseconds);
  if (known !== undefined) return known;
  if (texts.size === MOST) texts.clear();
  const text = new Date(milliseconds).toISOString();
  texts.set(milliseconds, text);
  return text;
};

/** Spans of time, in milliseconds. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const YEAR = 365 * DAY;
