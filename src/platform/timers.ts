import type { Clock } from './platform.ts';

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
