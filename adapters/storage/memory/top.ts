import { createTimeSlice } from '../../../src/adapter-kit.ts';

type Compare<T> = (a: T, b: T) => number;

/** Number of items that are compared with others in one piece. */
const ITEMS_AT_ONCE = 2000;

/**
 * Sorts only what is selected (a bounded heap with the last selected item at its root).
 * @returns the first `count` items in the order of `compare`; a promise if there are so many that others had turns @throws the reason of `signal`, once aborted
 */
export const firstOf = <T>(
  items: readonly T[],
  count: number,
  compare: Compare<T>,
  signal?: AbortSignal,
): readonly T[] | Promise<readonly T[]> => {
  if (items.length > ITEMS_AT_ONCE) return firstOfMany(items, count, compare, signal);
  const heap: T[] = [];
  for (const item of items) offer(heap, item, count, compare);
  return heap.sort(compare);
};

const firstOfMany = async <T>(
  items: readonly T[],
  count: number,
  compare: Compare<T>,
  signal: AbortSignal | undefined,
): Promise<readonly T[]> => {
  const yieldIfDue = createTimeSlice(ITEMS_AT_ONCE);
  const heap: T[] = [];
  for (const item of items) {
    offer(heap, item, count, compare);
    const pause = yieldIfDue();
    if (!pause) continue;
    await pause;
    signal?.throwIfAborted();
  }
  const first: T[] = new Array(heap.length);
  for (let place = heap.length - 1; place >= 0; place--) {
    first[place] = takeLast(heap, compare);
    const pause = yieldIfDue();
    if (!pause) continue;
    await pause;
    signal?.throwIfAborted();
  }
  return first;
};

const offer = <T>(heap: T[], item: T, count: number, compare: Compare<T>): void => {
  if (heap.length < count) {
    heap.push(item);
    siftUp(heap, compare);
  } else if (heap[0] !== undefined && compare(item, heap[0]) < 0) {
    heap[0] = item;
    siftDown(heap, compare);
  }
};

/** Removes the root. The heap must not be empty. */
const takeLast = <T>(heap: T[], compare: Compare<T>): T => {
  const [last, moved] = [heap[0], heap.pop()] as [T, T];
  if (heap.length > 0) {
    heap[0] = moved;
    siftDown(heap, compare);
  }
  return last;
};

const siftUp = <T>(heap: T[], compare: (a: T, b: T) => number): void => {
  for (let index = heap.length - 1; index > 0; ) {
    const parent = (index - 1) >> 1;
    if (!swapIfLater(heap, index, parent, compare)) return;
    index = parent;
  }
};

const siftDown = <T>(heap: T[], compare: (a: T, b: T) => number): void => {
  for (let index = 0; ; ) {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    const later = right < heap.length && isLater(heap, right, left, compare) ? right : left;
    if (later >= heap.length || !swapIfLater(heap, later, index, compare)) return;
    index = later;
  }
};

// The casts below are safe: all callers pass indexes within the heap.
const isLater = <T>(heap: T[], a: number, b: number, compare: (a: T, b: T) => number): boolean => compare(heap[a] as T, heap[b] as T) > 0;

const swapIfLater = <T>(heap: T[], child: number, parent: number, compare: (a: T, b: T) => number): boolean => {
  if (!isLater(heap, child, parent, compare)) return false;
  [heap[child], heap[parent]] = [heap[parent] as T, heap[child] as T];
  return true;
};
