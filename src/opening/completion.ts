import type { Settling } from '../entities/settled-store.ts';
import type { Background } from '../jobs/background.ts';
import { monotonic, pause } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import { oneOf, stringField } from '../query/index.ts';
import type { EarliestEnds } from '../read-cache/earliest-ends.ts';
import type { IncompleteRows } from '../read-cache/incomplete-rows.ts';
import type { ReadCache } from '../read-cache/read-cache.ts';
import { completeRow } from '../read-cache/row-completion.ts';
import type { Row, Store } from '../storage/port.ts';
import { completeById, completeIn, completeWrittenAfter, isAhead, refusalLog } from './complete-rows.ts';

/** Delay after a failure. ms */
const RETRY_MS = 5000;
/** Age after which a call that reads past the cache follows the change log again. ms */
const STALE_AFTER = 1000;
const ORIGIN = { actor: 'system', requestId: 'complete-rows' } as const;

interface CompletionParts {
  /** The store itself, whose transactions may see incomplete rows. */
  readonly store: Store;
  readonly platform: Pick<Platform, 'clock' | 'logger'>;
  readonly background: () => Background;
  readonly readCache: ReadCache;
  readonly incomplete: IncompleteRows;
  readonly earliest: EarliestEnds;
}

/** Completes the rows that another release writes while this one is running. */
export interface Completion {
  /** Completes the rows that were found incomplete. Never rejects: after a failure, transactions see them for some seconds. */
  complete(): Promise<void>;
  /**
   * Follows the change log for a call that reads past the cache, unless this was done within the last second.
   * @returns a promise that never rejects; undefined if nothing had to be read
   */
  follow(): Promise<void> | undefined;
  /** See `Settling.completedRows`. */
  completedRows: Settling['completedRows'];
  /** See `Settling.completeWithin`. */
  completeWithin: Settling['completeWithin'];
}

export const createCompletion = ({ store, platform, background, readCache, incomplete, earliest }: CompletionParts): Completion => {
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const refused = refusalLog(platform);
  const failed = (error: unknown) =>
    log('warn', 'rows of another release could not be completed; retrying. Until then, they may not be found by some of their fields', {
      error: String(error),
    });
  /** Rejects only if the controller is already closed. */
  const run = (work: (signal: AbortSignal) => Promise<void>) =>
    void background()
      .run(ORIGIN, ({ signal }) => work(signal))
      .catch(() => undefined);

  /** True if a newer release uses the store, when this was last asked. */
  let isLeftAlone = false;
  /** True if transactions have seen incomplete rows. */
  let wereSeen = false;

  const completeFound = async (signal: AbortSignal): Promise<void> => {
    isLeftAlone = await isAhead(store);
    for (const [table, ids] of incomplete.found)
      incomplete.completed(table, ids, isLeftAlone ? [] : await completeById(store, table, ids, refused, { signal }));
    if (!wereSeen) return;
    wereSeen = false;
    run(forgetIncomplete);
  };
  const retryLater = async (signal: AbortSignal): Promise<void> => {
    incomplete.postpone(true);
    wereSeen = true;
    await pause(clock, RETRY_MS, signal);
    incomplete.postpone(false);
  };
  /** Forgets what was read before rows were completed, and again once all reads that had begun by then have ended. */
  const forgetIncomplete = async (signal: AbortSignal): Promise<void> => {
    readCache.clear();
    await pause(clock, RETRY_MS, signal);
    readCache.clear();
  };
  let isCatchingUp = false;
  /** Completes what was written while the cache did not follow. */
  const completeMissed = async (signal: AbortSignal): Promise<void> => {
    for (let after = incomplete.takeMissed(); after !== undefined; after = incomplete.takeMissed())
      for (let isOver = false; !isOver && !signal.aborted; )
        try {
          await completeWrittenAfter(store, after, Number.POSITIVE_INFINITY, refused, { signal });
          run(forgetIncomplete);
          isOver = true;
        } catch (error) {
          if (!signal.aborted) failed(error);
          await pause(clock, RETRY_MS, signal);
        }
    isCatchingUp = false;
  };
  incomplete.listen(
    () => {
      if (isCatchingUp) return;
      isCatchingUp = true;
      run(completeMissed);
    },
    ({ table, row }) => earliest.apply({ entity: table, after: row }),
  );
  let completing: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let followedAt = Number.NEGATIVE_INFINITY;
  return {
    complete: () =>
      (completing ??= background()
        .run(ORIGIN, ({ signal }) => completeFound(signal))
        .catch((error: unknown) => {
          failed(error);
          run(retryLater);
        })
        .finally(() => {
          completing = undefined;
        })),
    completedRows: async (tx) => {
      const revision = await readCache.follow(tx);
      earliest.assertValid(revision, clock.now());
      const tables = new Map<string, Map<string, Row>>();
      for (const [table, ids] of incomplete.found) {
        const rows = await tx.list(table, { where: oneOf(stringField('id'), ids) });
        tables.set(table, new Map(rows.map((row) => [row.id, completeRow(table, row) ?? row])));
      }
      return tables;
    },
    completeWithin: async (tx, work) => {
      const revision = await readCache.follow(tx);
      if (!isLeftAlone) for (const [table, ids] of incomplete.found) await completeIn(tx, table, ids);
      return incomplete.completeWithin(revision, work);
    },
    follow: () => {
      const at = monotonic(clock);
      if (at - followedAt < STALE_AFTER) return undefined;
      return (following ??= background()
        .run(ORIGIN, ({ read }) => read((entities) => entities.revision()))
        // The store is unavailable, which the call will report, or the controller is closing.
        .catch(() => undefined)
        .then(() => {
          followedAt = at;
          following = undefined;
        }));
    },
  };
};
