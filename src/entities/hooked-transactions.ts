import type { Change } from '../changelog/events.ts';
import type { InTransaction, Join } from './entities.ts';

/**
 * The transactions whose changes the host's hook `inTransaction` is looking at. A call that the hook makes there, with the option `transaction`, joins the work of
 * that transaction, so that a commit has one list of changes, whoever made them.
 */
export class HookedTransactions {
  readonly #open = new Map<unknown, Join>();

  /** The hook, which lets calls join while it runs. */
  hooked(hook: (change: Change, context: { readonly transaction: unknown }) => void | Promise<void>): InTransaction {
    return async (change, context, join) => {
      const { transaction } = context;
      const former = this.#open.get(transaction);
      this.#open.set(transaction, join);
      try {
        await hook(change, context);
      } finally {
        // The hook runs for the changes of its own calls, too.
        if (former) this.#open.set(transaction, former);
        else this.#open.delete(transaction);
      }
    };
  }

  /** @returns joins the transaction; undefined if no hook runs in it */
  at(transaction: unknown): Join | undefined {
    return this.#open.get(transaction);
  }
}
