import { unavailable } from '../errors/index.ts';
import { pastTransaction } from '../history/past-transaction.ts';
import type { Undo } from '../history/undo.ts';
import { GrantHasEnded } from '../read-cache/earliest-ends.ts';
import { RowIncomplete } from '../read-cache/incomplete-rows.ts';
import type { Store, Transaction } from '../storage/port.ts';

/** The attribution of changes that take ended grants out of effect, and of those that announce an end. */
export const EXPIRED = { actor: 'system', requestId: 'grants', reason: 'expired' } as const;
export const EXPIRING = { ...EXPIRED, reason: 'expiring' } as const;

/** Maximum number of attempts, each of which finds that another grant has ended. */
const MAX_ATTEMPTS = 20;
/** Number of attempts that found incomplete rows, after which the next one does not leave it to another transaction to complete them. */
const MAX_REFUSALS = 2;

/** How transactions deal with grants that have ended, and with rows that another release left incomplete. */
export interface Settling {
  /** Takes all ended grants out of effect. @throws errors of the store */
  settle(): Promise<void>;
  /** The rows that differ once all grants that have ended are out of effect, by table and id. @throws GrantHasEnded if it is cheaper to wait until they are */
  settledRows(tx: Transaction): Promise<Undo['tables']>;
  /** Completes the rows of other releases. */
  complete(): Promise<void>;
  /** The rows that are incomplete in a snapshot, as they are once they are complete, by table and id. @throws GrantHasEnded if the snapshot has such a grant */
  completedRows(tx: Transaction): Promise<Undo['tables']>;
  /** Runs work of a write transaction, in which the rows of other releases are completed before. */
  completeWithin<T>(tx: Transaction, work: () => Promise<T>): Promise<T>;
}

/**
 * A store whose cached transactions see no grant that has ended: before one that would see it decides anything, it is rolled back, the grant is taken out of
 * effect, and the transaction runs again. So a grant ends at its time even if no job runs. If many grants end at once, only writes wait for that: reads run
 * on a view. If a grant cannot be taken out of effect, the transaction rejects. Neither do they see a row that another release left incomplete: if that
 * release writes others while one is being completed, reads run on a view, too, and writes complete them themselves.
 */
export const settledStore = (store: Store, { settle, settledRows, complete, completedRows, completeWithin }: Settling): Store => ({
  transaction: async (mode, work, options) => {
    const onView = (tables: Settling['settledRows']) =>
      store.transaction('read', async (tx) => work(pastTransaction(tx, { tables: await tables(tx) })), options);
    const completely = () => {
      if (mode === 'read') return onView(completedRows);
      // Others that share the commit must not see what a part of it that is rolled back has completed.
      return store.transaction('write', (tx) => completeWithin(tx, () => work(tx)), { ...options, mayShareCommit: false });
    };
    let refusals = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await (refusals < MAX_REFUSALS ? store.transaction(mode, work, options) : completely());
      } catch (error) {
        if (error instanceof RowIncomplete) {
          options?.signal?.throwIfAborted();
          if (attempt === MAX_ATTEMPTS) throw unavailable('another release writes too many rows that have to be completed');
          refusals++;
          await complete();
          continue;
        }
        if (!(error instanceof GrantHasEnded)) throw error;
      }
      options?.signal?.throwIfAborted();
      if (mode === 'read')
        try {
          return await onView(settledRows);
        } catch (error) {
          if (!(error instanceof GrantHasEnded)) throw error;
        }
      if (attempt === MAX_ATTEMPTS) throw unavailable('too many grants are ending at this moment');
      await settle();
    }
  },
  join: (host) => store.join(host),
  ...(store.kinds && { kinds: store.kinds }),
  check: async () => store.check?.(),
  close: () => store.close(),
});
