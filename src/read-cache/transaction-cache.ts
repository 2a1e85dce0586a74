import { equals, stringField } from '../query/index.ts';
import { compareText } from '../query/order.ts';
import type { Query, Read, Row, Transaction, TransactionMode, Uncommitted } from '../storage/port.ts';
import { referencesSlot } from './cached-references.ts';
import type { CachedState, CacheSlot } from './cached-state.ts';
import { isRecordedWholly, partitionBy, recordedTable, rowKey } from './partition.ts';
import { type CacheableQuestion, listingRows } from './question.ts';

/** Maximum number of rows of a cached list: enough for the policies of an identity, but less than a page. */
export const MAX_ROWS = 50;

/** Stores an answer in its slot, if it has one. @returns the answer */
export const stored = <T extends number | readonly unknown[]>(slot: CacheSlot | undefined, answer: T): T => {
  slot?.store(answer);
  return answer;
};

/**
 * The cache as seen by one transaction, at the revision of its snapshot. A write transaction gets only rows by id from it, and no other answers, so that its
 * authorization is always decided on data from the store. Once it has written, it gets only rows that it has not written.
 */
export class TransactionCache {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  readonly #mode: TransactionMode;
  /** The revision of the cache when the transaction began. */
  readonly #initialRevision: number;
  /** The writes of this transaction, and of others in the same group commit. */
  readonly #uncommitted: Uncommitted | undefined;
  /** The revision of the snapshot. */
  #revision: Promise<number> | undefined;
  #hasWritten: boolean;

  constructor(tx: Transaction, state: CachedState, mode: TransactionMode) {
    this.#tx = tx;
    this.#uncommitted = tx.uncommitted;
    this.#hasWritten = this.#uncommitted?.isEmpty === false;
    this.#state = state;
    this.#mode = mode;
    this.#initialRevision = state.revision;
  }

  /** Call before a write. From then on, only unwritten rows by id come from the cache. */
  recordWrite(): void {
    this.#hasWritten = true;
  }

  revision(): Promise<number> {
    return this.#hasWritten ? this.#tx.revision() : this.current();
  }

  /** The revision of the snapshot, with the cache caught up to it. */
  current(): Promise<number> {
    this.#revision ??= this.#catchUp();
    return this.#revision;
  }

  async #catchUp(): Promise<number> {
    const { completions } = this.#state;
    const revision = this.#uncommitted?.since ?? (await this.#tx.revision());
    const found = await this.#state.catchUp(this.#tx, revision, this.#initialRevision);
    this.#state.assertValid(revision, completions + (found ?? 0), this.#mode);
    return revision;
  }

  get(kind: string, id: string): Promise<Row | undefined> {
    return isRecordedWholly(kind) ? this.getStale(kind, id) : this.#tx.get(kind, id);
  }

  /** See `CachedTransaction.getStale`. */
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

  /** See `CachedTransaction.getBy`. */
  async getBy(kind: string, field: string, value: string): Promise<Row | undefined> {
    const find = async () => (await this.#tx.list(kind, { where: equals(stringField(field), value), limit: 1 }))[0];
    if (this.#mode === 'write') {
      await this.#begin();
      return find();
    }
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

  /** The answer to a question, from the cache or else from `read`. */
  async answer<T extends number | readonly unknown[]>(question: CacheableQuestion, read: () => Promise<T>): Promise<T> {
    const slot = await this.#slot(question);
    return (slot?.value as T | undefined) ?? stored(slot, await read()); // the slot holds the answer to this question
  }

  /** The slot of an answer; undefined if it must not be cached. */
  async read(read: Read): Promise<CacheSlot | undefined> {
    if (read.read === 'list') return this.list(read.kind, read.query);
    if (this.#mode === 'write') return this.#begin();
    return referencesSlot(this.#state, read, await this.current());
  }

  /** The slot of a list. Rows of short lists are also cached by id, for references to them. */
  async list(kind: string, query: Query): Promise<CacheSlot | undefined> {
    const slot = await this.slotOf(kind, listingRows(kind, query));
    if (!slot || slot.value) return slot;
    const revision = await this.current();
    const rows = idsIn(query)?.map((id) => this.#rowAt(kind, id, revision));
    return { ...slot, value: rows?.every((row) => row !== undefined) ? rows : undefined };
  }

  /** The slot of the rows that a question finds. */
  async slotOf(kind: string, question: CacheableQuestion): Promise<CacheSlot | undefined> {
    const slot = isRecordedWholly(kind) ? await this.#slot(question) : undefined;
    if (!slot || slot.value) return slot;
    const revision = await this.current();
    const store = (rows: readonly unknown[]) => {
      if (rows.length > MAX_ROWS) return;
      slot.store(rows);
      for (const row of rows as readonly Row[]) this.#state.putRow(kind, row, revision); // the question is for rows
    };
    return { value: undefined, store };
  }

  async #slot(question: CacheableQuestion): Promise<CacheSlot | undefined> {
    if (this.#mode === 'write') return this.#begin();
    const revision = await this.current();
    const key = question.key();
    const store = (answer: number | readonly unknown[]) => {
      const dependsOn = question.dependencies();
      if (dependsOn) this.#state.put(key, answer, revision, dependsOn);
    };
    return { value: this.#state.find(key, revision), store };
  }

  /** Makes sure that a write does not decide by a grant that has ended. After a write of this transaction, its revision is no longer that of a snapshot. */
  async #begin(): Promise<undefined> {
    if (this.#uncommitted || !this.#hasWritten) await this.current();
  }

  #isWritten(kind: string, id: string): boolean {
    return this.#uncommitted?.has(kind, id) ?? this.#hasWritten;
  }

  #rowAt(kind: string, id: string, revision: number): Row | undefined {
    return this.#state.find(rowKey(kind, id), revision) as Row | undefined; // only `putRow` uses this key
  }
}

/** The ids of a query that selects rows by id alone, in the order of its result; undefined for any other query. */
const idsIn = ({ where, sort = [], offset = 0, limit }: Query): readonly string[] | undefined => {
  if (where.op !== 'in' || where.field.path.join() !== 'id' || sort.length > 0 || offset > 0 || limit !== undefined) return undefined;
  return [...new Set(where.values.map(String))].toSorted(compareText);
};
