import { kinds } from '../../contract/api/index.ts';
import type { Change } from '../../contract/changes/events.ts';
import { idAfter, type Predicate } from '../../query/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE, entriesIn } from '../../runtime/concurrency/event-loop.ts';
import { followLog, recordsOf } from '../changelog/follow.ts';
import { tableOf } from '../changelog/views.ts';
import type { Query, Transaction } from '../storage/port.ts';
import type { BitSet } from './bit-set.ts';
import { type Indexed, indexedAnswer } from './indexed-answer.ts';
import { type IndexedTable, imageOf } from './indexed-tables.ts';
import { type IndexedFields, splitPredicate } from './split-predicate.ts';
import { type Columns, TableIndex } from './table-index.ts';
import { WantedColumns } from './wanted-columns.ts';

/** Number of queries after which a table is indexed: an index is not worth its cost if the table is hardly ever queried. */
const MIN_QUERIES = 2;
/** Number of rows or changes that are read at a time. */
const BATCH = 500;
/**
 * Maximum number of changes that a query reads to catch up, in one statement. More are read in the background while the store answers
 * queries.
 */
const MAX_BEHIND = BATCH;

/** Offset from which an index is worth using for any page: the store would have to skip all rows before it. */
const MIN_DEEP_OFFSET = 1000;

/** The field by which consoles sort lists, and by which pages of pairs and of identities that can dial a service are sorted. */
const USUAL_ORDER = 'name';

/** Runs `work` in the background, in a read transaction. `signal` tells it to stop. */
export type InBackground = (work: (tx: Transaction, signal: AbortSignal) => Promise<void>) => Promise<void>;

/** State and callbacks shared by the followers of all tables. */
export interface SharedIndexState {
  readonly inBackground: InBackground;
  /** Applies a change to all indexes. */
  apply(change: Change): void;
  /** Bytes that the indexes may still occupy. */
  availableBytes(): number;
  /**
   * Called if the index of a table does not fit into memory.
   * @param column the column that does not fit; undefined if it is the index itself
   */
  tooLarge(table: string, column: string | undefined): void;
}

/** The rows of a table at a revision, as sets of numbers. */
export interface NumberedRows {
  readonly numbering: TableIndex['numbering'];
  /**
   * The numbers of the rows that satisfy a predicate.
   * @returns undefined if the index cannot evaluate it, or if it has followed a later change of the table
   */
  bitsOf(where: Predicate): BitSet | undefined;
}

/** Keeps the index of one table up to date by following the change log. */
export class IndexFollower {
  readonly table: string;
  readonly fields: IndexedFields;
  readonly #columns: WantedColumns;
  readonly #shared: SharedIndexState;
  #index: TableIndex | undefined;
  /** The revision up to which changes are applied. */
  #revision = -1;
  /** The revision of the last change to the table. */
  #changedAt = -1;
  #queries = 0;
  #isWorking = false;
  /** True if the table needs more memory than is available. */
  #isTooLarge = false;
  /** Number of drops. A build that began before a drop is discarded. */
  #drops = 0;

  constructor(table: string, { hidden, ...fields }: IndexedTable, shared: SharedIndexState) {
    this.table = table;
    this.fields = fields;
    this.#columns = new WantedColumns(hidden);
    this.#shared = shared;
  }

  get index(): TableIndex | undefined {
    return this.#index;
  }

  async find(tx: Transaction, query: Query, revision: number): Promise<Indexed | undefined> {
    if (this.#isTooLarge) return undefined;
    const useful = this.#columns.usefulFor(query);
    // An existing index also answers a query for all rows: their number, and the ids of a page.
    const isWorthwhile = (query.offset ?? 0) >= MIN_DEEP_OFFSET || (this.#index !== undefined && query.where.op === 'all');
    if (!splitPredicate({ ...this.fields, ...useful }, query.where, isWorthwhile)) return undefined;
    this.#columns.count(useful);
    if (!this.#index) {
      if (++this.#queries >= MIN_QUERIES) void this.#work((inner, signal) => this.#build(inner, signal));
      return undefined;
    }
    if (revision - this.#revision > MAX_BEHIND) {
      void this.#work((inner, signal) => this.#catchUpInBackground(inner, signal));
      return undefined;
    }
    if (revision > this.#revision) await this.#catchUp(tx, revision);
    // Another transaction may have advanced the index beyond the snapshot of this one.
    if (!this.#index || revision > this.#revision || revision < this.#changedAt) return undefined;
    if (lacks(this.#index.columns, this.#columns.wanted)) void this.#work((inner, signal) => this.#build(inner, signal));
    const split = splitPredicate(this.#index.fields, query.where, isWorthwhile);
    return split && indexedAnswer(this.#index.find(split.indexed), split, query);
  }

  /**
   * Builds the index before it is queried, with the order of most pages, unless it is being built. If that fails, later queries build it.
   * @param report called with the number of rows that are indexed
   */
  async warmUp(report: (rows: number) => void): Promise<void> {
    this.#columns.expect(USUAL_ORDER);
    const isCold = () => !this.#isTooLarge && (!this.#index || lacks(this.#index.columns, this.#columns.wanted));
    // The second time without columns, if there is too little memory for them.
    for (let attempt = 0; attempt < 2 && isCold(); attempt++) await this.#work((tx, signal) => this.#build(tx, signal, report));
    // Changes were committed meanwhile.
    await this.#work((tx, signal) => this.#catchUpInBackground(tx, signal));
  }

  /**
   * The rows at a revision up to which the index has already followed the change log; undefined for any other. If it is behind, it follows
   * in the background.
   */
  rowsAt(revision: number): NumberedRows | undefined {
    const [index, changedAt] = [this.#index, this.#changedAt];
    if (!index && !this.#isTooLarge && ++this.#queries >= MIN_QUERIES) void this.#work((tx, signal) => this.#build(tx, signal));
    if (index && revision > this.#revision) void this.#work((tx, signal) => this.#catchUpInBackground(tx, signal));
    if (!index || revision > this.#revision || revision < changedAt) return undefined;
    const isUnchanged = () => this.#index === index && this.#changedAt === changedAt;
    return { numbering: index.numbering, bitsOf: (where) => (isUnchanged() ? index.bitsOf(where) : undefined) };
  }

  apply(change: Change): void {
    if (!this.#index || change.revision !== this.#revision + 1) return;
    this.#revision = change.revision;
    if (tableOf(kinds[change.entity]) !== this.table) return;
    this.#changedAt = change.revision;
    this.#index.put(imageOf(change.entity, change.before), imageOf(change.entity, change.after));
    if (this.#index.needsRebuild) this.drop();
    else if (this.#shared.availableBytes() < 0) this.#shrink(this.#index.columns);
  }

  drop(): void {
    this.#index = undefined;
    this.#queries = 0;
    this.#drops++;
  }

  /**
   * Drops an index that does not fit into memory. The next one is built without columns; if it had none, the table is no longer indexed.
   */
  #shrink({ orders, texts }: Columns): void {
    this.drop();
    const [column] = [...orders, ...texts];
    if (column === undefined) this.#isTooLarge = true;
    else this.#columns.refuse();
    this.#shared.tooLarge(this.table, column);
  }

  async #work(work: Parameters<InBackground>[0]): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    const finish = () => {
      this.#isWorking = false;
    };
    // On failure, drops the index: the store answers, and later queries start a new scan.
    await this.#shared.inBackground(work).then(finish, () => {
      finish();
      this.drop();
    });
  }

  async #build(tx: Transaction, signal: AbortSignal, report?: (rows: number) => void): Promise<void> {
    const drops = this.#drops;
    const index = new TableIndex(this.fields, this.#columns.wanted);
    const revision = await tx.revision();
    const pace = createPacer(signal);
    for (let last: string | undefined; ; ) {
      const rows = await tx.list(this.table, { where: idAfter(last), limit: BATCH });
      for (const row of rows) {
        index.put(undefined, row);
        if (index.bytes > this.#shared.availableBytes() + (this.#index?.bytes ?? 0)) return this.#shrink(index.columns);
        await pace(entriesIn(row));
      }
      report?.(index.size);
      if (rows.length < BATCH) break;
      last = rows.at(-1)?.id;
    }
    if (drops !== this.#drops) return;
    this.#index = index;
    this.#revision = this.#changedAt = revision;
  }

  /** Catches up with more changes than a query would read, or drops the index if a new scan is cheaper. */
  async #catchUpInBackground(tx: Transaction, signal: AbortSignal): Promise<void> {
    const revision = await tx.revision();
    if (!this.#index || revision - this.#revision > Math.max(MAX_BEHIND, this.#index.size)) return this.drop();
    await this.#catchUp(tx, revision, signal);
  }

  /** Applies the changes up to a revision from the change log. Drops the index if records are missing. */
  async #catchUp(tx: Transaction, revision: number, signal?: AbortSignal): Promise<void> {
    const pace = createPacer(signal);
    for await (const { changes } of followLog(recordsOf(tx), this.#revision, { batch: BATCH })) {
      if (!this.#index) return;
      for (const change of changes) {
        this.#shared.apply(change);
        await pace(entriesIn(change.before) + entriesIn(change.after));
      }
    }
    if (this.#revision < revision) this.drop();
  }
}

const lacks = (existing: Columns, wanted: Columns): boolean =>
  wanted.orders.some((field) => !existing.orders.includes(field)) || wanted.texts.some((field) => !existing.texts.includes(field));

/** Yields to the event loop from time to time, which a store that answers synchronously does not do. */
const createPacer = (signal: AbortSignal | undefined) => {
  const timeSlice = createTimeSlice(ENTRIES_AT_ONCE);
  return async (entries: number): Promise<void> => {
    await timeSlice(entries);
    signal?.throwIfAborted();
  };
};
