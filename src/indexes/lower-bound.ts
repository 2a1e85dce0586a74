/** The first place in a sorted list that is not before what is sought: where it is, or would be. By binary search. */
export const lowerBound = (length: number, isBefore: (place: number) => boolean): number => {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};
