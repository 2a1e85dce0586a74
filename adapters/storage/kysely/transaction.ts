/** Implements the storage port's transaction with statements on one connection. */
import {
  and,
  oneOf,
  type Predicate,
  type Query,
  type Read,
  type ReadAnswer,
  type Row,
  readEach,
  stringField,
  type Transaction,
  type TransactionMode,
  type Verified,
  type VerifyPage,
} from '../../../src/adapter-kit.ts';
import { arrange, valuesToArrange } from './arrange.ts';
import { deepPage } from './deep-page.ts';
import { REVISION } from './layout.ts';
import { canBePart, readParts } from './read-all.ts';
import { Rows, rowsOf } from './rows.ts';
import type { Scope } from './scope.ts';
import {
  selectAmongFirst,
  selectAmongFirstDocuments,
  selectCount,
  selectDistinct,
  selectPage,
  selectReferenced,
  selectSizes,
} from './select.ts';
import { type Sql, sql } from './sql.ts';
import type { TransactionRunner } from './transaction-runner.ts';
import { repairCount, repairRow, verifyPage } from './verify.ts';
import { isDeepPage, isPageOfWindows, isScan, pageOfWindows, SCANNED_AT_ONCE, windowsOf } from './windows.ts';
import { deleteRow, insertRow, updateRow } from './write.ts';

const ID = stringField('id');

export class KyselyTransaction implements Transaction {
  readonly #runner: TransactionRunner;
  readonly #mode: TransactionMode;
  readonly #rows: Rows;

  constructor(runner: TransactionRunner, mode: TransactionMode) {
    this.#runner = runner;
    this.#mode = mode;
    this.#rows = new Rows(runner);
  }

  get host(): unknown {
    return this.#mode === 'write' ? this.#runner.share() : undefined;
  }

  get uncommitted() {
    return this.#runner.commit;
  }

  async get(kind: string, id: string): Promise<Row | undefined> {
    return (await this.#rows.find(kind, id))?.row;
  }

  async list(kind: string, query: Query): Promise<readonly Row[]> {
    if (query.where.op === 'none') return [];
    const scope = await this.#runner.ready();
    if (isPageOfWindows(query) && isScan(scope, kind, query)) {
      const shortcut = query.sort?.length ? selectAmongFirstDocuments(scope, kind, query, SCANNED_AT_ONCE) : undefined;
      const page = shortcut && (await this.#runner.run(shortcut)).rows;
      if (page && page.length === query.limit) return rowsOf(page);
      return pageOfWindows(this.#windows(scope, kind), query, (part) => this.#listWhole(scope, kind, part));
    }
    if (isDeepPage(scope, kind, query)) return this.#listDeep(scope, kind, query);
    const attempt = selectAmongFirst(scope, kind, query);
    const first = attempt && (await this.#runner.run(attempt)).rows;
    if (first && first.length === query.limit) return rowsOf(first);
    return this.#listWhole(scope, kind, query);
  }

  async #listWhole(scope: Scope, kind: string, query: Query): Promise<readonly Row[]> {
    const where = await this.#arranged(kind, query.where);
    const { rows } = await this.#runner.run(selectPage(scope, kind, { ...query, where }));
    return rowsOf(rows);
  }

  async #listDeep(scope: Scope, kind: string, query: Query): Promise<readonly Row[]> {
    const where = await this.#arranged(kind, query.where);
    const select = async (statement: Sql) => (await this.#runner.run(statement)).rows;
    const ids = await deepPage(this.#windows(scope, kind), scope, kind, { ...query, where }, select);
    const rows = new Map((await this.list(kind, { where: oneOf(ID, ids) })).map((row) => [row.id, row]));
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  async count(kind: string, where: Predicate): Promise<number> {
    if (where.op === 'none') return 0;
    const scope = await this.#runner.ready();
    if (!isScan(scope, kind, { where })) return this.#countWhole(scope, kind, where);
    let count = 0;
    for await (const window of this.#windows(scope, kind)) count += await this.#countWhole(scope, kind, and(where, window));
    return count;
  }

  async #countWhole(scope: Scope, kind: string, where: Predicate): Promise<number> {
    const { rows } = await this.#runner.run(selectCount(scope, kind, await this.#arranged(kind, where)));
    return Number(rows[0]?.value ?? 0);
  }

  #windows(scope: Scope, kind: string): AsyncIterable<Predicate> {
    return windowsOf((statement) => this.#runner.run(statement), scope, kind);
  }

  async insert(kind: string, row: Row): Promise<void> {
    this.#assertWriting('insert');
    this.#runner.commit?.add(kind, row.id);
    await this.#runner.ready();
    await this.#rows.changing(kind, row.id, () => insertRow(this.#runner, kind, row));
  }

  async update(kind: string, row: Row, expected: number): Promise<void> {
    this.#assertWriting('update');
    this.#runner.commit?.add(kind, row.id);
    await this.#runner.ready();
    await this.#rows.changing(kind, row.id, async () => updateRow(this.#runner, kind, row, expected, await this.#rows.find(kind, row.id)));
  }

  async delete(kind: string, id: string): Promise<boolean> {
    this.#assertWriting('delete');
    this.#runner.commit?.add(kind, id);
    await this.#runner.ready();
    return this.#rows.changing(kind, id, () => deleteRow(this.#runner, kind, id));
  }

  async distinct(kind: string, set: string): Promise<readonly string[]> {
    const { rows } = await this.#runner.run(selectDistinct(await this.#runner.ready(), kind, set));
    return rows.map(({ value }) => String(value));
  }

  async referenced(kind: string, reference: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    if (values.length === 0) return [];
    const scope = await this.#runner.ready();
    const { rows } = await this.#runner.run(selectReferenced(scope, kind, reference, [...new Set(values)], where));
    return rows.map(({ value }) => String(value));
  }

  async readAll(reads: readonly Read[]): Promise<readonly ReadAnswer[]> {
    const parts = reads.filter(canBePart);
    if (parts.length < 2) return readEach(this, reads);
    const scope = await this.#runner.ready();
    const answers = await readParts((statement) => this.#runner.run(statement), scope, parts);
    const others = reads.filter((each) => !parts.includes(each));
    const otherAnswers = await readEach(this, others);
    return reads.map((each) => answers[parts.indexOf(each)] ?? otherAnswers[others.indexOf(each)] ?? []);
  }

  async revision(): Promise<number> {
    const { lazy, commit } = this.#runner;
    if (lazy) return lazy.revision();
    if (commit) return commit.revision;
    const scope = await this.#runner.ready();
    const { rows } = await this.#runner.run(scope.number(REVISION));
    return Number(rows[0]?.value ?? 0);
  }

  async nextRevision(atLeast = 1): Promise<number> {
    this.#assertWriting('nextRevision');
    if (this.#runner.commit) return this.#runner.commit.nextRevision(atLeast);
    const scope = await this.#runner.ready();
    const raised = { existing: 'raise', value: sql`${atLeast - 1}`, returning: false } as const;
    if (atLeast > 1) await this.#runner.runInOrder(scope.change(REVISION, raised));
    const next = { existing: 'add', value: sql`${1}`, returning: true } as const;
    const { rows } = await this.#runner.runInOrder(scope.change(REVISION, next));
    return Number(rows[0]?.value);
  }

  async verify(kind: string, page: VerifyPage): Promise<Verified> {
    const scope = await this.#runner.ready();
    return verifyPage((statement) => this.#runner.run(statement), scope, kind, page);
  }

  async repair(kind: string, id?: string): Promise<boolean> {
    this.#assertWriting('repair');
    this.#runner.commit?.addAll();
    await this.#runner.ready();
    if (id !== undefined) return repairRow(this.#runner, kind, id);
    await repairCount(this.#runner, kind);
    return true;
  }

  async forget(): Promise<void> {
    this.#assertWriting('forget');
    const scope = await this.#runner.ready();
    await this.#runner.run(scope.deleteNumbers());
    this.#runner.commit?.forget();
  }

  /** Returns an equivalent predicate with the required values in the best order. */
  async #arranged(kind: string, where: Predicate): Promise<Predicate> {
    const sizes = new Map<string, number>();
    for (const [set, values] of valuesToArrange(where)) {
      const { rows } = await this.#runner.run(selectSizes(this.#runner.scope, kind, set, [...values]));
      for (const { value, size } of rows) sizes.set(keyOf(set, String(value)), Number(size));
    }
    return sizes.size === 0 ? where : arrange(where, (set, value) => sizes.get(keyOf(set, value)) ?? 0);
  }

  #assertWriting(method: string): void {
    if (this.#mode === 'read') throw new TypeError(`${method} requires a write transaction`);
  }
}

const keyOf = (set: string, value: string): string => `${set} ${value}`;
