import { setImmediate, setTimeout } from '../platform/timers.ts';

/** Calls a function in the next turn of the event loop. Without `setImmediate`, a turn takes at least a millisecond. */
const onNextTurn: (task: () => void) => unknown = setImmediate ?? ((task) => setTimeout(task, 0));

/** The fraction of the current time slice that is spent. All long computations share one time slice. */
let spent = 0;

const beginTimeSlice = () => {
  spent = 0;
};

/** All that waits for a turn, in order of arrival. */
const waiting: (() => void)[] = [];
/** The number of long computations among them. */
let computations = 0;

const resumeNext = () => {
  beginTimeSlice();
  waiting.shift()?.();
  if (waiting.length > 0) onNextTurn(resumeNext);
};

const onOwnTurn = (task: () => void): void => {
  if (waiting.push(task) === 1) onNextTurn(resumeNext);
};

/**
 * Yields to the event loop. If several computations have yielded, each iteration of the event loop resumes only one: together they would
 * block everything else (decision 022).
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    computations++;
    onOwnTurn(() => {
      computations--;
      resolve();
    });
  });

/** Waits like `yieldToEventLoop`, before work that takes one slice. It is not counted as a long computation. */
export const awaitTurn = (): Promise<void> => new Promise(onOwnTurn);

/** The number of long computations that wait for their next slice. */
export const pendingTurns = (): number => computations;

/** The number of all that wait for a turn. */
export const allPendingTurns = (): number => waiting.length;

/** Smaller shares are not counted, so that small requests do not set a timer. */
const MIN_SHARE = 0.1;

/**
 * Spends part of the current time slice, which all computations share.
 * @param share the fraction of a time slice, which is a few milliseconds of work
 * @returns true if it is time to yield
 */
export const spendTimeSlice = (share: number): boolean => {
  if (share >= MIN_SHARE) {
    if (spent === 0) onNextTurn(beginTimeSlice);
    spent += share;
  }
  return isTimeSliceSpent();
};

/** True if the current time slice is spent, so that the caller should yield. */
export const isTimeSliceSpent = (): boolean => spent >= 1;

/**
 * Divides a long computation into time slices. After each step, the computation awaits the returned function, which yields to the event
 * loop when the time slice is spent: after a number of steps, or earlier if other work shares it.
 * @param steps the number of steps that take a few milliseconds
 */
export const createTimeSlice = (steps: number): ((stepsDone?: number) => Promise<void> | undefined) => {
  let sum = 0;
  return (stepsDone = 1) => {
    sum += stepsDone;
    const share = sum / steps;
    if (share < MIN_SHARE) return undefined;
    sum = 0;
    return spendTimeSlice(share) ? yieldToEventLoop() : undefined;
  };
};

/** Number of entries of rows that are processed in one time slice. */
export const ENTRIES_AT_ONCE = 5000;

/** The number of steps for `createTimeSlice` that a row counts as: one, plus one for each entry of its lists. */
export const entriesIn = (row: object | null | undefined): number => {
  let entries = 1;
  for (const value of Object.values(row ?? {})) if (Array.isArray(value)) entries += value.length;
  return entries;
};

/**
 * Splits items into batches, in order, so that the caller can yield between batches (see `yieldToEventLoop`).
 * @param batchSize the total size of items at which a batch is complete
 */
export function* inBatches<T>(items: Iterable<T>, sizeOf: (item: T) => number, batchSize: number): Generator<readonly T[]> {
  let batch: T[] = [];
  let sum = 0;
  for (const item of items) {
    batch.push(item);
    sum += sizeOf(item);
    if (sum < batchSize) continue;
    yield batch;
    batch = [];
    sum = 0;
  }
  if (batch.length > 0) yield batch;
}
