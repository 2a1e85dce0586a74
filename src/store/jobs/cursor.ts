/**
 * A durable cursor over the change log: a consumer continues where it stopped, on any controller, and receives each change at least once.
 *
 * ```ts
 * for await (const changes of readFrom(lease, 'mirror')) {
 *   await send(changes);
 *   await lease.write((entities) => advance(entities, 'mirror', changes.at(-1).revision));
 * }
 * ```
 * A consumer whose effect is in the store itself has exactly-once semantics: it advances in the transaction of the effect.
 */

import { cursor as cursorKind } from '../../contract/api/cursors.ts';
import type { Change } from '../../contract/changes/events.ts';
import { followLog, type ReadRecords, revisionAt } from '../changelog/follow.ts';
import { recordsIn } from '../entities/change-records.ts';
import type { Entities } from '../entities/entities.ts';
import type { Job } from './background.ts';

/** Number of changes read per transaction. */
const PAGE = 500;

/**
 * Changes were dropped from the log (settings `changesKept`, `changeBytesKept`) before a consumer read them. The consumer must read its
 * entities again, and call `advance` with `to` to continue.
 */
export class ChangesMissing extends Error {
  override readonly name = 'ChangesMissing';
  /** Name of the cursor. */
  readonly cursor: string;
  /** Revision of the first missing change. */
  readonly from: number;
  /** Revision of the last missing change. */
  readonly to: number;
  constructor(cursor: string, from: number, to: number) {
    super(`the changes ${from} to ${to} were dropped from the change log before ${cursor} read them`);
    this.cursor = cursor;
    this.from = from;
    this.to = to;
  }
}

/**
 * Creates a cursor if none with this name exists.
 * @param at where the consumer starts: at the oldest change in the log, or at the next one
 */
export const openCursor = async (entities: Entities, name: string, at: 'oldest' | 'next'): Promise<void> => {
  if (await entities.get(cursorKind, name)) return;
  const last = await revisionAt(recordsIn(entities), at === 'next' ? 'newest' : 'oldest');
  await entities.insert(cursorKind, { id: name, revision: at === 'oldest' ? Math.max(last - 1, 0) : last });
};

/**
 * Yields the changes that the consumer has not handled, in order, one page per transaction. Ends with the last committed change.
 * @throws ChangesMissing if the next changes were dropped from the log; ApiError `NOT_FOUND` for a cursor that was not opened
 */
export async function* readFrom(job: Pick<Job, 'read'>, name: string, pageSize = PAGE): AsyncGenerator<readonly Change[]> {
  const { revision } = await job.read((entities) => entities.require(cursorKind, name));
  let after = revision ?? 0;
  for await (const { changes, missingUpTo } of followLog(readLog(job), after, { batch: pageSize })) {
    if (missingUpTo !== undefined) throw new ChangesMissing(name, after + 1, missingUpTo);
    yield changes;
    after += changes.length;
  }
}

/** Reads the change log, with a separate transaction for each page. */
export const readLog =
  ({ read }: Pick<Job, 'read'>): ReadRecords =>
  (query) =>
    read((entities) => recordsIn(entities)(query));

/**
 * Records that the consumer has handled all changes up to a revision. A cursor never moves backwards.
 * @throws ApiError `NOT_FOUND` for a cursor that was not opened
 */
export const advance = async (entities: Entities, name: string, revision: number): Promise<void> => {
  const row = await entities.require(cursorKind, name);
  if (revision > (row.revision ?? 0)) await entities.update(cursorKind, row, { revision });
};
