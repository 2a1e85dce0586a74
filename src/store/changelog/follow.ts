import { change as changeKind } from '../../contract/api/changes.ts';
import type { Change } from '../../contract/changes/events.ts';
import type { Query, Row, Store, Transaction } from '../storage/port.ts';
import { averageBytes, changeOf, extentOf } from './log.ts';
import { endOfLog, recordsFrom } from './queries.ts';

/** Reads records of the change log, either within one transaction or in a new one for each query. */
export type ReadRecords = (query: Query) => Promise<readonly Row[]>;

/** Consecutive changes. */
export interface LogPage {
  /** In order of revision, without gaps. Empty if `missingUpTo` is set. */
  readonly changes: readonly Change[];
  /**
   * The revision of the last missing change, if the next changes were already dropped from the log (settings `changesKept`,
   * `changeBytesKept`).
   */
  readonly missingUpTo?: number;
  /** The revision up to which changes are skipped, see `untilGrown`. */
  readonly passedTo?: number;
}

export interface FollowOptions {
  /**
   * Maximum number of records per page, or a function that computes it from the average bytes per record of the previous page, if known.
   */
  readonly batch: number | ((averageBytes: number | undefined) => number);
  /** Maximum number of pages. Default: no limit. */
  readonly pages?: number;
  /**
   * Called at the end of the log: resolves when the log has changes after a revision. If it resolves to a number, all changes up to this
   * revision are skipped without reading them. Default: stops at the end of the log.
   */
  readonly untilGrown?: (revision: number) => Promise<unknown>;
  /** Stops following when aborted. */
  readonly signal?: AbortSignal;
}

/** Bounds of a page, in records and in approximate bytes. */
export interface PageBounds {
  /** Number of records of the first page, when their size is not known yet. */
  readonly first: number;
  readonly min: number;
  readonly max: number;
  readonly bytes: number;
}

/** Computes the number of records in the next page from their average size in the previous one. */
export const recordsPerPage =
  ({ first, min, max, bytes }: PageBounds) =>
  (averageBytes: number | undefined): number =>
    averageBytes === undefined ? first : Math.max(min, Math.min(max, Math.floor(bytes / averageBytes)));

/** Reads the records within one transaction. */
export const recordsOf =
  (tx: Pick<Transaction, 'list'>): ReadRecords =>
  (query) =>
    tx.list(changeKind.kind, query);

/**
 * Follows the change log: yields the changes after a revision, a page at a time, and reads a page only when the consumer requests it. After
 * a gap, continues with the oldest change in the log.
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
    const changes = consecutive(last, records.map(sharedChange));
    const [oldest] = changes.length === 0 ? records : [];
    // Before the contiguous part of the log, there may be single reserved records.
    if (oldest) last = Math.max(Number(oldest.revision), await oldestRevision(read)) - 1;
    else last += changes.length;
    if (oldest) yield { changes, missingUpTo: last };
    else if (changes.length > 0) yield { changes };
    if (records.length === limit || changes.length < records.length) continue;
    if (!untilGrown) return;
    for (let passed = await untilGrown(last); typeof passed === 'number' && passed > last; passed = await untilGrown(last)) {
      last = passed;
      yield { changes: [], passedTo: last };
    }
  }
}

/** The change that a row records: one frozen object for all followers that share a read. */
const sharedChange = (row: Row): Change => {
  let change = sharedChanges.get(row);
  if (!change) {
    change = Object.freeze(changeOf(row));
    sharedChanges.set(row, change);
  }
  return change;
};

const sharedChanges = new WeakMap<Row, Change>();

/** The changes after a revision, up to the first gap. There may be several gaps, because the first releases dropped records one by one. */
const consecutive = (after: number, changes: readonly Change[]): readonly Change[] => {
  const gap = changes.findIndex(({ revision }, i) => revision !== after + 1 + i);
  return gap < 0 ? changes : changes.slice(0, gap);
};

/** The revision of the last record of the log; 0 if the log is empty. */
const newestIn = async (read: ReadRecords): Promise<number> => Number((await read(endOfLog('newest')))[0]?.revision ?? 0);

/** The revision of the oldest record after which no record is missing; 0 if the log is empty. */
export const oldestRevision = async (read: ReadRecords): Promise<number> => {
  const extent = extentOf((await read(endOfLog('newest')))[0]);
  if (extent?.reserve) return extent.oldest;
  const [first] = await read(endOfLog('oldest'));
  // An earlier release that writes to the same log drops the reserve from the extent, but keeps its records.
  return first?.isReserved === true && extent ? extent.oldest : Number(first?.revision ?? 0);
};

/** The revision of the record at one end of the log; 0 if the log is empty. */
export const revisionAt = (read: ReadRecords, end: 'oldest' | 'newest'): Promise<number> =>
  end === 'newest' ? newestIn(read) : oldestRevision(read);

/** The revision of the last change in the log of a store; 0 if the log is empty. */
export const newestRevision = (store: Store): Promise<number> => store.transaction('read', (tx) => revisionAt(recordsOf(tx), 'newest'));
