import type { CallSource } from '../call/call.ts';
import type { TransactionOptions } from '../storage/port.ts';

/** How the reads of a call run. They have no effects, so that they may run twice. A class, because the signal is made when it is first asked for. */
export class CallReads implements TransactionOptions {
  readonly mayBeginLate = true;
  readonly admit: () => Promise<void> | undefined;
  readonly #source: CallSource;

  constructor(source: CallSource, admit: () => Promise<void> | undefined) {
    this.#source = source;
    this.admit = admit;
  }

  get signal(): AbortSignal | undefined {
    return this.#source.signal;
  }
}
