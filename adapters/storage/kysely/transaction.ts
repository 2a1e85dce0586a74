/** The operations of the port as statements on one connection. */
import {
  type Predicate,
  type Query,
  type Row,
  RowMissing,
  type Transaction,
  type TransactionMode,
  UniqueViolation,
  type Verified,
  type VerifyPage,
  WriteConflict,
} from '../../../src/adapter-kit.ts';
import { type Connection, type Result, run, Taken } from './connection.ts';
import { type Column, columnValue, elementsOf, REVISION, rowsOfKind } from './layout.ts';
import type { Scope } from './scope.ts';
import { selectCount, selectDistinct, selectForWriting, selectPage, selectReferenced, selectRow, selectTaken } from './select.ts';
import { name, raw, type Sql, sql, type Value } from './sql.ts';
import { foundIn, verifyPage } from './verify.ts';

export class KyselyTransaction implements Transaction {
  readonly #connection: Connection;
  readonly #scope: Scope;
  readonly #mode: TransactionMode;
  readonly #lock: Sql | undefined;
  #locked: Promise<unknown> | undefined;
  #isOver = false;

  /** @param lock what to run before anything else. */
  constructor(connection: Connection, scope: Scope, mode: TransactionMode, lock?: Sql) {
    this.#lock = lock;
    this.#connection = connection;
    this.#scope = scope;
    this.#mode = mode;
  }

  async get(kind: string, id: string): Promise<Row | undefined> {
    const { rows } = await this.#run(selectRow(this.#scope, kind, id));
    return rows.length === 0 ? undefined : rowOf(rows[0]);
  }

  async list(kind: string, query: Query): Promise<readonly Row[]> {
    const { rows } = await this.#run(selectPage(this.#scope, kind, query));
    return rows.map(rowOf);
  }

  async count(kind: string, where: Predicate): Promise<number> {
    const { rows } = await this.#run(selectCount(this.#scope, kind, where));
    return rows.length === 0 ? 0 : Number(field(rows[0], 'value'));
  }

  async insert(kind: string, row: Row): Promise<void> {
    this.#assertWriting('insert');
    const { columns, documents, sets } = this.#scope.layout(kind);
    const inserted = await this.#run(sql`insert into ${documents} (document) values (${JSON.stringify(row)}) returning id`);
    const number = Number(field(inserted.rows[0], 'id'));
    const values = [...columns.values()].map((column): Assignment => [column.sql, columnValue(column, row)]);
    try {
      await this.#insertRow(kind, row, [[ID, row.id], [DOCUMENT, number], ...values]);
    } catch (error) {
      if (error instanceof UniqueViolation) await this.#run(sql`delete from ${documents} where id = ${number}`);
      throw error;
    }
    for (const set of sets.keys()) await this.#addElements(kind, set, row.id, [...elementsOf(row, set)]);
    await this.#run(this.#scope.addTo(rowsOfKind(kind), 1));
  }

  async update(kind: string, row: Row, expected: number): Promise<void> {
    this.#assertWriting('update');
    const { columns, documents, sets } = this.#scope.layout(kind);
    const { rows } = await this.#run(selectForWriting(this.#scope, kind, row.id));
    if (rows.length === 0) throw new RowMissing(kind, row.id);
    const before = rowOf(rows[0]);
    if (before.version !== expected) throw new WriteConflict();

    const changed = changes([...columns.values()], before, row);
    await this.#assertFree(kind, row, changed);
    const updated = await this.#runUnique(kind, sql`${this.#scope.updateRow(kind, changed)} and id = ${row.id} and version = ${expected}`);
    if (updated.written === 0) throw new WriteConflict();
    await this.#run(sql`update ${documents} set document = ${JSON.stringify(row)} where id = ${Number(field(rows[0], 'number'))}`);
    for (const set of sets.keys()) {
      const [old, now] = [elementsOf(before, set), elementsOf(row, set)];
      await this.#removeElements(
        kind,
        set,
        row.id,
        [...old].filter((element) => !now.has(element)),
      );
      await this.#addElements(
        kind,
        set,
        row.id,
        [...now].filter((element) => !old.has(element)),
      );
    }
  }

  async delete(kind: string, id: string): Promise<boolean> {
    this.#assertWriting('delete');
    const { documents, sets } = this.#scope.layout(kind);
    const { rows } = await this.#run(sql`${this.#scope.deleteRows(kind)} and id = ${id} returning document as number`);
    if (rows.length === 0) return false;
    await this.#run(sql`delete from ${documents} where id = ${Number(field(rows[0], 'number'))}`);
    for (const set of sets.keys()) await this.#run(sql`${this.#scope.deleteElements(kind, set)} and id = ${id}`);
    await this.#run(this.#scope.addTo(rowsOfKind(kind), -1));
    return true;
  }

  async distinct(kind: string, set: string): Promise<readonly string[]> {
    const { rows } = await this.#run(selectDistinct(this.#scope, kind, set));
    return rows.map((row) => String(field(row, 'value')));
  }

  async referenced(kind: string, reference: string, values: readonly string[], where?: Predicate): Promise<readonly string[]> {
    if (values.length === 0) return [];
    const { rows } = await this.#run(selectReferenced(this.#scope, kind, reference, [...new Set(values)], where));
    return rows.map((row) => String(field(row, 'value')));
  }

  async nextRevision(atLeast = 1): Promise<number> {
    this.#assertWriting('nextRevision');
    if (atLeast > 1) await this.#run(this.#scope.raiseTo(REVISION, atLeast - 1));
    const { rows } = await this.#run(this.#scope.addTo(REVISION, 1));
    return Number(field(rows[0], 'value'));
  }

  async verify(kind: string, page: VerifyPage): Promise<Verified> {
    return verifyPage((statement) => this.#run(statement), this.#scope, kind, page);
  }

  async repair(kind: string, id?: string): Promise<boolean> {
    this.#assertWriting('repair');
    if (id === undefined) {
      await this.#run(this.#scope.setTo(rowsOfKind(kind), sql`(${this.#scope.countRows(kind)})`));
      return true;
    }
    const { columns, documents, sets } = this.#scope.layout(kind);
    const { rows } = await this.#run(
      sql`select (select d.document from ${documents} as d where d.id = t.document) as document from ${this.#scope.rowsAs(kind, raw('t'))} and t.id = ${id}`,
    );
    const found = rows.length === 0 ? undefined : foundIn(field(rows[0], 'document'), id);
    if (found?.is === 'unreadable') return false;
    if (found?.is === 'readable') {
      const values = [...columns.values()].map((column): Assignment => [column.sql, columnValue(column, found.row)]);
      try {
        await this.#assertFree(kind, found.row, values);
        await this.#runUnique(kind, sql`${this.#scope.updateRow(kind, values)} and id = ${id}`);
      } catch (error) {
        if (error instanceof UniqueViolation) return false;
        throw error;
      }
    }
    if (found?.is === 'missing') {
      await this.#run(sql`${this.#scope.deleteRows(kind)} and id = ${id}`);
      await this.#run(this.#scope.addTo(rowsOfKind(kind), -1));
    }
    for (const set of sets.keys()) {
      await this.#run(sql`${this.#scope.deleteElements(kind, set)} and id = ${id}`);
      if (found?.is === 'readable') await this.#addElements(kind, set, id, [...elementsOf(found.row, set)]);
    }
    return true;
  }

  /** The connection goes to others: nothing runs here any more. */
  end(): void {
    this.#isOver = true;
  }

  async #addElements(kind: string, set: string, id: string, elements: readonly string[]): Promise<void> {
    if (elements.length > 0) await this.#run(this.#scope.insertElements(kind, set, id, elements));
  }

  async #removeElements(kind: string, set: string, id: string, elements: readonly string[]): Promise<void> {
    const listed = () => this.#scope.engine.elements(JSON.stringify(elements), 'string');
    if (elements.length > 0)
      await this.#run(sql`${this.#scope.deleteElements(kind, set)} and id = ${id} and value in (select e.value from ${listed()})`);
  }

  async #insertRow(kind: string, row: Row, values: readonly Assignment[]): Promise<void> {
    const statement = this.#scope.insertRow(kind, values);
    if (!this.#scope.engine.errorsEndTransactions) {
      await this.#runUnique(kind, statement);
      return;
    }
    const { written } = await this.#run(sql`${statement} on conflict do nothing`);
    if (written > 0) return;
    await this.#assertFree(kind, row, values);
    throw new WriteConflict();
  }

  /** Finds out which unique value is taken by another row, where a failing statement would tell but end the transaction. */
  async #assertFree(kind: string, row: Row, values: readonly Assignment[]): Promise<void> {
    if (!this.#scope.engine.errorsEndTransactions) return;
    const { columns } = this.#scope.layout(kind);
    const unique = [...columns.values()].filter((column) => column.index === 'unique' && columnValue(column, row) !== null);
    const assigned = unique.filter((column) => values.some(([assignee]) => assignee.text === column.sql.text));
    const isNew = values.some(([assignee]) => assignee === ID);
    if (assigned.length === 0 && !isNew) return;
    const { rows } = await this.#run(selectTaken(this.#scope, kind, row, assigned, isNew));
    if (rows.length > 0) throw new UniqueViolation(kind, String(field(rows[0], 'value')));
  }

  async #runUnique(kind: string, statement: Sql): Promise<Result> {
    try {
      return await this.#run(statement);
    } catch (error) {
      throw error instanceof Taken ? new UniqueViolation(kind, this.#scope.layout(kind).fieldOf(error.column)) : error;
    }
  }

  async #run(statement: Sql): Promise<Result> {
    if (this.#isOver) throw new TypeError('the transaction is over');
    if (this.#lock) await (this.#locked ??= run(this.#scope.engine, this.#connection, this.#lock));
    return run(this.#scope.engine, this.#connection, statement);
  }

  #assertWriting(what: string): void {
    if (this.#mode === 'read') throw new TypeError(`${what} needs a write transaction`);
  }
}

type Assignment = readonly [Sql, Value];

const ID = name('id');
const DOCUMENT = name('document');

/** An index is touched for what is assigned to, so only what differs is. The version always does. */
const changes = (columns: readonly Column[], before: Row, after: Row): readonly Assignment[] =>
  columns
    .map((column) => ({ column, old: columnValue(column, before), now: columnValue(column, after) }))
    .filter(({ column, old, now }) => old !== now || column.name === 'version')
    .map(({ column, now }): Assignment => [column.sql, now]);

// Our own statements name what they select, and every document is a row that was handed in.
const field = (row: unknown, name: string): unknown => (row as Readonly<Record<string, unknown>>)[name];
const rowOf = (row: unknown): Row => JSON.parse(String(field(row, 'document'))) as Row;
