import type { Change } from '../contract/changes/events.ts';
import type { Entities } from '../store/entities/entities.ts';
import type { Core } from './core.ts';
import type { Grant } from './grant.ts';

/** The transaction of a call that executes nested calls. */
export interface EnclosingTransaction {
  /** All nested calls read and write here. */
  readonly entities: Entities;
  /** The answers of the host's code to the nested calls; undefined in a transaction of the host, where that code runs immediately. */
  readonly answers?: HostAnswers;
  /** Called with the changes of a nested call, and with its grant. */
  onWritten?(changes: readonly Change[], grant: Grant): void;
}

/**
 * Answers of the host's code to nested calls. That code does not run while the transaction of the call is open, because it may write
 * through the controller, and would wait for the transaction. A nested call with an unanswered question continues provisionally; then the
 * transaction is rolled back, the host's code runs, and the transaction runs again. Time and random values are the same in all runs, so
 * that new entities keep their ids, and recorded answers apply to them.
 */
export interface HostAnswers {
  /** The services of the controller, with random values that are the same in each run. */
  readonly core: Core;
  /** The time at which the first run began, as ISO text. */
  readonly now: string;
  /** True if the present run has unanswered questions, so that it will be rolled back. */
  readonly isIncomplete: boolean;
  /**
   * @param question the input of the answer, as JSON. Each nested call with the same question gets an answer of its own
   * @param ask runs the host's code, outside of transactions
   * @returns the answer; undefined if there is none yet
   */
  answer<T>(question: readonly unknown[], ask: () => Promise<T>): Promise<T> | undefined;
}
