import { and, oneOf, type Predicate, stringField } from '../query/index.ts';
import type { Query, Read, ReadAnswer, Row, Transaction, TransactionMode, Verified, VerifyPage } from '../storage/port.ts';
import { readEach } from '../storage/read-each.ts';
import type { CachedState } from './cached-state.ts';
import type { Indexed } from './indexed-answer.ts';
import { counting, distinctIn, listingNamed } from './question.ts';
import { kept, MOST_ROWS, type Recollection, Recollections } from './recollections.ts';
import { isRecordedWholly } from './recorded-tables.ts';
import { knownTexts, type Making, makeOnce, makeTexts, type OfRow } from './row-texts.ts';

const ID = stringField('id');

/** A transaction that reads known rows and answers from memory, until it has written. A class like `OngoingCall`: many are created, each with many methods. */
export class CachedTransaction implements Transaction {
  readonly #tx: Transaction;
  readonly #state: CachedState;
  readonly #mode: TransactionMode;
  readonly #known: Recollections;

  constructor(tx: Transaction, state: CachedState, mode: TransactionMode) {
    this.#tx = tx;
    this.#state = state;
    this.#mode = mode;
    this.#known = new Recollections(tx, state, mode);
  }

  get host(): unknown {
    return this.#tx.host;
  }

  get(kind: string, id: string): Promise<Row | undefined> {
    return this.#known.row(kind, id);
  }

  /** The row with an id, to be looked at: its volatile fields may be as they were earlier, as later values draw no revision. */
  glimpse(kind: string, id: string): Promise<Row | undefined> {
    return this.#known.glimpse(kind, id);
  }

  /** Where the change log ends. */
  get logEnds() {
    return this.#state.logEnds;
  }

  get uncommitted() {
    return this.#tx.uncommitted;
  }

  /**
   * The row with a unique value. Of a kind with volatile fields, these may be as they were earlier, as later values draw no revision; in a transaction
   * that writes, all fields are as they are stored.
   */
  recall(kind: string, field: string, value: string): Promise<Row | undefined> {
    return this.#known.recall(kind, field, value);
  }

  /** What is made of some rows, or of those of a list, in their order. Of a list, that is remembered which is asked for again. */
  async textsOf<T>(kind: string, of: Query | readonly Row[], making: Making<T>): Promise<readonly OfRow<T>[]> {
    if (this.#mode === 'write') return makeOnce(this, isQuery(of) ? await this.list(kind, of) : of, making);
    const revision = await this.#known.current();
    const members = isQuery(of) ? await this.#members(kind, of) : undefined;
    const page = members?.page;
    const rows = page ? [] : isQuery(of) ? await this.#listed(kind, of, async () => members) : of;
    const ids = page ?? rows.map(({ id }) => id);
    const known = knownTexts(this.#state, kind, ids, making, revision);
    const missing = ids.filter((_, i) => !known[i]);
    if (missing.length === 0) return known as readonly OfRow<T>[]; // none is missing
    const read = page ? await this.#rows(kind, missing, false) : rows.filter((_, i) => !known[i]);
    const isKept = !isQuery(of) || this.#state.isWorthKeeping(missing);
    const made = await (isKept ? makeTexts(this.#state, this, kind, read, making, revision) : makeOnce(this, read, making));
    const found = new Map(made.map((each) => [each.row.id, each]));
    return ids.flatMap((id, i) => known[i] ?? found.get(id) ?? []);
  }

  list(kind: string, query: Query): Promise<readonly Row[]> {
    return this.#listed(kind, query, () => this.#members(kind, query));
  }

  /** A list that is about one state of a row, `of`: with `name`, that tells what is asked. @param where asked for if the answer is not known */
  async listOf(kind: string, name: string, of: Pick<Row, 'id' | 'version'>, where: () => Predicate): Promise<readonly Row[]> {
    let asked: Query | undefined;
    const query = () => (asked ??= { where: where() });
    const question = listingNamed(kind, `${name} ${of.id} ${of.version}`, query);
    const known = await this.#known.rowsOf(kind, question);
    if (known?.value) return known.value as readonly Row[]; // of a list
    return this.#found(known, kind, query(), await this.#members(kind, query()));
  }

  count(kind: string, where: Predicate): Promise<number> {
    return this.#known.answer(counting(kind, where), async () => (await this.#countMembers(kind, where)) ?? this.#tx.count(kind, where));
  }

  distinct(kind: string, set: string): Promise<readonly string[]> {
    return this.#known.answer(distinctIn(kind, set), () => this.#tx.distinct(kind, set));
  }

  async referenced(kind: string, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    const [answer = []] = await this.readAll([{ read: 'referenced', kind, field, values, where }]);
    return answer as readonly string[]; // of such a question
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const known = await Promise.all(reads.map((each) => this.#known.read(each)));
    const unknown = reads.flatMap((each, i) => (known[i]?.value === undefined ? (known[i]?.rest ?? each) : []));
    const answers = (unknown.length > 1 ? await this.#tx.readAll(unknown) : await readEach(this.#tx, unknown)).values();
    // Kept as the answer to the same question.
    return known.map((each) => (each?.value as ReadAnswer | undefined) ?? whole(each, kept(each, answers.next().value ?? [])));
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
    return this.#known.revision();
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
    this.#known.writes();
    return this.#tx;
  }

  /** What a role index finds. A transaction that may write asks the store. */
  async #members(kind: string, query: Query): Promise<Indexed | undefined> {
    if (this.#mode === 'write' || !isRecordedWholly(kind)) return undefined;
    return this.#state.indexed(this.#tx, kind, query, await this.#known.current());
  }

  /** @param members what a role index finds, asked for where the answer is not known */
  async #listed(kind: string, query: Query, members: () => Promise<Indexed | undefined>): Promise<readonly Row[]> {
    const known = await this.#known.list(kind, query);
    if (known?.value) return known.value as readonly Row[]; // of a list
    return this.#found(known, kind, query, await members());
  }

  async #found(
    known: Recollection | undefined,
    kind: string,
    query: Query,
    { page, candidates, rest }: Partial<Indexed> = {},
  ): Promise<readonly Row[]> {
    if (page) return kept(known, await this.#rows(kind, page, query.limit === undefined));
    const among = candidates && rest ? { ...query, where: and(oneOf(ID, candidates), rest) } : query;
    return kept(known, await this.#tx.list(kind, among));
  }

  async #countMembers(kind: string, where: Predicate): Promise<number | undefined> {
    const { count, candidates, rest } = (await this.#members(kind, { where, limit: 0 })) ?? {};
    if (!rest || rest.op === 'all') return count;
    return candidates && this.#tx.count(kind, and(oneOf(ID, candidates), rest));
  }

  /** Rows that there are, in the order of their ids. @param areAll whether they are all that a question finds, such as the policies of an identity, and not a page */
  async #rows(kind: string, ids: readonly string[], areAll: boolean): Promise<readonly Row[]> {
    // Of a page that is too long to be kept, hardly any row is known.
    const known = areAll || ids.length <= MOST_ROWS ? await this.#known.rows(kind, ids) : [];
    const missing = ids.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) return known as readonly Row[]; // none is missing
    const read = await this.#tx.list(kind, { where: oneOf(ID, missing) });
    if (areAll) await this.#known.keepRows(kind, read);
    const found = new Map(read.map((row) => [row.id, row]));
    return ids.flatMap((id, i) => known[i] ?? found.get(id) ?? []);
  }
}

const isQuery = (of: Query | readonly Row[]): of is Query => !Array.isArray(of);

/** An answer, with the part of it that was known before. */
const whole = (known: Recollection | undefined, answer: ReadAnswer): ReadAnswer =>
  known?.found?.length ? ([...known.found, ...answer] as readonly string[]) : answer; // only of values is a part known
