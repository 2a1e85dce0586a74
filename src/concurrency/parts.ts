/**
 * Splits items, in order, into parts between which the caller yields (see `yieldToEventLoop`).
 * @param enough a part ends with the item by which the sizes of its items reach this sum
 */
export function* inParts<T>(items: Iterable<T>, sizeOf: (item: T) => number, enough: number): Generator<readonly T[]> {
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
