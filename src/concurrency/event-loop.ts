/** The share of the current time slice that is spent. All long computations share one. */
let done = 0;

const beginTimeSlice = () => {
  done = 0;
};

/** Long computations that wait to continue, in order. */
const waiting: (() => void)[] = [];

const goOn = () => {
  beginTimeSlice();
  waiting.shift()?.();
  if (waiting.length > 0) setTimeout(goOn, 0);
};

/**
 * Yields to the event loop. Of several computations that wait for it, one continues at a time: together they would block everything else
 * (decision 054).
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setTimeout(goOn, 0);
  });

/** Less is not counted, so that small requests set no timer. */
const LEAST_SHARE = 0.1;

/**
 * Spends part of the current time slice, which all computations share.
 * @param share of the work of one time slice, which takes some milliseconds
 * @returns true if it is time to yield
 */
export const spendTimeSlice = (share: number): boolean => {
  if (share >= LEAST_SHARE) {
    if (done === 0) setTimeout(beginTimeSlice, 0);
    done += share;
  }
  return isTimeSliceSpent();
};

/** True if the current time slice is spent, so that the caller should yield. */
export const isTimeSliceSpent = (): boolean => done >= 1;

/**
 * For a long computation, which awaits it at each step: yields after so many steps, or earlier if other work shares the time slice.
 * @param steps that take some milliseconds together
 * @returns takes how many steps were done: default 1
 */
export const createTimeSlice = (steps: number): ((more?: number) => Promise<void> | undefined) => {
  let sum = 0;
  return (more = 1) => {
    sum += more;
    const share = sum / steps;
    if (share < LEAST_SHARE) return undefined;
    sum = 0;
    return spendTimeSlice(share) ? yieldToEventLoop() : undefined;
  };
};

/** Entries of rows that are worked on before others have a turn. */
export const ENTRIES_AT_ONCE = 5000;

/** How much work a row is, in steps of `createTimeSlice`: one, and one for each entry of its lists. */
export const entriesIn = (row: object | null | undefined): number =>
  Object.values(row ?? {}).reduce((sum: number, value: unknown) => (Array.isArray(value) ? sum + value.length : sum), 1);

/**
 * Splits items, in order, into parts between which the caller yields (see `yieldToEventLoop`).
 * @param enough a part ends with the item at which the total size of its items reaches this
 */
export function* inBatches<T>(items: Iterable<T>, sizeOf: (item: T) => number, enough: number): Generator<readonly T[]> {
  let part: T[] = [];
  let sum = 0;
  for (const item of items) {
    part.push(item);
    sum += sizeOf(item);
    if (sum < enough) continue;
    yield part;
    [part, sum] = [[], 0];
  }
  if (part.length > 0) yield part;
}
