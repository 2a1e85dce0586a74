/** The extent of the log, as stored in the record of this revision. */
interface End<E> {
  readonly revision: number;
  readonly extent: E;
}

/** The end of the log as this controller has written it, so that the next append need not read the last record. */
export class LogEnds<E> {
  /** The last record of a transaction that may not have committed. */
  #noted: End<E> | undefined;
  #committed: End<E> | undefined;

  /** @param since the revision up to which everything is committed. Default: the last revision drawn */
  at(revision: number, since = revision): E | undefined {
    const end = revision > since ? this.#noted : this.#committed;
    return end?.revision === revision ? end.extent : undefined;
  }

  note(revision: number, extent: E): void {
    this.#noted = { revision, extent };
  }

  /** The record of a revision is committed. */
  commit(revision: number): void {
    if (this.#noted?.revision === revision) this.#committed = this.#noted;
  }

  /** Forgets both: committed records may be lost. */
  forget(): void {
    this.#noted = this.#committed = undefined;
  }
}
