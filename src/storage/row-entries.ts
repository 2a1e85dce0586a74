/** Entries of rows that are worked on before others have a turn. */
export const ENTRIES_AT_ONCE = 5000;

/** Rows in their order, in parts that are worked on before others have a turn: of one row at least. */
export function* inParts<R extends object>(rows: readonly R[]): Generator<readonly R[]> {
  let part: R[] = [];
  let sum = 0;
  for (const row of rows) {
    part.push(row);
    sum += entriesIn(row);
    if (sum < ENTRIES_AT_ONCE) continue;
    yield part;
    [part, sum] = [[], 0];
  }
  if (part.length > 0) yield part;
}

/** How much work a row is, in steps of `createTurns`: one, and one for each entry of its lists. */
export const entriesIn = (row: object | null | undefined): number =>
  Object.values(row ?? {}).reduce((sum: number, value: unknown) => (Array.isArray(value) ? sum + value.length : sum), 1);
