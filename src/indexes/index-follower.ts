import { kinds } from '../api/index.ts';
import type { Change } from '../changelog/events.ts';
import { followLog, recordsOf } from '../changelog/follow.ts';
import { tableOf } from '../changelog/views.ts';
import { createTimeSlice, ENTRIES_AT_ONCE, entriesIn } from '../concurrency/event-loop.ts';
import { idAfter } from '../query/index.ts';
import type { Query, Transaction } from '../storage/port.ts';
import { type Indexed, indexedAnswer } from './indexed-answer.ts';
import { type IndexedTable, imageOf } from './indexed-tables.ts';
import { type IndexedFields, questionOf } from './question.ts';
import { type Columns, TableIndex } from './table-index.ts';
import { WantedColumns } from './wanted-columns.ts';

/** Queries about a table before it is indexed: an index does not pay for a table that is hardly ever queried. */
const ASKED_BEFORE = 2;
/** Rows, or changes, that are read at a time. */
const BATCH = 500;
/** Changes that a call reads to catch up, in one statement. More are read in the background while the store answers. */
const MAX_BEHIND = BATCH;

/** Offset from which a page pays an index: a store passes over every row before it. */
const DEEP = 1000;

/** Runs `work` in the background, in a transaction that only reads, until `signal` is aborted. */
export type InBackground = (work: (tx: Transaction, signal: AbortSignal) => Promise<void>) => Promise<void>;

/** The common surroundings of all indexes. */
export interface Surroundings {
  readonly inBackground: InBackground;
  /** Applies a change to all indexes. */
  apply(change: Change): void;
  /** Bytes that are left. */
  room(): number;
  /** Called for a table whose index does not fit. @param column the column that does not fit; undefined if it is the index itself */
  tooLarge(table: string, column: string | undefined): void;
}

/** Follows the change log for the index of one table. */
export class IndexFollower {
  readonly table: string;
  readonly fields: IndexedFields;
  readonly #columns: WantedColumns;
  readonly #around: Surroundings;
  #index: TableIndex | undefined;
  /** The revision up to which changes are applied. */
  #revision = -1;
  /** The revision of the last change to the table. */
  #changedAt = -1;
  #asked = 0;
  #isWorking = false;
  /** True if the table needs more memory than is available. */
  #isTooLarge = false;
  /** Counts drops: a build that began before one is discarded. */
  #drops = 0;

  constructor(table: string, { hidden, ...fields }: IndexedTable, around: Surroundings) {
    this.table = table;
    this.fields = fields;
    this.#columns = new WantedColumns(hidden);
    this.#around = around;
  }

  get index(): TableIndex | undefined {
    return this.#index;
  }

  async find(tx: Transaction, query: Query, revision: number): Promise<Indexed | undefined> {
    if (this.#isTooLarge) return undefined;
    const asked = this.#columns.askedBy(query);
    // An existing index answers a query for all rows, too: their number, and the ids of a page.
    const isWorth = (query.offset ?? 0) >= DEEP || (this.#index !== undefined && query.where.op === 'all');
    if (!questionOf({ ...this.fields, ...asked }, query.where, isWorth)) return undefined;
    this.#columns.count(asked);
    if (!this.#index) {
      if (++this.#asked >= ASKED_BEFORE) this.#work((inner, signal) => this.#build(inner, signal));
      return undefined;
    }
    if (revision - this.#revision > MAX_BEHIND) {
      this.#work((inner, signal) => this.#readOn(inner, signal));
      return undefined;
    }
    if (revision > this.#revision) await this.#catchUp(tx, revision);
    // Another transaction may have followed the log beyond the snapshot of this one.
    if (!this.#index || revision > this.#revision || revision < this.#changedAt) return undefined;
    if (lacks(this.#index.columns, this.#columns.wanted)) this.#work((inner, signal) => this.#build(inner, signal));
    const question = questionOf(this.#index.fields, query.where, isWorth);
    return question && indexedAnswer(this.#index.find(question.indexed), question, query);
  }

  apply(change: Change): void {
    if (!this.#index || change.revision !== this.#revision + 1) return;
    this.#revision = change.revision;
    if (tableOf(kinds[change.entity]) !== this.table) return;
    this.#changedAt = change.revision;
    this.#index.put(imageOf(change.entity, change.before), imageOf(change.entity, change.after));
    if (this.#index.isWorn) this.drop();
    else if (this.#around.room() < 0) this.#giveUp(this.#index.columns);
  }

  drop(): void {
    this.#index = undefined;
    this.#asked = 0;
    this.#drops++;
  }

  /** @param columns columns that can be left out to save memory */
  #giveUp({ orders, texts }: Columns): void {
    this.drop();
    const [column] = [...orders, ...texts];
    if (column === undefined) this.#isTooLarge = true;
    else this.#columns.refuse();
    this.#around.tooLarge(this.table, column);
  }

  #work(work: Parameters<InBackground>[0]): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    const over = () => {
      this.#isWorking = false;
    };
    // On failure the index is dropped: the store answers, and later queries start a new scan.
    this.#around.inBackground(work).then(over, () => {
      over();
      this.drop();
    });
  }

  async #build(tx: Transaction, signal: AbortSignal): Promise<void> {
    const drops = this.#drops;
    const index = new TableIndex(this.fields, this.#columns.wanted);
    const revision = await tx.revision();
    const turn = turns(signal);
    for (let last: string | undefined; ; ) {
      const rows = await tx.list(this.table, { where: idAfter(last), limit: BATCH });
      for (const row of rows) {
        index.put(undefined, row);
        if (index.bytes > this.#around.room() + (this.#index?.bytes ?? 0)) return this.#giveUp(index.columns);
        await turn(entriesIn(row));
      }
      if (rows.length < BATCH) break;
      last = rows.at(-1)?.id;
    }
    if (drops !== this.#drops) return;
    this.#index = index;
    this.#revision = this.#changedAt = revision;
  }

  /** Reads more changes than a call would; or drops the index, if a new scan is cheaper. */
  async #readOn(tx: Transaction, signal: AbortSignal): Promise<void> {
    const revision = await tx.revision();
    if (!this.#index || revision - this.#revision > this.#index.size) return this.drop();
    await this.#catchUp(tx, revision, signal);
  }

  /** Reads the change log up to a revision. Drops the index if records are missing. */
  async #catchUp(tx: Transaction, revision: number, signal?: AbortSignal): Promise<void> {
    const turn = turns(signal);
    for await (const { changes } of followLog(recordsOf(tx), this.#revision, { batch: BATCH })) {
      if (!this.#index) return;
      for (const change of changes) {
        this.#around.apply(change);
        await turn(entriesIn(change.before) + entriesIn(change.after));
      }
    }
    if (this.#revision < revision) this.drop();
  }
}

const lacks = (there: Columns, wanted: Columns): boolean =>
  wanted.orders.some((field) => !there.orders.includes(field)) || wanted.texts.some((field) => !there.texts.includes(field));

/** Yields to the event loop: a store that answers synchronously would not. */
const turns = (signal: AbortSignal | undefined) => {
  const turn = createTimeSlice(ENTRIES_AT_ONCE);
  return async (entries: number): Promise<void> => {
    await turn(entries);
    signal?.throwIfAborted();
  };
};
