import { change as changeKind } from '../api/changes.ts';
import type { Change } from '../changelog/events.ts';
import { averageBytes, changeOf, endOfLog, recordsFrom } from '../changelog/log.ts';
import type { Entities } from './entities.ts';

/** Part of the change log. */
export interface LogPage {
  /** In order, and without a gap. */
  readonly changes: readonly Change[];
  /** Set if the next changes have left the log (settings `changesKept`, `changeBytesKept`): the revision of the last missing one. */
  readonly missingUpTo?: number;
  /** Bytes of a change, if known. */
  readonly averageBytes?: number | undefined;
}

/** The revision of the record at one end of the log; 0 if the log is empty. */
export const revisionAt = async (entities: Entities, end: 'oldest' | 'newest'): Promise<number> =>
  (await entities.list(changeKind, endOfLog(end)))[0]?.revision ?? 0;

/** Reads the changes after a revision, or reports that they are missing. */
export const pageAfter = async (entities: Entities, after: number, limit: number): Promise<LogPage> => {
  const records = await entities.list(changeKind, recordsFrom(after + 1, limit));
  const changes = records.map(changeOf);
  const [first] = changes;
  if (first && first.revision > after + 1) return { changes: [], missingUpTo: first.revision - 1 };
  // Records of the first releases were dropped one by one: there may be another gap further on.
  const gap = changes.findIndex(({ revision }, i) => revision !== after + 1 + i);
  return { changes: gap < 0 ? changes : changes.slice(0, gap), averageBytes: averageBytes(records) };
};
