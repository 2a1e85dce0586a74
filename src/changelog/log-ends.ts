/** The end of the log after the record with this revision. */
interface End<E> {
  readonly revision: number;
  readonly end: E;
}

/** Remembers the last record that this controller appended, so that the next append need not read it. */
export class LogEnds<E> {
  /** The last record appended, whose transaction may not have committed yet. */
  #appended: End<E> | undefined;
  #committed: End<E> | undefined;

  /** The end of the log after a revision, if it is remembered. @param since the revision up to which everything is committed. Default: `revision` */
  at(revision: number, since = revision): E | undefined {
    const known = revision > since ? this.#appended : this.#committed;
    return known?.revision === revision ? known.end : undefined;
  }

  append(revision: number, end: E): void {
    this.#appended = { revision, end };
  }

  /** Marks the record of a revision as committed. */
  commit(revision: number): void {
    if (this.#appended?.revision === revision) this.#committed = this.#appended;
  }

  /** Forgets everything: the database may have lost committed records. */
  forget(): void {
    this.#appended = this.#committed = undefined;
  }
}
