import { change as changeKind } from '../api/changes.ts';
import { ALL, stringField } from '../query/index.ts';
import type { Query, Row, Store, Transaction } from '../storage/port.ts';
import { type Change, changeId } from './events.ts';
import { averageBytes, changeOf } from './log.ts';

/** Reads records of the change log: `list` of one transaction, or of a new one for each query. */
export type ReadRecords = (query: Query) => Promise<readonly Row[]>;

/** Consecutive changes. */
export interface LogPage {
  /** In order of revision, without a gap. Empty if `missingUpTo` is set. */
  readonly changes: readonly Change[];
  /** The revision of the last missing change, if the next ones have left the log (settings `changesKept`, `changeBytesKept`). */
  readonly missingUpTo?: number;
}

export interface FollowOptions {
  /** Maximum number of records of a page, or their number by the average bytes of a record of the page before, if known. */
  readonly batch: number | ((averageBytes: number | undefined) => number);
  /** Maximum number of pages. Default: no limit. */
  readonly pages?: number;
  /** Waits at the end of the log until it has changes after a revision. Default: following ends there. */
  readonly untilGrown?: (revision: number) => Promise<void>;
  /** Ends following when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Reads the records that a transaction of the store sees. */
export const recordsOf =
  (tx: Pick<Transaction, 'list'>): ReadRecords =>
  (query) =>
    tx.list(changeKind.kind, query);

const ID = stringField('id');

/** The records from a revision on, oldest first. */
export const recordsFrom = (revision: number, limit: number): Query => ({
  where: { op: 'compare', field: ID, is: '>=', value: changeId(revision) },
  limit,
});

/**
 * Follows the change log: yields the changes after a revision, a page at a time, and reads the next page when that one has been taken. After a gap it
 * continues with the oldest change in the log.
 */
export async function* followLog(
  read: ReadRecords,
  after: number,
  { batch, pages = Infinity, untilGrown, signal }: FollowOptions,
): AsyncGenerator<LogPage, void, undefined> {
  let bytes: number | undefined;
  for (let last = after, page = 0; page < pages && !signal?.aborted; page++) {
    const limit = typeof batch === 'number' ? batch : batch(bytes);
    const records = await read(recordsFrom(last + 1, limit));
    bytes = averageBytes(records) ?? bytes;
    const changes = consecutive(last, records.map(changeOf));
    const [oldest] = changes.length === 0 ? records : [];
    if (oldest) last = Number(oldest.revision) - 1;
    else last += changes.length;
    if (oldest) yield { changes, missingUpTo: last };
    else if (changes.length > 0) yield { changes };
    if (records.length === limit || changes.length < records.length) continue;
    if (!untilGrown) return;
    await untilGrown(last);
  }
}

/** The changes after a revision up to the first gap. Records of the first releases were dropped one by one, so that there may be several gaps. */
const consecutive = (after: number, changes: readonly Change[]): readonly Change[] => {
  const gap = changes.findIndex(({ revision }, i) => revision !== after + 1 + i);
  return gap < 0 ? changes : changes.slice(0, gap);
};

/** The revision of the record at one end of the log; 0 if the log is empty. */
export const revisionAt = async (read: ReadRecords, end: 'oldest' | 'newest'): Promise<number> =>
  Number((await read(endOfLog(end)))[0]?.revision ?? 0);

/** The record at one end of the log. */
export const endOfLog = (end: 'oldest' | 'newest'): Query => ({
  where: ALL,
  sort: [{ field: ID, descending: end === 'newest' }],
  limit: 1,
});

/** The revision of the last change of a store; 0 if there was none. */
export const newestRevision = (store: Store): Promise<number> => store.transaction('read', (tx) => revisionAt(recordsOf(tx), 'newest'));
