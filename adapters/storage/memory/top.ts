import { createTimeSlice } from '../../../src/adapter-kit.ts';
import type { Abortable } from './slices.ts';

type Compare<T> = (a: T, b: T) => number;

/** Number of items per time slice. */
const ITEMS_AT_ONCE = 2000;

/**
 * Selects the first items without sorting the others, with a bounded heap whose root is the last selected item.
 * @returns the first `count` items in the order of `compare`; a promise if there are so many that the selection yielded to the event loop
 * @throws the reason of the signal, once aborted
 */
export const firstOf = <T>(
  items: readonly T[],
  count: number,
  compare: Compare<T>,
  query: Abortable = {},
): readonly T[] | Promise<readonly T[]> => {
  if (items.length > ITEMS_AT_ONCE) return firstOfMany(items, count, compare, query);
  const heap: T[] = [];
  for (const item of items) offer(heap, item, count, compare);
  return heap.sort(compare);
};

const firstOfMany = async <T>(items: readonly T[], count: number, compare: Compare<T>, query: Abortable): Promise<readonly T[]> => {
  const yieldIfDue = createTimeSlice(ITEMS_AT_ONCE);
  const heap: T[] = [];
  for (const item of items) {
    offer(heap, item, count, compare);
    const pause = yieldIfDue();
    if (!pause) continue;
    await pause;
    query.signal?.throwIfAborted();
  }
  const first: T[] = new Array(heap.length);
  for (let index = heap.length - 1; index >= 0; index--) {
    first[index] = takeLast(heap, compare);
    const pause = yieldIfDue();
    if (!pause) continue;
    await pause;
    query.signal?.throwIfAborted();
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
