/** The extent of the log, as stored in the record with this revision. */
interface End<E> {
  readonly revision: number;
  readonly extent: E;
}

/** Remembers the last record that this controller appended, so that the next append need not read it. */
export class LogEnds<E> {
  /** The last record appended, whose transaction may not have committed yet. */
  #appended: End<E> | undefined;
  #committed: End<E> | undefined;

  /** The extent in the record with a revision, if it is remembered. @param since the revision up to which everything is committed. Default: `revision` */
  at(revision: number, since = revision): E | undefined {
    const end = revision > since ? this.#appended : this.#committed;
    return end?.revision === revision ? end.extent : undefined;
  }

  append(revision: number, extent: E): void {
    this.#appended = { revision, extent };
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
