import type { OverriddenTests } from '../../contract/api/changes.ts';
import type { Change } from '../../contract/changes/events.ts';
import { type AppendChange, changeLog, type LogLimits, type Provenance } from '../changelog/log.ts';
import { createUndo, type Undo, type UndoBuilder } from '../history/undo.ts';
import type { CachedTransaction } from '../read-cache/cached-transaction.ts';
import { GrantHasEnded } from '../read-cache/earliest-ends.ts';
import type { Row, Transaction } from '../storage/port.ts';
import { secretKeyNameIn } from './sealed.ts';

/** The options of `EntitiesContext` that apply to the whole transaction. */
interface Limits extends LogLimits {
  /** True if the transaction will be rolled back, so that the end of the log must not be remembered. */
  readonly isRehearsal?: boolean;
  /** True if writes are not kept in memory. */
  readonly forgetsWrites?: boolean;
}

/**
 * The state that all parts of the work in one transaction share: access to the store, the change records, and the rows before the writes.
 */
export class SharedTransaction {
  /** Reads through the cache, if there is one. */
  readonly tx: Transaction;
  readonly cache: CachedTransaction | undefined;
  readonly #uncached: Transaction;
  readonly #limits: Limits;
  /** The transaction that this work has joined. Its changes include those of this work. */
  readonly #outer: SharedTransaction | undefined;
  readonly #changes: Change[] = [];
  #append: AppendChange | undefined;
  /** Records that are withheld; undefined if records are appended immediately. */
  #held: Parameters<AppendChange>[] | undefined;
  /** The rows before the writes so far, until `undo` is first read: most transactions never read it. */
  readonly #notes: Parameters<UndoBuilder['note']>[] = [];
  #undo: UndoBuilder | undefined;
  #secretKeyName: Promise<string | undefined> | undefined;

  constructor(uncached: Transaction, cache: CachedTransaction | undefined, limits: Limits, outer?: SharedTransaction) {
    this.tx = cache ?? uncached;
    this.cache = cache;
    this.#uncached = uncached;
    this.#limits = limits;
    this.#outer = outer;
  }

  /** The same transaction for work that joins it, with its own changes. */
  joined(): SharedTransaction {
    return new SharedTransaction(this.#uncached, this.cache, this.#limits, this);
  }

  /**
   * The same transaction without the cache, for past states.
   * @throws GrantHasEnded in a view without ended grants, which differs from the state that the change records describe
   */
  get uncached(): Transaction {
    if (this.cache && this.#uncached.isView) throw new GrantHasEnded();
    return this.#uncached;
  }

  /** All changes so far, including those of work that has joined. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  keep(change: Change): void {
    if (!this.#limits.forgetsWrites) this.#changes.push(change);
    this.#outer?.keep(change);
  }

  /** Appends a change record, or withholds it. */
  async append(change: Change, provenance: Provenance): Promise<void> {
    if (this.#held) this.#held.push([change, provenance]);
    else await this.#appendNow(change, provenance);
  }

  #appendNow(change: Change, provenance: Provenance): Promise<void> {
    if (this.#outer) return this.#outer.append(change, provenance);
    this.#append ??= changeLog(this.tx, this.#limits, this.#limits.isRehearsal ? undefined : this.cache?.logEnds);
    return this.#append(change, provenance);
  }

  /** See `Entities.holdRecords`. */
  holdRecords(): (overridden: OverriddenTests | undefined) => Promise<void> {
    const records: Parameters<AppendChange>[] = [];
    this.#held = records;
    return async (overriddenTests) => {
      this.#held = undefined;
      for (const [change, provenance] of records) {
        // The same objects become the events of the transaction.
        if (overriddenTests) Object.assign(change, { overriddenTests });
        await this.#appendNow(change, provenance);
      }
    };
  }

  /** The rows before the writes so far, from which the earlier state can be read. Reading this property undoes nothing. */
  get undo(): Undo {
    if (this.#limits.forgetsWrites) throw new TypeError('a transaction that forgets its writes cannot restore the state before them');
    if (!this.#undo) {
      this.#undo = createUndo();
      for (const note of this.#notes) this.#undo.note(...note);
    }
    return this.#undo;
  }

  /** Records the state of a row before a write. */
  note(table: string, id: string, before: Row | undefined): void {
    if (this.#limits.forgetsWrites) return;
    if (this.#undo) this.#undo.note(table, id, before);
    else this.#notes.push([table, id, before]);
    this.#outer?.note(table, id, before);
  }

  /**
   * The name of the secret key under which the network seals secrets. Reading it once is enough: no other transaction replaces the key
   * while this one writes, and a transaction that replaces it writes the key check first.
   */
  secretKeyName(): Promise<string | undefined> {
    return this.#outer?.secretKeyName() ?? (this.#secretKeyName ??= secretKeyNameIn(this.tx));
  }
}
