/** @returns the first `count` items in the order of `compare`, without sorting the rest (a bounded heap with the last selected item at its root) */
export const firstOf = <T>(items: Iterable<T>, count: number, compare: (a: T, b: T) => number): readonly T[] => {
  const heap: T[] = [];
  for (const item of items) {
    if (heap.length < count) {
      heap.push(item);
      siftUp(heap, compare);
    } else if (heap[0] !== undefined && compare(item, heap[0]) < 0) {
      heap[0] = item;
      siftDown(heap, compare);
    }
  }
  return heap.sort(compare);
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
