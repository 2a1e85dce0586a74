import { equals, stringField } from '../query/index.ts';
import { compareText } from '../query/order.ts';
import type { Query, Read, Row, Transaction, TransactionMode, Uncommitted } from '../storage/port.ts';
import { knownReferences } from './cached-references.ts';
import type { CachedState, CacheSlot } from './cached-state.ts';
import { isRecordedWholly, partitionBy, recordedTable, rowKey } from './partition.ts';
import { type CacheableQuestion, listingRows } from './question.ts';

/** Maximum number of rows of a cached list: enough for the policies of an identity, too few for a page. */
export const MAX_ROWS = 50;

/** Caches an answer, if there is a slot for it. */
export const stored = <T extends number | readonly unknown[]>(known: CacheSlot | undefined, answer: T): T => {
  known?.store(answer);
  return answer;
};

/**
 * The cache as one transaction sees it, at the revision of its snapshot. A write transaction finds rows by id and no answers: its authorization is decided
 * by the store. Once it has written, it finds only rows that it has not written.
 */
export class TransactionCache {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  readonly #mode: TransactionMode;
  readonly #known: number;
  /** The writes of this transaction, and of others in the same group commit. */
  readonly #uncommitted: Uncommitted | undefined;
  /** The revision of its snapshot. */
  #revision: Promise<number> | undefined;
  #hasWritten: boolean;

  constructor(tx: Transaction, state: CachedState, mode: TransactionMode) {
    this.#tx = tx;
    this.#uncommitted = tx.uncommitted;
    this.#hasWritten = this.#uncommitted?.isEmpty === false;
    this.#state = state;
    this.#mode = mode;
    this.#known = state.revision;
  }

  /** Records a write: from now on, only rows by id that were not written come from the cache. */
  writes(): void {
    this.#hasWritten = true;
  }

  revision(): Promise<number> {
    return this.#hasWritten ? this.#tx.revision() : this.current();
  }

  /** The revision of the snapshot, with the cache caught up to it. */
  current(): Promise<number> {
    this.#revision ??= this.#caughtUp();
    return this.#revision;
  }

  async #caughtUp(): Promise<number> {
    const revision = this.#uncommitted?.since ?? (await this.#tx.revision());
    await this.#state.catchUp(this.#tx, revision, this.#known);
    return revision;
  }

  get(kind: string, id: string): Promise<Row | undefined> {
    return isRecordedWholly(kind) ? this.getStale(kind, id) : this.#tx.get(kind, id);
  }

  /** The row with an id: `CachedTransaction.getStale`. */
  async getStale(kind: string, id: string): Promise<Row | undefined> {
    if (this.#isWritten(kind, id) || !recordedTable(kind)) return this.#tx.get(kind, id);
    const revision = await this.current();
    const known = this.#rowAt(kind, id, revision);
    if (known) return known;
    const row = await this.#tx.get(kind, id);
    if (row && !this.#isWritten(kind, id)) this.#state.putRow(kind, row, revision);
    return row;
  }

  /** The cached rows with these ids, in their order; undefined for each miss. */
  async rows(kind: string, ids: readonly string[]): Promise<readonly (Row | undefined)[]> {
    const revision = await this.current();
    return ids.map((id) => this.#rowAt(kind, id, revision));
  }

  async putRows(kind: string, rows: readonly Row[]): Promise<void> {
    const revision = await this.current();
    if (!this.#hasWritten) for (const row of rows) this.#state.putRow(kind, row, revision);
  }

  /** The row with a unique value: `CachedTransaction.getBy`. */
  async getBy(kind: string, field: string, value: string): Promise<Row | undefined> {
    const find = async () => (await this.#tx.list(kind, { where: equals(stringField(field), value), limit: 1 }))[0];
    if (this.#mode === 'write') return find();
    const revision = await this.current();
    const key = `unique ${partitionBy(kind, field, value)}`;
    const id = this.#state.find(key, revision);
    const known = id === undefined ? undefined : this.#rowAt(kind, String(id), revision);
    if (known?.[field] === value) return known;
    const row = await find();
    if (row) {
      this.#state.put(key, row.id, revision, [partitionBy(kind, 'id', row.id)]);
      this.#state.putRow(kind, row, revision);
    }
    return row;
  }

  /** The answer to a question, from the cache or by `read`. */
  async answer<T extends number | readonly unknown[]>(question: CacheableQuestion, read: () => Promise<T>): Promise<T> {
    const known = await this.#of(question);
    return (known?.value as T | undefined) ?? stored(known, await read()); // of the same question
  }

  /** The slot of an answer; undefined if it must not be cached. */
  async read(asked: Read): Promise<CacheSlot | undefined> {
    if (asked.read === 'list') return this.list(asked.kind, asked.query);
    return this.#mode === 'write' ? undefined : knownReferences(this.#state, asked, await this.current());
  }

  /** The slot of a list. Rows of short lists are cached by id, too, for references to them. */
  async list(kind: string, query: Query): Promise<CacheSlot | undefined> {
    const known = await this.slotOf(kind, listingRows(kind, query));
    if (!known || known.value) return known;
    const revision = await this.current();
    const rows = idsIn(query)?.map((id) => this.#rowAt(kind, id, revision));
    return { ...known, value: rows?.every((row) => row !== undefined) ? rows : undefined };
  }

  /** The slot of the rows that a question finds. */
  async slotOf(kind: string, question: CacheableQuestion): Promise<CacheSlot | undefined> {
    const known = isRecordedWholly(kind) ? await this.#of(question) : undefined;
    if (!known || known.value) return known;
    const revision = await this.current();
    const store = (rows: readonly unknown[]) => {
      if (rows.length > MAX_ROWS) return;
      known.store(rows);
      for (const row of rows as readonly Row[]) this.#state.putRow(kind, row, revision); // of a list
    };
    return { value: undefined, store };
  }

  async #of(question: CacheableQuestion): Promise<CacheSlot | undefined> {
    if (this.#mode === 'write') return undefined;
    const revision = await this.current();
    const key = question.key();
    const store = (answer: number | readonly unknown[]) => {
      const dependsOn = question.dependencies();
      if (dependsOn) this.#state.put(key, answer, revision, dependsOn);
    };
    return { value: this.#state.find(key, revision), store };
  }

  #isWritten(kind: string, id: string): boolean {
    return this.#uncommitted?.has(kind, id) ?? this.#hasWritten;
  }

  #rowAt(kind: string, id: string, revision: number): Row | undefined {
    return this.#state.find(rowKey(kind, id), revision) as Row | undefined; // of `keepRow`
  }
}

/** The ids of a list that asks by id alone, in its order. */
const idsIn = ({ where, sort = [], offset = 0, limit }: Query): readonly string[] | undefined => {
  if (where.op !== 'in' || where.field.path.join() !== 'id' || sort.length > 0 || offset > 0 || limit !== undefined) return undefined;
  return [...new Set(where.values.map(String))].toSorted(compareText);
};
