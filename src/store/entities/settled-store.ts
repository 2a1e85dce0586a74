import { unavailable } from '../../contract/errors/index.ts';
import { PastTransaction } from '../history/past-transaction.ts';
import type { Undo } from '../history/undo.ts';
import { GrantHasEnded } from '../read-cache/earliest-ends.ts';
import { RowIncomplete } from '../read-cache/incomplete-rows.ts';
import { StoreUnavailable } from '../storage/errors.ts';
import type { Store, Transaction, TransactionMode, TransactionOptions } from '../storage/port.ts';

/** Maximum number of attempts, each of which finds that another grant has ended or another row is incomplete. */
const MAX_ATTEMPTS = 20;
/** Number of attempts that found incomplete rows before the transaction completes them itself. */
const MAX_REFUSALS = 2;

/** Takes ended grants out of effect, and completes rows that another release left incomplete. */
export interface Settling {
  /**
   * Takes all ended grants out of effect.
   * @throws errors of the store
   */
  settle(): Promise<void>;
  /**
   * The rows that differ once all ended grants are out of effect, by table and id.
   * @throws GrantHasEnded if it is cheaper to wait for `settle`
   */
  settledRows(tx: Transaction): Promise<Undo['tables']>;
  /** Completes all incomplete rows. */
  complete(): Promise<void>;
  /**
   * The completed versions of the rows that are incomplete in a snapshot, by table and id.
   * @throws GrantHasEnded if the snapshot contains an ended grant
   */
  completedRows(tx: Transaction): Promise<Undo['tables']>;
  /** Completes the incomplete rows in a write transaction, then runs its work. */
  completeWithin<T>(tx: Transaction, work: () => Promise<T>): Promise<T>;
}

/** The outcome of the last write, for the health. */
export interface WriteOutcome {
  /** True if the database was unavailable to it, for example because its disk is full. */
  wasUnavailable: boolean;
}

type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * A store whose cached transactions never read a grant that has ended: the transaction is rolled back before it decides anything, the grant
 * is taken out of effect, and the transaction runs again. So a grant ends on time even if no job runs. If many grants end at once, only
 * writes wait: reads run on a view. If a grant cannot be taken out of effect, the transaction rejects.
 *
 * Nor do they read a row that another release left incomplete. If that release keeps writing while rows are being completed, reads run on a
 * view, and writes complete the rows themselves.
 */
export const settledStore = (store: Store, settling: Settling, lastWrite: WriteOutcome): Store => ({
  transaction: createSettledTransaction(store, settling, lastWrite),
  join: (host) => store.join(host),
  ...(store.kinds && { kinds: store.kinds }),
  check: async () => store.check?.(),
  close: () => store.close(),
});

interface Attempt<T> {
  readonly mode: TransactionMode;
  readonly work: Work<T>;
  readonly options: TransactionOptions | undefined;
}

const createSettledTransaction =
  (store: Store, settling: Settling, lastWrite: WriteOutcome): Store['transaction'] =>
  async (mode, work, options) => {
    let refusals = 0;
    for (let attempts = 1; ; attempts++) {
      try {
        const result =
          refusals < MAX_REFUSALS
            ? await store.transaction(mode, work, options)
            : await runCompleted(store, settling, { mode, work, options });
        if (mode === 'write') lastWrite.wasUnavailable = false;
        return result;
      } catch (error) {
        if (mode === 'write' && error instanceof StoreUnavailable) lastWrite.wasUnavailable = true;
        if (!(error instanceof RowIncomplete || error instanceof GrantHasEnded)) throw error;
        options?.signal?.throwIfAborted();
        if (error instanceof RowIncomplete) {
          if (attempts === MAX_ATTEMPTS) throw unavailable('another release keeps writing rows that must be completed');
          refusals++;
          await settling.complete();
          continue;
        }
      }
      const view = mode === 'read' ? await runOnSettledView(store, settling, { work, options }) : undefined;
      if (view) return view.result;
      if (attempts === MAX_ATTEMPTS) throw unavailable('too many grants are ending at this moment');
      await settling.settle();
    }
  };

const runOnView = <T>(
  store: Store,
  readRows: Settling['settledRows'],
  { work, options }: Pick<Attempt<T>, 'work' | 'options'>,
): Promise<T> => store.transaction('read', async (tx) => work(new PastTransaction(tx, { tables: await readRows(tx) })), options);

/** @returns undefined if it is cheaper to wait until the grants are out of effect */
const runOnSettledView = async <T>(
  store: Store,
  { settledRows }: Settling,
  attempt: Pick<Attempt<T>, 'work' | 'options'>,
): Promise<{ readonly result: T } | undefined> => {
  try {
    return { result: await runOnView(store, settledRows, attempt) };
  } catch (error) {
    if (error instanceof GrantHasEnded) return undefined;
    throw error;
  }
};

const runCompleted = <T>(store: Store, { completedRows, completeWithin }: Settling, attempt: Attempt<T>): Promise<T> => {
  const { mode, work, options } = attempt;
  if (mode === 'read') return runOnView(store, completedRows, attempt);
  // Transactions in the same group commit must not read rows that one of them has completed and may still roll back.
  return store.transaction('write', (tx) => completeWithin(tx, () => work(tx)), { ...options, mayShareCommit: false });
};
