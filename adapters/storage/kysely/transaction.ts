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
import { arranged, valuesToArrange } from './arrange.ts';
import { type Connection, type Result, run, Taken } from './connection.ts';
import type { Joining, Surroundings } from './joining.ts';
import { columnValue, elementsOf, REVISION, rowsOfKind } from './layout.ts';
import type { Scope } from './scope.ts';
import {
  selectAmongFirst,
  selectCount,
  selectDistinct,
  selectPage,
  selectReferenced,
  selectRow,
  selectSizes,
  selectTaken,
} from './select.ts';
import { name, raw, type Sql, sql } from './sql.ts';
import { type Assignment, changes, field, rowOf, type Stored } from './stored.ts';
import { foundIn, verifyPage } from './verify.ts';

export class KyselyTransaction implements Transaction {
  readonly host: unknown = undefined;
  readonly #connection: Connection;
  readonly #scope: Scope;
  readonly #mode: TransactionMode;
  readonly #joining: Joining | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #known = new Map<string, Promise<Stored | undefined>>();
  #locked: Promise<unknown> | undefined;
  #isOver = false;

  constructor(connection: Connection, scope: Scope, mode: TransactionMode, { joining, signal }: Surroundings = {}) {
    this.#joining = joining;
    this.#signal = signal;
    this.#connection = connection;
    this.#scope = scope;
    this.#mode = mode;
  }

  async get(kind: string, id: string): Promise<Row | undefined> {
    return (await this.#find(kind, id))?.row;
  }

  async list(kind: string, query: Query): Promise<readonly Row[]> {
    if (query.where.op === 'none') return [];
    const among = selectAmongFirst(this.#scope, kind, query);
    const first = among && (await this.#run(among)).rows;
    if (first && first.length === query.limit) return first.map(rowOf);
    const where = await this.#arranged(kind, query.where);
    const { rows } = await this.#run(selectPage(this.#scope, kind, { ...query, where }));
    return rows.map(rowOf);
  }

  async count(kind: string, where: Predicate): Promise<number> {
    if (where.op === 'none') return 0;
    const { rows } = await this.#run(selectCount(this.#scope, kind, await this.#arranged(kind, where)));
    return rows.length === 0 ? 0 : Number(field(rows[0], 'value'));
  }

  async insert(kind: string, row: Row): Promise<void> {
    this.#assertWriting('insert');
    await this.#changing(kind, row.id, () => this.#insert(kind, row));
  }

  async update(kind: string, row: Row, expected: number): Promise<void> {
    this.#assertWriting('update');
    await this.#changing(kind, row.id, () => this.#update(kind, row, expected));
  }

  async delete(kind: string, id: string): Promise<boolean> {
    this.#assertWriting('delete');
    return this.#changing(kind, id, () => this.#delete(kind, id));
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
        await this.#runUnique(kind, found.row, values, sql`${this.#scope.updateRow(kind, values)} and id = ${id}`);
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

  async #insert(kind: string, row: Row): Promise<void> {
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

  async #update(kind: string, row: Row, expected: number): Promise<void> {
    const { columns, documents, sets } = this.#scope.layout(kind);
    const found = await this.#find(kind, row.id);
    if (!found) throw new RowMissing(kind, row.id);
    const before = found.row;
    if (before.version !== expected) throw new WriteConflict();

    const changed = changes([...columns.values()], before, row);
    const updated = await this.#runUnique(
      kind,
      row,
      changed,
      sql`${this.#scope.updateRow(kind, changed)} and id = ${row.id} and version = ${expected}`,
    );
    if (updated.written === 0) throw new WriteConflict();
    await this.#run(sql`update ${documents} set document = ${JSON.stringify(row)} where id = ${found.number}`);
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

  async #delete(kind: string, id: string): Promise<boolean> {
    const { documents, sets } = this.#scope.layout(kind);
    const { rows } = await this.#run(sql`${this.#scope.deleteRows(kind)} and id = ${id} returning document as number`);
    if (rows.length === 0) return false;
    await this.#run(sql`delete from ${documents} where id = ${Number(field(rows[0], 'number'))}`);
    for (const set of sets.keys()) await this.#run(sql`${this.#scope.deleteElements(kind, set)} and id = ${id}`);
    await this.#run(this.#scope.addTo(rowsOfKind(kind), -1));
    return true;
  }

  async #arranged(kind: string, where: Predicate): Promise<Predicate> {
    const sizes = new Map<string, number>();
    for (const [set, values] of valuesToArrange(where)) {
      const { rows } = await this.#run(selectSizes(this.#scope, kind, set, [...values]));
      for (const row of rows) sizes.set(keyOf(set, String(field(row, 'value'))), Number(field(row, 'size')));
    }
    return sizes.size === 0 ? where : arranged(where, (set, value) => sizes.get(keyOf(set, value)) ?? 0);
  }

  /** A row is read once: nobody else changes it while a transaction of our own runs. In the host's, it may change at any time. */
  #find(kind: string, id: string): Promise<Stored | undefined> {
    if (this.#joining || this.#isOver) return this.#read(kind, id);
    const key = keyOf(kind, id);
    const known = this.#known.get(key) ?? this.#read(kind, id);
    this.#known.set(key, known);
    return known;
  }

  async #changing<T>(kind: string, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#known.delete(keyOf(kind, id));
    }
  }

  async #read(kind: string, id: string): Promise<Stored | undefined> {
    const { rows } = await this.#run(selectRow(this.#scope, kind, id));
    return rows.length === 0 ? undefined : { row: rowOf(rows[0]), number: Number(field(rows[0], 'number')) };
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
      await this.#runUnique(kind, row, values, statement);
      return;
    }
    const { written } = await this.#run(sql`${statement} on conflict do nothing`);
    if (written > 0) return;
    await this.#assertFree(kind, row, values);
    throw new WriteConflict();
  }

  /** Finds out which unique value is taken by another row: of several the first by the kind's table, whatever index the engine looks at first. */
  async #assertFree(kind: string, row: Row, values: readonly Assignment[]): Promise<void> {
    const { columns } = this.#scope.layout(kind);
    const unique = [...columns.values()].filter((column) => column.index === 'unique' && columnValue(column, row) !== null);
    const assigned = unique.filter((column) => values.some(([assignee]) => assignee.text === column.sql.text));
    const isNew = values.some(([assignee]) => assignee === ID);
    if (assigned.length === 0 && !isNew) return;
    const { rows } = await this.#run(selectTaken(this.#scope, kind, row, assigned, isNew));
    if (rows.length > 0) throw new UniqueViolation(kind, String(field(rows[0], 'value')));
  }

  /** @throws UniqueViolation as the port says. Where a failing statement would end the transaction it is asked for first, else once it failed. */
  async #runUnique(kind: string, row: Row, values: readonly Assignment[], statement: Sql): Promise<Result> {
    const { errorsEndTransactions } = this.#scope.engine;
    if (errorsEndTransactions) await this.#assertFree(kind, row, values);
    try {
      return await this.#run(statement);
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
      if (!errorsEndTransactions) await this.#assertFree(kind, row, values);
      throw new UniqueViolation(kind, this.#scope.layout(kind).fieldOf(error.column));
    }
  }

  async #run(statement: Sql): Promise<Result> {
    if (this.#isOver) throw new TypeError('the transaction is over');
    this.#signal?.throwIfAborted();
    if (this.#joining) await (this.#locked ??= this.#joining.begin((first) => run(this.#scope.engine, this.#connection, first)));
    return run(this.#scope.engine, this.#connection, statement);
  }

  #assertWriting(what: string): void {
    if (this.#mode === 'read') throw new TypeError(`${what} needs a write transaction`);
  }
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;

const ID = name('id');
const DOCUMENT = name('document');
