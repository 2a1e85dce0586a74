import { oneOf, stringField } from '../../query/index.ts';
import { createSingleFlight } from '../../runtime/concurrency/single-flight.ts';
import { pause } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import type { Settling } from '../../store/entities/settled-store.ts';
import type { Background } from '../../store/jobs/background.ts';
import type { EarliestEnds } from '../../store/read-cache/earliest-ends.ts';
import type { IncompleteRows } from '../../store/read-cache/incomplete-rows.ts';
import type { ReadCache } from '../../store/read-cache/read-cache.ts';
import { completeRow } from '../../store/read-cache/row-completion.ts';
import type { Row, Store } from '../../store/storage/port.ts';
import { completeById, completeIn, completeWrittenAfter, isAhead, refusalLog } from './complete-rows.ts';
import { createRetries, RETRY_MS } from './retries.ts';

const ORIGIN = { actor: 'system', requestId: 'complete-rows' } as const;
const FAILURE = 'rows of another release could not be completed; retrying. Until then, they may not be found by some of their fields';

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
  /** See `Settling.completedRows`. */
  completedRows: Settling['completedRows'];
  /** See `Settling.completeWithin`. */
  completeWithin: Settling['completeWithin'];
}

export const createCompletion = ({ store, platform, background, readCache, incomplete, earliest }: CompletionParts): Completion => {
  const { clock } = platform;
  const refused = refusalLog(platform);
  const { start, untilDone, failed } = createRetries(platform, background, ORIGIN, FAILURE);

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
    start(forgetIncomplete);
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
    for (;;) {
      const after = incomplete.takeMissed();
      if (after === undefined) break;
      await untilDone(signal, async () => {
        await completeWrittenAfter(store, after, Number.POSITIVE_INFINITY, refused, { signal });
        start(forgetIncomplete);
      });
    }
    isCatchingUp = false;
  };
  incomplete.listen(
    () => {
      if (isCatchingUp) return;
      isCatchingUp = true;
      start(completeMissed);
    },
    ({ table, row }) => earliest.apply({ entity: table, after: row }),
  );
  return {
    complete: createSingleFlight(() =>
      background()
        .run(ORIGIN, ({ signal }) => completeFound(signal))
        .catch((error: unknown) => {
          failed(error);
          start(retryLater);
        }),
    ).run,
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
  };
};
