import { change as changeKind } from '../api/changes.ts';
import { createTurns } from '../concurrency/event-loop.ts';
import type { Logger } from '../platform/platform.ts';
import type { Store } from '../storage/port.ts';
import { ENTRIES_AT_ONCE, entriesIn } from '../storage/row-entries.ts';
import type { Change } from './events.ts';
import type { ChangeListeners } from './listeners.ts';
import { changeOf, newestRevision, recordsFrom } from './log.ts';

const BATCH = 500;

/**
 * Turns committed changes into events, each once and in order of revision. What this controller wrote itself is announced right after
 * its commit; what came in another way (a host's own transaction, another controller on the same store) is read from the change log.
 */
export interface Publisher {
  /** Changes that this controller has just committed. */
  announce(changes: readonly Change[]): Promise<void>;
  /** Publishes what the change log holds beyond what was published. What has left the log meanwhile is missing, and logged as a warning. */
  catchUp(): Promise<void>;
}

export const createPublisher = async (store: Store, listeners: ChangeListeners, logger: Logger): Promise<Publisher> => {
  let published = await newestRevision(store);
  let work: Promise<void> = Promise.resolve();
  const turn = createTurns(ENTRIES_AT_ONCE);

  const emit = (change: Change) => {
    if (change.revision > published + 1)
      logger.warn('changes left the change log before their events were published: what follows events must read its entities anew', {
        from: published + 1,
        to: change.revision - 1,
      });
    published = change.revision;
    listeners.emit(change);
  };
  /** Listeners do their part at once, which is the more work the larger the rows are. */
  const emitAll = async (changes: readonly Change[]) => {
    for (const change of changes) {
      emit(change);
      await turn(entriesIn(change.before) + entriesIn(change.after));
    }
  };
  /** @param end the revision before which it stops: what comes from there on is at hand */
  const readOn = async (end = Number.POSITIVE_INFINITY) => {
    for (let more = true; more; ) {
      const rows = await store.transaction('read', (tx) => tx.list(changeKind.kind, recordsFrom(published + 1, BATCH)));
      const wanted = rows.map(changeOf).filter(({ revision }) => revision < end);
      await emitAll(wanted);
      more = wanted.length === BATCH;
    }
  };
  // One at a time, so that no change is published twice or out of turn.
  const queue = (step: () => Promise<void> | void): Promise<void> => {
    work = work
      .then(step, step)
      .catch((error) => logger.error('changes could not be published; they stay in the change log', { error: String(error) }));
    return work;
  };
  return {
    announce: (changes) =>
      queue(async () => {
        const fresh = changes.filter((change) => change.revision > published);
        if (fresh[0] === undefined) return;
        if (fresh[0].revision > published + 1) await readOn(fresh[0].revision);
        await emitAll(fresh);
      }),
    catchUp: () => queue(readOn),
  };
};
