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

/** How transactions deal with grants that have ended, and with rows that another release left incomplete. */
export interface Settling {
  /** Takes all ended grants out of effect. @throws errors of the store */
  settle(): Promise<void>;
  /** The rows that differ once all grants that have ended are out of effect, by table and id. @throws GrantHasEnded if it is cheaper to wait until they are */
  settledRows(tx: Transaction): Promise<Undo['tables']>;
  /** Completes the rows of other releases. */
  complete(): Promise<void>;
}

/**
 * A store whose cached transactions see no grant that has ended: before one that would see it decides anything, it is rolled back, the grant is taken out of
 * effect, and the transaction runs again. So a grant ends at its time even if no job runs. If many grants end at once, only writes wait for that: reads run
 * on a view. If a grant cannot be taken out of effect, the transaction rejects. Neither do they see a row that another release left incomplete.
 */
export const settledStore = (store: Store, { settle, settledRows, complete }: Settling): Store => ({
  transaction: async (mode, work, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await store.transaction(mode, work, options);
      } catch (error) {
        if (error instanceof RowIncomplete) {
          options?.signal?.throwIfAborted();
          if (attempt === MAX_ATTEMPTS) throw unavailable('another release writes too many rows that have to be completed');
          await complete();
          continue;
        }
        if (!(error instanceof GrantHasEnded)) throw error;
      }
      options?.signal?.throwIfAborted();
      if (mode === 'read')
        try {
          return await store.transaction(mode, async (tx) => work(pastTransaction(tx, { tables: await settledRows(tx) })), options);
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
