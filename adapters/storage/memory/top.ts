/** The first `count` items in the order of `compare`. Does not sort the rest: it uses a heap with the last of the selected items on top. */
export const firstOf = <T>(items: Iterable<T>, count: number, compare: (a: T, b: T) => number): readonly T[] => {
  const heap: T[] = [];
  for (const item of items) {
    if (heap.length < count) {
      heap.push(item);
      rise(heap, compare);
    } else if (heap[0] !== undefined && compare(item, heap[0]) < 0) {
      heap[0] = item;
      sink(heap, compare);
    }
  }
  return heap.sort(compare);
};

const rise = <T>(heap: T[], compare: (a: T, b: T) => number): void => {
  for (let index = heap.length - 1; index > 0; ) {
    const parent = (index - 1) >> 1;
    if (!swapIfLater(heap, index, parent, compare)) return;
    index = parent;
  }
};

const sink = <T>(heap: T[], compare: (a: T, b: T) => number): void => {
  for (let index = 0; ; ) {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    const later = right < heap.length && isLater(heap, right, left, compare) ? right : left;
    if (later >= heap.length || !swapIfLater(heap, later, index, compare)) return;
    index = later;
  }
};

// The casts are safe, because all callers pass positions within the heap.
const isLater = <T>(heap: T[], a: number, b: number, compare: (a: T, b: T) => number): boolean => compare(heap[a] as T, heap[b] as T) > 0;

const swapIfLater = <T>(heap: T[], child: number, parent: number, compare: (a: T, b: T) => number): boolean => {
  if (!isLater(heap, child, parent, compare)) return false;
  [heap[child], heap[parent]] = [heap[parent] as T, heap[child] as T];
  return true;
};
