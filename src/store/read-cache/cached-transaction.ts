import { and, compareText, equals, oneOf, type Predicate, stringField } from '../../query/index.ts';
import type { LogEnds } from '../changelog/log-ends.ts';
import type { NumberedRows } from '../indexes/index-follower.ts';
import type { Indexed } from '../indexes/indexed-answer.ts';
import { ForwardingTransaction, type StoreArguments, type StoreOperation, type StoreResult } from '../storage/forwarding.ts';
import type { Query, Read, ReadAnswer, Row, Transaction, TransactionMode, Uncommitted } from '../storage/port.ts';
import { readEach } from '../storage/read-each.ts';
import { type CacheableQuery, counting, distinctIn, listingFor, listingRows } from './cacheable-query.ts';
import { findReferencesSlot } from './cached-references.ts';
import type { CachedState, CacheSlot, EntryCache } from './cached-state.ts';
import { type Derivation, type Derived, deriveCached, deriveUncached, findDerived } from './derived-values.ts';
import { isRecordedWholly, partitionBy, recordedTable, rowKey } from './partition.ts';

const ID = stringField('id');

/** Maximum number of rows of a cached list: enough for the policies of an identity, but less than a page. */
const MAX_ROWS = 50;

/**
 * A transaction that reads through the cache, at the revision of its snapshot. A write transaction gets only rows by id from the cache, so
 * that its authorization is always decided on data from the store. Once it has written, it gets only rows that it has not written.
 */
export class CachedTransaction extends ForwardingTransaction {
  readonly #state: CachedState;
  readonly #entries: EntryCache;
  readonly #mode: TransactionMode;
  /** The revision of the cache when the transaction began. */
  readonly #initialRevision: number;
  /** The writes of this transaction, and of others in the same group commit. */
  readonly #uncommitted: Uncommitted | undefined;
  /** The revision of the snapshot, with the cache caught up to it. */
  #snapshot: Promise<number> | undefined;
  #hasWritten: boolean;

  constructor(inner: Transaction, state: CachedState, mode: TransactionMode) {
    super(inner);
    this.#uncommitted = inner.uncommitted;
    this.#hasWritten = this.#uncommitted?.isEmpty === false;
    this.#state = state;
    this.#entries = state.entries;
    this.#mode = mode;
    this.#initialRevision = state.entries.revision;
  }

  /** The end of the change log, for the next append. */
  get logEnds(): LogEnds {
    return this.#state.logEnds;
  }

  /** Called for writes and for `verify`. */
  protected override pass<O extends StoreOperation>(operation: O, args: StoreArguments<O>): Promise<StoreResult<O>> {
    if (operation !== 'verify') this.#hasWritten = true;
    return super.pass(operation, args);
  }

  override revision(): Promise<number> {
    return this.#hasWritten ? this.inner.revision() : this.#current();
  }

  override get(kind: string, id: string): Promise<Row | undefined> {
    return isRecordedWholly(kind) ? this.getStale(kind, id) : this.inner.get(kind, id);
  }

  /** The row with an id. Its volatile fields may be stale, because writes of these draw no revision. */
  async getStale(kind: string, id: string): Promise<Row | undefined> {
    if (this.#isWritten(kind, id) || !recordedTable(kind)) return this.inner.get(kind, id);
    const revision = await this.#current();
    const cached = this.#rowAt(kind, id, revision);
    if (cached) return cached;
    const row = await this.inner.get(kind, id);
    if (row && !this.#isWritten(kind, id)) this.#entries.putRow(kind, row, revision);
    return row;
  }

  /** The row with a unique value. Its volatile fields may be stale, except in a write transaction. */
  async getBy(kind: string, field: string, value: string): Promise<Row | undefined> {
    const revision = await this.#begin();
    const key = `unique ${partitionBy(kind, field, value)}`;
    if (revision !== undefined) {
      const id = this.#entries.find(key, revision);
      const cached = id === undefined ? undefined : this.#rowAt(kind, String(id), revision);
      if (cached?.[field] === value) return cached;
    }
    const [row] = await this.inner.list(kind, { where: equals(stringField(field), value), limit: 1 });
    if (row && revision !== undefined) {
      this.#entries.put(key, row.id, revision, [partitionBy(kind, 'id', row.id)]);
      this.#entries.putRow(kind, row, revision);
    }
    return row;
  }

  /**
   * Derives a value from each of the given rows, or from each row that a query selects, in order. For a query, values are cached only if
   * there is ample memory, or the rows were requested recently.
   */
  async remember<T>(kind: string, source: Query | readonly Row[], derivation: Derivation<T>): Promise<readonly Derived<T>[]> {
    if (this.#mode === 'write') return deriveUncached(this, isQuery(source) ? await this.list(kind, source) : source, derivation);
    const revision = await this.#current();
    const indexed = isQuery(source) ? await this.#indexed(kind, source) : undefined;
    const page = indexed?.page;
    const rows = page ? [] : isQuery(source) ? await this.#list(kind, source, async () => indexed) : source;
    const ids = page ?? rows.map(({ id }) => id);
    const cache = { entries: this.#entries, table: kind, derivation, revision };
    const cached = findDerived(cache, ids);
    const missing = ids.filter((_, i) => !cached[i]);
    if (missing.length === 0) return cached as readonly Derived<T>[]; // none is undefined
    const read = page ? await this.#rows(kind, missing, false) : rows.filter((_, i) => !cached[i]);
    const shouldCache = !isQuery(source) || this.#entries.isWorthCaching(missing);
    const derived = await (shouldCache ? deriveCached(cache, this, read) : deriveUncached(this, read, derivation));
    const byId = new Map(derived.map((each) => [each.row.id, each]));
    return ids.flatMap((id, i) => cached[i] ?? byId.get(id) ?? []);
  }

  override list(kind: string, query: Query): Promise<readonly Row[]> {
    return this.#list(kind, query, () => this.#indexed(kind, query));
  }

  /**
   * The rows that belong to one version of another row.
   * @param name part of the cache key
   * @param where called on a miss
   */
  async listFor(kind: string, name: string, owner: Pick<Row, 'id' | 'version'>, where: () => Predicate): Promise<readonly Row[]> {
    let memoized: Query | undefined;
    const query = () => (memoized ??= { where: where() });
    const slot = await this.#slotOfRows(kind, listingFor(kind, `${name} ${owner.id} ${owner.version}`, query));
    if (slot?.value) return slot.value as readonly Row[]; // the slot of a list
    return this.#listUncached(slot, kind, query(), await this.#indexed(kind, query()));
  }

  override async count(kind: string, where: Predicate): Promise<number> {
    const slot = await this.#slot(counting(kind, where));
    const cached = slot?.value as number | undefined; // the slot of a count
    return cached ?? stored(slot, (await this.#countIndexed(kind, where)) ?? (await this.inner.count(kind, where)));
  }

  override async distinct(kind: string, set: string): Promise<readonly string[]> {
    const slot = await this.#slot(distinctIn(kind, set));
    const cached = slot?.value as readonly string[] | undefined; // the slot of these elements
    return cached ?? stored(slot, await this.inner.distinct(kind, set));
  }

  override async referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    const [answer = []] = await this.readAll([{ read: 'referenced', kind, field, values, where }]);
    return answer as readonly string[]; // the answer of `referenced` is a list of values
  }

  override async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const slots = await Promise.all(reads.map((each) => this.#slotOfRead(each)));
    const misses = reads.flatMap((each, i) => (slots[i]?.value === undefined ? (slots[i]?.missing ?? each) : []));
    const answers = (misses.length > 1 ? await this.inner.readAll(misses) : await readEach(this.inner, misses)).values();
    // A slot holds the answer to its own read.
    return slots.map((slot) => (slot?.value as ReadAnswer | undefined) ?? complete(slot, stored(slot, answers.next().value ?? [])));
  }

  #current(): Promise<number> {
    return (this.#snapshot ??= this.#catchUp());
  }

  async #catchUp(): Promise<number> {
    const { completions } = this.#state;
    const revision = this.#uncommitted?.since ?? (await this.inner.revision());
    const added = await this.#state.catchUp(this.inner, revision, this.#initialRevision);
    this.#state.assertValid(revision, completions + (added ?? 0), this.#mode);
    return revision;
  }

  /**
   * Begins a read. Also checks in a write transaction that no grant has ended, unless it has written: then its revision is no longer that
   * of a snapshot.
   * @returns the revision at which answers may come from the cache; undefined in a write transaction
   */
  async #begin(): Promise<number | undefined> {
    if (this.#mode === 'read') return this.#current();
    if (this.#uncommitted || !this.#hasWritten) await this.#current();
    return undefined;
  }

  #isWritten(kind: string, id: string): boolean {
    return this.#uncommitted?.has(kind, id) ?? this.#hasWritten;
  }

  #rowAt(kind: string, id: string, revision: number): Row | undefined {
    return this.#entries.find(rowKey(kind, id), revision) as Row | undefined; // only `putRow` uses this key
  }

  /** The slot of an answer; undefined if it must not be cached. */
  async #slot(query: CacheableQuery): Promise<CacheSlot | undefined> {
    const revision = await this.#begin();
    if (revision === undefined) return undefined;
    const key = query.key();
    const store = (answer: number | readonly unknown[]) => {
      const dependsOn = query.dependencies();
      if (dependsOn) this.#entries.put(key, answer, revision, dependsOn);
    };
    return { value: this.#entries.find(key, revision), store };
  }

  /** The slot of an answer that consists of rows. They are also cached by id, for references to them. */
  async #slotOfRows(kind: string, query: CacheableQuery): Promise<CacheSlot | undefined> {
    const slot = isRecordedWholly(kind) ? await this.#slot(query) : undefined;
    if (!slot || slot.value) return slot;
    const revision = await this.#current();
    const store = (rows: readonly unknown[]) => {
      if (rows.length > MAX_ROWS) return;
      slot.store(rows);
      for (const row of rows as readonly Row[]) this.#entries.putRow(kind, row, revision); // the query is for rows
    };
    return { value: undefined, store };
  }

  async #slotOfList(kind: string, query: Query): Promise<CacheSlot | undefined> {
    const slot = await this.#slotOfRows(kind, listingRows(kind, query));
    if (!slot || slot.value) return slot;
    const revision = await this.#current();
    const rows = idsIn(query)?.map((id) => this.#rowAt(kind, id, revision));
    return { ...slot, value: rows?.every((row) => row !== undefined) ? rows : undefined };
  }

  async #slotOfRead(read: Read): Promise<CacheSlot | undefined> {
    if (read.read === 'list') return this.#slotOfList(read.kind, read.query);
    const revision = await this.#begin();
    return revision === undefined ? undefined : findReferencesSlot(this.#entries, read, revision);
  }

  /** The answer of an index; undefined if there is none, and in a write transaction, which always queries the store. */
  async #indexed(kind: string, query: Query): Promise<Indexed | undefined> {
    if (this.#mode === 'write' || !isRecordedWholly(kind)) return undefined;
    return this.#state.findIndexed(this.inner, kind, query, await this.#current());
  }

  /** The rows of a table at a revision, as sets of numbers; undefined if there is no index at this revision. */
  numberedRows(kind: string, revision: number): NumberedRows | undefined {
    return this.isView || !isRecordedWholly(kind) ? undefined : this.#state.numberedRows(kind, revision);
  }

  /** @param indexed returns the answer of an index; called on a miss */
  async #list(kind: string, query: Query, indexed: () => Promise<Indexed | undefined>): Promise<readonly Row[]> {
    const slot = await this.#slotOfList(kind, query);
    if (slot?.value) return slot.value as readonly Row[]; // the slot of a list
    return this.#listUncached(slot, kind, query, await indexed());
  }

  async #listUncached(
    slot: CacheSlot | undefined,
    kind: string,
    query: Query,
    { page, candidates, rest }: Partial<Indexed> = {},
  ): Promise<readonly Row[]> {
    if (page) return stored(slot, await this.#rows(kind, page, query.limit === undefined));
    const narrowed = candidates && rest ? { ...query, where: and(oneOf(ID, candidates), rest) } : query;
    return stored(slot, await this.inner.list(kind, narrowed));
  }

  async #countIndexed(kind: string, where: Predicate): Promise<number | undefined> {
    const { count, candidates, rest } = (await this.#indexed(kind, { where, limit: 0 })) ?? {};
    if (!rest || rest.op === 'all') return count;
    return candidates && this.inner.count(kind, and(oneOf(ID, candidates), rest));
  }

  /**
   * The rows with these ids, in the same order.
   * @param isWholeList true for a whole list, such as the policies of an identity; false for a page
   */
  async #rows(kind: string, ids: readonly string[], isWholeList: boolean): Promise<readonly Row[]> {
    const revision = await this.#current();
    // Pages longer than `MAX_ROWS` are not cached, so their rows are hardly ever in the cache.
    const cached = isWholeList || ids.length <= MAX_ROWS ? ids.map((id) => this.#rowAt(kind, id, revision)) : [];
    const missing = ids.filter((_, i) => cached[i] === undefined);
    if (missing.length === 0) return cached as readonly Row[]; // none is undefined
    const read = await this.inner.list(kind, { where: oneOf(ID, missing) });
    if (isWholeList && !this.#hasWritten) for (const row of read) this.#entries.putRow(kind, row, revision);
    const found = new Map(read.map((row) => [row.id, row]));
    return ids.flatMap((id, i) => cached[i] ?? found.get(id) ?? []);
  }
}

const isQuery = (source: Query | readonly Row[]): source is Query => !Array.isArray(source);

/**
 * Stores an answer in its slot, if it has one.
 * @returns the answer
 */
const stored = <T extends number | readonly unknown[]>(slot: CacheSlot | undefined, answer: T): T => {
  slot?.store(answer);
  return answer;
};

/** Completes an answer with the part of it that was cached. */
const complete = (slot: CacheSlot | undefined, answer: ReadAnswer): ReadAnswer =>
  slot?.cached?.length ? ([...slot.cached, ...answer] as readonly string[]) : answer; // only `referenced` is cached in part

/** The ids of a query that selects rows by id alone, in the order of its result; undefined for any other query. */
const idsIn = ({ where, sort = [], offset = 0, limit }: Query): readonly string[] | undefined => {
  if (where.op !== 'in' || where.field.path.join() !== 'id' || sort.length > 0 || offset > 0 || limit !== undefined) return undefined;
  return [...new Set(where.values.map(String))].toSorted(compareText);
};
