/** Entries of rows that are worked on before others have a turn. */
export const ENTRIES_AT_ONCE = 5000;

/** How much work a row is, in steps of `createTurns`: one, and one for each entry of its lists. */
export const entriesIn = (row: object | null | undefined): number =>
  Object.values(row ?? {}).reduce((sum: number, value: unknown) => (Array.isArray(value) ? sum + value.length : sum), 1);
