import type { Change } from '../../contract/changes/events.ts';
import { createTimeSlice, ENTRIES_AT_ONCE, entriesIn } from '../../runtime/concurrency/event-loop.ts';
import type { Logger } from '../../runtime/platform/platform.ts';
import type { Query, Store } from '../storage/port.ts';
import { followLog, newestRevision, recordsOf } from './follow.ts';
import type { ChangeListeners } from './listeners.ts';

/** Number of changes that are read at a time. */
const BATCH = 500;

/**
 * Publishes committed changes as events, each exactly once and in order of revision. Changes of this controller are published right after
 * their commit; those made in a transaction of the host or by another controller are read from the change log.
 */
export interface Publisher {
  /** Publishes changes that this controller has just committed. */
  announce(changes: readonly Change[]): Promise<void>;
  /** Publishes the changes in the log that have not been published yet. Logs a warning if some were already dropped from the log. */
  catchUp(): Promise<void>;
}

export const createPublisher = async (store: Store, listeners: ChangeListeners, logger: Logger): Promise<Publisher> => {
  let published = await newestRevision(store);
  let lastStep: Promise<void> = Promise.resolve();
  const timeSlice = createTimeSlice(ENTRIES_AT_ONCE);

  const emit = async (changes: readonly Change[], onGap?: () => Promise<void>) => {
    for (const change of changes) {
      // The changes before this one were made by another controller, or in a transaction of the host.
      if (change.revision > published + 1 && onGap) await onGap();
      if (change.revision <= published) continue;
      published = change.revision;
      listeners.emit(change);
      // Listeners run synchronously, and larger rows mean more work.
      await timeSlice(entriesIn(change.before) + entriesIn(change.after));
    }
  };
  const catchUp = async () => {
    const read = (query: Query) => store.transaction('read', (tx) => recordsOf(tx)(query));
    for await (const { changes, missingUpTo } of followLog(read, published, { batch: BATCH })) {
      if (missingUpTo !== undefined) {
        logger.warn('changes left the change log before their events were published: consumers of events must reload', {
          from: published + 1,
          to: missingUpTo,
        });
        published = missingUpTo;
      }
      await emit(changes);
    }
  };
  // Runs one step at a time, so that no change is published twice or out of order.
  const queue = (step: () => Promise<void> | void): Promise<void> => {
    lastStep = lastStep
      .then(step)
      .catch((error) => logger.error('changes could not be published; they remain in the change log', { error: String(error) }));
    return lastStep;
  };
  return {
    announce: (changes) => queue(() => emit(changes, catchUp)),
    catchUp: () => queue(catchUp),
  };
};
