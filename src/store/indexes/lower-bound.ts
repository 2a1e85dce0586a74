/**
 * Binary search in a sorted list: the first position that is not before the sought element, which is where that element is or would be
 * inserted.
 */
export const lowerBound = (length: number, isBefore: (position: number) => boolean): number => {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};
