import type { Change } from '../../contract/changes/events.ts';
import type { InTransaction, Join } from './entities.ts';

/**
 * The transactions in which the host's hook `inTransaction` is running. A call of the hook with the option `transaction` joins that
 * transaction, so that a commit has a single list of changes.
 */
export class HookedTransactions {
  readonly #open = new Map<unknown, Join>();

  /** Wraps the hook, so that its calls can join the transaction while it runs. */
  wrap(hook: (change: Change, context: { readonly transaction: unknown }) => void | Promise<void>): InTransaction {
    return async (change, context, join) => {
      const { transaction } = context;
      const outer = this.#open.get(transaction);
      this.#open.set(transaction, join);
      try {
        await hook(change, context);
      } finally {
        // The hook runs for the changes of its own calls, too.
        if (outer) this.#open.set(transaction, outer);
        else this.#open.delete(transaction);
      }
    };
  }

  /** The function that joins a transaction; undefined if the hook is not running in it. */
  joinOf(transaction: unknown): Join | undefined {
    return this.#open.get(transaction);
  }
}
