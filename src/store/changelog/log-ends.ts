import type { Extent } from './trim.ts';

/** The end of the log, from which the next append continues. */
export interface LogEnd {
  /** Undefined after a record of an earlier release that stores none. */
  readonly extent: Extent | undefined;
  /** The hash of the last record. */
  readonly hash: string;
}

/** The end of the log after the record with this revision. */
interface EndAt {
  readonly revision: number;
  readonly end: LogEnd;
}

/** Remembers the last record that this controller appended, so that the next append need not read it. */
export class LogEnds {
  /** The last record appended, whose transaction may not have committed yet. */
  #appended: EndAt | undefined;
  #committed: EndAt | undefined;

  /**
   * The end of the log after a revision, if it is remembered.
   * @param since the revision up to which everything is committed. Default: `revision`
   */
  at(revision: number, since = revision): LogEnd | undefined {
    const last = revision > since ? this.#appended : this.#committed;
    return last?.revision === revision ? last.end : undefined;
  }

  append(revision: number, end: LogEnd): void {
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
