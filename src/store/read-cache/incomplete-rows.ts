import type { Change } from '../../contract/changes/events.ts';
import { oneOf, stringField } from '../../query/index.ts';
import { tableOf } from '../changelog/views.ts';
import type { Row, Transaction, TransactionMode } from '../storage/port.ts';
import { completeRow, kindNamed, mayBeIncomplete } from './row-completion.ts';

/** The snapshot of a transaction contains an incomplete row. Complete it, then run the transaction again. */
export class RowIncomplete extends Error {
  override readonly name = 'RowIncomplete';
}

/** Rows by table and id, with the revision of the change that made each doubtful. */
type Doubts = Map<string, Map<string, number>>;

/** A row that was found complete, or has been completed. */
export interface ExaminedRow {
  readonly table: string;
  readonly row: Row;
}

const ID = stringField('id');

/**
 * Tracks which rows another release has left incomplete, by following the change log together with the read cache. Changes of this
 * controller are always complete. A row is read only if its change suggests that it may be incomplete, in the transaction that read the
 * change.
 */
export class IncompleteRows {
  readonly #doubtful: Doubts = new Map();
  readonly #incomplete: Doubts = new Map();
  #knownUpTo: number;
  #missedAfter: number | undefined;
  #completions = 0;
  #isPostponed = false;
  #completeInWriter: number | undefined;
  #onMissed: () => void = () => undefined;
  #onExamined: (examined: ExaminedRow) => void = () => undefined;

  /** @param knownUpTo the revision up to which all rows are complete */
  constructor(knownUpTo: number) {
    this.#knownUpTo = knownUpTo;
  }

  /**
   * Increased when rows have been completed, or were found complete: an earlier snapshot with the same revision may contain their
   * incomplete versions.
   */
  get completions(): number {
    return this.#completions;
  }

  /** Calls `missed` when changes were not read, and `examined` for each row that is found complete or has been completed. */
  listen(missed: () => void, examined: (examined: ExaminedRow) => void): void {
    this.#onMissed = missed;
    this.#onExamined = examined;
  }

  /** Applies a change by another controller, or in a transaction of the host. */
  apply(change: Change): void {
    this.#knownUpTo = change.revision;
    const kind = kindNamed(change.entity);
    if (!kind || !change.after) return;
    if (mayBeIncomplete(kind, change.before, change.after)) note(this.#doubtful, tableOf(kind), change.entityId, change.revision);
  }

  /** Skips a change of this controller. */
  pass(revision: number): void {
    if (revision === this.#knownUpTo + 1) this.#knownUpTo = revision;
  }

  /** Call when the changes up to a revision cannot be read. */
  missed(upTo: number): void {
    if (upTo <= this.#knownUpTo) return;
    this.#missedAfter ??= this.#knownUpTo;
    this.#knownUpTo = upTo;
    this.#onMissed();
  }

  /** Call when the database has lost the changes after a revision. */
  returnTo(revision: number): void {
    this.#knownUpTo = Math.min(this.#knownUpTo, revision);
  }

  /** The revision after which changes were missed, once; undefined if none were. */
  takeMissed(): number | undefined {
    const after = this.#missedAfter;
    this.#missedAfter = undefined;
    return after;
  }

  /**
   * Reads the rows that may be incomplete at the revision of a snapshot.
   * @returns the number of rows found complete, which is added to `completions`; undefined if no row may be incomplete
   */
  examine(tx: Transaction, revision: number): Promise<number> | undefined {
    return this.#doubtful.size === 0 ? undefined : this.#examine(tx, revision);
  }

  async #examine(tx: Transaction, revision: number): Promise<number> {
    const doubtful = [...this.#doubtful].flatMap(([table, rows]) => {
      const ids = [...rows].flatMap(([id, since]) => (since <= revision ? [id] : []));
      return ids.length === 0 ? [] : [{ table, ids }];
    });
    if (doubtful.length === 0) return 0;
    const read = doubtful.map(({ table, ids }) => ({ read: 'list', kind: table, query: { where: oneOf(ID, ids) } }) as const);
    const answers = await tx.readAll(read);
    let complete = 0;
    for (const [i, { table, ids }] of doubtful.entries()) {
      const rows = new Map((answers[i] as readonly Row[]).map((row) => [row.id, row])); // the answer of a list
      for (const id of ids) if (this.#isComplete(table, id, rows.get(id), revision)) complete++;
    }
    // Another controller may have completed them, after a snapshot that is still in use.
    this.#completions += complete;
    return complete;
  }

  /** @returns true if the row was doubtful and is complete */
  #isComplete(table: string, id: string, row: Row | undefined, revision: number): boolean {
    const since = this.#doubtful.get(table)?.get(id);
    // Another transaction has examined it, or a later change has made it doubtful again.
    if (since === undefined || since > revision) return false;
    drop(this.#doubtful, table, id);
    if (!row) return false;
    const isIncomplete = completeRow(table, row) !== undefined;
    if (isIncomplete) note(this.#incomplete, table, id, since);
    else this.#onExamined({ table, row });
    return !isIncomplete;
  }

  /**
   * @param revision the revision of a snapshot
   * @param completions the value of `completions` before the snapshot, plus the result of `examine`
   * @throws RowIncomplete if the snapshot may contain an incomplete row
   */
  assertComplete(revision: number, completions: number, mode: TransactionMode): void {
    if (mode === 'write' && revision === this.#completeInWriter) return;
    if (completions !== this.#completions) throw new RowIncomplete();
    if (this.#incomplete.size === 0 || this.#isPostponed) return;
    for (const rows of this.#incomplete.values()) for (const since of rows.values()) if (since <= revision) throw new RowIncomplete();
  }

  /** The ids of the rows that were found incomplete, by table. */
  get found(): readonly (readonly [table: string, ids: readonly string[]])[] {
    return [...this.#incomplete].map(([table, rows]) => [table, [...rows.keys()]] as const);
  }

  /**
   * Runs the work of a write transaction that has completed all incomplete rows. No other transaction writes in the meantime.
   * @param revision the revision of its snapshot
   */
  async completeWithin<T>(revision: number, work: () => Promise<T>): Promise<T> {
    this.#completeInWriter = revision;
    try {
      return await work();
    } finally {
      this.#completeInWriter = undefined;
    }
  }

  /**
   * Call when rows have been completed, or no longer need to be.
   * @param rows the complete rows
   */
  completed(table: string, ids: readonly string[], rows: readonly Row[]): void {
    for (const id of ids) drop(this.#incomplete, table, id);
    this.#completions++;
    for (const row of rows) this.#onExamined({ table, row });
  }

  /** @param isPostponed true to let transactions read incomplete rows */
  postpone(isPostponed: boolean): void {
    this.#isPostponed = isPostponed;
  }
}

const note = (doubts: Doubts, table: string, id: string, revision: number): void => {
  const rows = doubts.get(table) ?? new Map<string, number>();
  doubts.set(table, rows);
  rows.set(id, revision);
};

const drop = (doubts: Doubts, table: string, id: string): void => {
  const rows = doubts.get(table);
  rows?.delete(id);
  if (rows?.size === 0) doubts.delete(table);
};
