import type { Indexed } from '../indexes/indexed-answer.ts';
import { and, oneOf, type Predicate, stringField } from '../query/index.ts';
import type { Query, Read, ReadAnswer, Row, Transaction, TransactionMode, Verified, VerifyPage } from '../storage/port.ts';
import { readEach } from '../storage/read-each.ts';
import type { CachedState, CacheSlot } from './cached-state.ts';
import { cachedValues, type Derivation, type Derived, deriveCached, deriveUncached } from './derived-values.ts';
import { isRecordedWholly } from './partition.ts';
import { counting, distinctIn, listingFor } from './question.ts';
import { MAX_ROWS, stored, TransactionCache } from './transaction-cache.ts';

const ID = stringField('id');

/** A transaction that reads through the cache until it writes. It is a class because nearly every call creates one, and it has many methods. */
export class CachedTransaction implements Transaction {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  readonly #mode: TransactionMode;
  readonly #cache: TransactionCache;

  constructor(tx: Transaction, state: CachedState, mode: TransactionMode) {
    this.#tx = tx;
    this.#state = state;
    this.#mode = mode;
    this.#cache = new TransactionCache(tx, state, mode);
  }

  get host(): unknown {
    return this.#tx.host;
  }

  get(kind: string, id: string): Promise<Row | undefined> {
    return this.#cache.get(kind, id);
  }

  /** The row with an id. Its volatile fields may be outdated, because writes of these draw no revision. */
  getStale(kind: string, id: string): Promise<Row | undefined> {
    return this.#cache.getStale(kind, id);
  }

  /** The end of the change log, for the next append. */
  get logEnds() {
    return this.#state.logEnds;
  }

  get uncommitted() {
    return this.#tx.uncommitted;
  }

  /** The row with a unique value. Its volatile fields may be outdated, except in a write transaction. */
  getBy(kind: string, field: string, value: string): Promise<Row | undefined> {
    return this.#cache.getBy(kind, field, value);
  }

  /** Derives a value from each of the given rows, or from each row of a list, in order. For a list, only values of repeatedly requested rows are cached. */
  async remember<T>(kind: string, source: Query | readonly Row[], derivation: Derivation<T>): Promise<readonly Derived<T>[]> {
    if (this.#mode === 'write') return deriveUncached(this, isQuery(source) ? await this.list(kind, source) : source, derivation);
    const revision = await this.#cache.current();
    const indexed = isQuery(source) ? await this.#indexed(kind, source) : undefined;
    const page = indexed?.page;
    const rows = page ? [] : isQuery(source) ? await this.#list(kind, source, async () => indexed) : source;
    const ids = page ?? rows.map(({ id }) => id);
    const cached = cachedValues(this.#state, kind, ids, derivation, revision);
    const missing = ids.filter((_, i) => !cached[i]);
    if (missing.length === 0) return cached as readonly Derived<T>[]; // none is undefined
    const read = page ? await this.#rows(kind, missing, false) : rows.filter((_, i) => !cached[i]);
    const isCached = !isQuery(source) || this.#state.isWorthCaching(missing);
    const derived = await (isCached
      ? deriveCached(this.#state, this, kind, read, derivation, revision)
      : deriveUncached(this, read, derivation));
    const byId = new Map(derived.map((each) => [each.row.id, each]));
    return ids.flatMap((id, i) => cached[i] ?? byId.get(id) ?? []);
  }

  list(kind: string, query: Query): Promise<readonly Row[]> {
    return this.#list(kind, query, () => this.#indexed(kind, query));
  }

  /** The rows that belong to one version of another row. @param name part of the cache key. @param where called on a miss */
  async listFor(kind: string, name: string, owner: Pick<Row, 'id' | 'version'>, where: () => Predicate): Promise<readonly Row[]> {
    let memoized: Query | undefined;
    const query = () => (memoized ??= { where: where() });
    const question = listingFor(kind, `${name} ${owner.id} ${owner.version}`, query);
    const slot = await this.#cache.slotOf(kind, question);
    if (slot?.value) return slot.value as readonly Row[]; // the slot of a list
    return this.#listUncached(slot, kind, query(), await this.#indexed(kind, query()));
  }

  count(kind: string, where: Predicate): Promise<number> {
    return this.#cache.answer(counting(kind, where), async () => (await this.#countIndexed(kind, where)) ?? this.#tx.count(kind, where));
  }

  distinct(kind: string, set: string): Promise<readonly string[]> {
    return this.#cache.answer(distinctIn(kind, set), () => this.#tx.distinct(kind, set));
  }

  async referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    const [answer = []] = await this.readAll([{ read: 'referenced', kind, field, values, where }]);
    return answer as readonly string[]; // the answer of `referenced` is a list of values
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const slots = await Promise.all(reads.map((each) => this.#cache.read(each)));
    const misses = reads.flatMap((each, i) => (slots[i]?.value === undefined ? (slots[i]?.rest ?? each) : []));
    const answers = (misses.length > 1 ? await this.#tx.readAll(misses) : await readEach(this.#tx, misses)).values();
    // A slot holds the answer to its own read.
    return slots.map((slot) => (slot?.value as ReadAnswer | undefined) ?? complete(slot, stored(slot, answers.next().value ?? [])));
  }

  async insert(kind: string, row: Row): Promise<void> {
    return this.#writing().insert(kind, row);
  }

  async update(kind: string, row: Row, expected: number): Promise<void> {
    return this.#writing().update(kind, row, expected);
  }

  async delete(kind: string, id: string): Promise<boolean> {
    return this.#writing().delete(kind, id);
  }

  revision(): Promise<number> {
    return this.#cache.revision();
  }

  async nextRevision(atLeast?: number): Promise<number> {
    return this.#writing().nextRevision(atLeast);
  }

  async verify(kind: string, page: VerifyPage): Promise<Verified> {
    return this.#tx.verify(kind, page);
  }

  async repair(kind: string, id?: string): Promise<boolean> {
    return this.#writing().repair(kind, id);
  }

  async forget(): Promise<void> {
    return this.#writing().forget();
  }

  #writing(): Transaction {
    this.#cache.recordWrite();
    return this.#tx;
  }

  /** The answer of an index; undefined if there is none, and in a write transaction, which always queries the store. */
  async #indexed(kind: string, query: Query): Promise<Indexed | undefined> {
    if (this.#mode === 'write' || !isRecordedWholly(kind)) return undefined;
    return this.#state.indexed(this.#tx, kind, query, await this.#cache.current());
  }

  /** @param indexed returns the answer of an index; called on a miss */
  async #list(kind: string, query: Query, indexed: () => Promise<Indexed | undefined>): Promise<readonly Row[]> {
    const slot = await this.#cache.list(kind, query);
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
    return stored(slot, await this.#tx.list(kind, narrowed));
  }

  async #countIndexed(kind: string, where: Predicate): Promise<number | undefined> {
    const { count, candidates, rest } = (await this.#indexed(kind, { where, limit: 0 })) ?? {};
    if (!rest || rest.op === 'all') return count;
    return candidates && this.#tx.count(kind, and(oneOf(ID, candidates), rest));
  }

  /** The rows with these ids, in the same order. @param isWholeList true for a whole list, such as the policies of an identity; false for a page */
  async #rows(kind: string, ids: readonly string[], isWholeList: boolean): Promise<readonly Row[]> {
    // Pages longer than `MAX_ROWS` are not cached, so their rows are hardly ever in the cache.
    const known = isWholeList || ids.length <= MAX_ROWS ? await this.#cache.rows(kind, ids) : [];
    const missing = ids.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) return known as readonly Row[]; // none is undefined
    const read = await this.#tx.list(kind, { where: oneOf(ID, missing) });
    if (isWholeList) await this.#cache.putRows(kind, read);
    const found = new Map(read.map((row) => [row.id, row]));
    return ids.flatMap((id, i) => known[i] ?? found.get(id) ?? []);
  }
}

const isQuery = (source: Query | readonly Row[]): source is Query => !Array.isArray(source);

/** Completes an answer with the part of it that was cached. */
const complete = (slot: CacheSlot | undefined, answer: ReadAnswer): ReadAnswer =>
  slot?.known?.length ? ([...slot.known, ...answer] as readonly string[]) : answer; // only `referenced` is cached in part
