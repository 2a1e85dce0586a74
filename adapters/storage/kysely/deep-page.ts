/**
 * Reads a page far behind the first row, in an order that no index has. Each window of ids is sorted by itself: the first pass keeps a
 * sample of each, which tells the rows of a window that may be on the page, and the second pass reads those.
 */
import { and, comparator, createTimeSlice, type Predicate, type Query, type Row } from '../../../src/adapter-kit.ts';
import type { ResultRow } from './result.ts';
import type { Scope } from './scope.ts';
import { orderOfKeys, selectKeys } from './select.ts';
import type { Sql } from './sql.ts';
import { SCANNED_AT_ONCE } from './windows.ts';

/** Every how many rows of a window one is in the sample: more samples take longer to sort, fewer leave more rows to read again. */
const SAMPLE_EVERY = 25;

interface Window {
  readonly where: Predicate;
  readonly size: number;
  /** The number of its rows up to the last visited sample: at least, and at most. */
  least: number;
  most: number;
  /** The number of its first rows that are certainly before the page. */
  skipped: number;
}

interface Sample {
  readonly key: Row;
  readonly window: Window;
}

/**
 * @param query with a sort order and a limit
 * @param select runs a statement
 * @returns the ids of the rows on the page, in its order
 */
export const deepPage = async (
  windows: AsyncIterable<Predicate>,
  scope: Scope,
  kind: string,
  { where, sort = [], offset = 0, limit = 0 }: Query,
  select: (statement: Sql) => Promise<readonly ResultRow[]>,
): Promise<readonly string[]> => {
  const compare = comparator(orderOfKeys(sort));
  const keysIn = async (window: Predicate, page: Pick<Query, 'offset' | 'limit'> = {}) =>
    (await select(selectKeys(scope, kind, { where: and(where, window), sort, ...page }))) as readonly Row[]; // ids and keys
  const samples: Sample[] = [];
  for await (const part of windows) {
    const keys = await keysIn(part);
    const window = { where: part, size: keys.length, least: 0, most: 0, skipped: 0 };
    for (let at = 0; at < keys.length; at += SAMPLE_EVERY) samples.push({ key: keys[at] as Row, window }); // within the length
  }
  narrow(
    samples.sort((a, b) => compare(a.key, b.key)),
    offset,
    limit,
  );
  const yieldIfDue = createTimeSlice(SCANNED_AT_ONCE);
  const candidates: Row[] = [];
  let skipped = 0;
  for (const window of new Set(samples.map((sample) => sample.window))) {
    skipped += window.skipped;
    const page = { offset: window.skipped, limit: window.most - window.skipped };
    if (page.limit <= 0) continue;
    candidates.push(...(await keysIn(window.where, page)));
    await yieldIfDue(SCANNED_AT_ONCE);
  }
  const start = offset - skipped;
  return candidates
    .sort(compare)
    .slice(start, start + limit)
    .map(({ id }) => id);
};

/** Visits the samples in order, until all rows of the page precede the last one: at most `most` rows of each window may be on the page. */
const narrow = (samples: readonly Sample[], offset: number, limit: number): void => {
  let [least, most] = [0, 0];
  for (const { window } of samples) {
    if (least >= offset + limit) return;
    const before = { ...window };
    // The sample is the first row after the former ones; up to the next sample, rows may be before it or after it.
    window.least = before.most + 1;
    window.most = Math.min(window.size, before.most + SAMPLE_EVERY);
    least += window.least - before.least;
    most += window.most - before.most;
    if (most <= offset) window.skipped = window.least;
  }
};
