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

/** A transaction that reads through the cache until it writes. A class, because one is created for nearly every call and has many methods. */
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

  /** The row with an id. Its volatile fields may be outdated: writes of these draw no revision. */
  getStale(kind: string, id: string): Promise<Row | undefined> {
    return this.#cache.getStale(kind, id);
  }

  /** Where the change log ends. */
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

  /** A value derived from each of some rows, or of those of a list, in their order. Of a list, the values of rows that are asked for repeatedly are cached. */
  async remember<T>(kind: string, of: Query | readonly Row[], derivation: Derivation<T>): Promise<readonly Derived<T>[]> {
    if (this.#mode === 'write') return deriveUncached(this, isQuery(of) ? await this.list(kind, of) : of, derivation);
    const revision = await this.#cache.current();
    const members = isQuery(of) ? await this.#members(kind, of) : undefined;
    const page = members?.page;
    const rows = page ? [] : isQuery(of) ? await this.#listed(kind, of, async () => members) : of;
    const ids = page ?? rows.map(({ id }) => id);
    const cached = cachedValues(this.#state, kind, ids, derivation, revision);
    const missing = ids.filter((_, i) => !cached[i]);
    if (missing.length === 0) return cached as readonly Derived<T>[]; // none is missing
    const read = page ? await this.#rows(kind, missing, false) : rows.filter((_, i) => !cached[i]);
    const isCached = !isQuery(of) || this.#state.isWorthCaching(missing);
    const derived = await (isCached
      ? deriveCached(this.#state, this, kind, read, derivation, revision)
      : deriveUncached(this, read, derivation));
    const byId = new Map(derived.map((each) => [each.row.id, each]));
    return ids.flatMap((id, i) => cached[i] ?? byId.get(id) ?? []);
  }

  list(kind: string, query: Query): Promise<readonly Row[]> {
    return this.#listed(kind, query, () => this.#members(kind, query));
  }

  /** The rows that belong to one version of a row. @param name part of the cache key  @param where called on a miss */
  async listFor(kind: string, name: string, of: Pick<Row, 'id' | 'version'>, where: () => Predicate): Promise<readonly Row[]> {
    let asked: Query | undefined;
    const query = () => (asked ??= { where: where() });
    const question = listingFor(kind, `${name} ${of.id} ${of.version}`, query);
    const known = await this.#cache.slotOf(kind, question);
    if (known?.value) return known.value as readonly Row[]; // of a list
    return this.#found(known, kind, query(), await this.#members(kind, query()));
  }

  count(kind: string, where: Predicate): Promise<number> {
    return this.#cache.answer(counting(kind, where), async () => (await this.#countMembers(kind, where)) ?? this.#tx.count(kind, where));
  }

  distinct(kind: string, set: string): Promise<readonly string[]> {
    return this.#cache.answer(distinctIn(kind, set), () => this.#tx.distinct(kind, set));
  }

  async referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    const [answer = []] = await this.readAll([{ read: 'referenced', kind, field, values, where }]);
    return answer as readonly string[]; // of such a question
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const known = await Promise.all(reads.map((each) => this.#cache.read(each)));
    const unknown = reads.flatMap((each, i) => (known[i]?.value === undefined ? (known[i]?.rest ?? each) : []));
    const answers = (unknown.length > 1 ? await this.#tx.readAll(unknown) : await readEach(this.#tx, unknown)).values();
    // Cached under the same question.
    return known.map((each) => (each?.value as ReadAnswer | undefined) ?? whole(each, stored(each, answers.next().value ?? [])));
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
    this.#cache.writes();
    return this.#tx;
  }

  /** The rows that an index finds; undefined in a write transaction, which asks the store. */
  async #members(kind: string, query: Query): Promise<Indexed | undefined> {
    if (this.#mode === 'write' || !isRecordedWholly(kind)) return undefined;
    return this.#state.indexed(this.#tx, kind, query, await this.#cache.current());
  }

  /** @param members the rows that an index finds, called on a miss */
  async #listed(kind: string, query: Query, members: () => Promise<Indexed | undefined>): Promise<readonly Row[]> {
    const known = await this.#cache.list(kind, query);
    if (known?.value) return known.value as readonly Row[]; // of a list
    return this.#found(known, kind, query, await members());
  }

  async #found(
    known: CacheSlot | undefined,
    kind: string,
    query: Query,
    { page, candidates, rest }: Partial<Indexed> = {},
  ): Promise<readonly Row[]> {
    if (page) return stored(known, await this.#rows(kind, page, query.limit === undefined));
    const among = candidates && rest ? { ...query, where: and(oneOf(ID, candidates), rest) } : query;
    return stored(known, await this.#tx.list(kind, among));
  }

  async #countMembers(kind: string, where: Predicate): Promise<number | undefined> {
    const { count, candidates, rest } = (await this.#members(kind, { where, limit: 0 })) ?? {};
    if (!rest || rest.op === 'all') return count;
    return candidates && this.#tx.count(kind, and(oneOf(ID, candidates), rest));
  }

  /** Existing rows, in the order of their ids. @param areAll true for a whole list, such as the policies of an identity; false for a page */
  async #rows(kind: string, ids: readonly string[], areAll: boolean): Promise<readonly Row[]> {
    // Rows of a page that is too long for the cache are hardly ever in it.
    const known = areAll || ids.length <= MAX_ROWS ? await this.#cache.rows(kind, ids) : [];
    const missing = ids.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) return known as readonly Row[]; // none is missing
    const read = await this.#tx.list(kind, { where: oneOf(ID, missing) });
    if (areAll) await this.#cache.putRows(kind, read);
    const found = new Map(read.map((row) => [row.id, row]));
    return ids.flatMap((id, i) => known[i] ?? found.get(id) ?? []);
  }
}

const isQuery = (of: Query | readonly Row[]): of is Query => !Array.isArray(of);

/** An answer, with the part of it that was cached. */
const whole = (known: CacheSlot | undefined, answer: ReadAnswer): ReadAnswer =>
  known?.known?.length ? ([...known.known, ...answer] as readonly string[]) : answer; // only of values is a part known
