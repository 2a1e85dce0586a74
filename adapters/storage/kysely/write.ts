/** Inserts, updates and deletes rows: the document, the narrow row, the elements of its sets, and the count of rows. */
import { type Row, RowMissing, UniqueViolation, WriteConflict } from '../../../src/adapter-kit.ts';
import { Taken } from './connection.ts';
import { type Column, columnValue, elementsOf, rowsOfKind } from './layout.ts';
import type { Result } from './result.ts';
import type { Stored } from './rows.ts';
import type { Scope } from './scope.ts';
import { selectTaken } from './select.ts';
import { raw, type Sql, sql, type Value } from './sql.ts';
import type { TransactionRunner } from './transaction-runner.ts';
import { deleteAtOnce, insertAtOnce, type SetChange, updateAtOnce } from './write-at-once.ts';

export type Assignment = readonly [Column, Value];

/** @throws UniqueViolation as the port specifies; WriteConflict if a writer without the writer lock has just taken a value */
const insertUnique = async (runner: TransactionRunner, kind: string, row: Row, statement: Sql): Promise<void> => {
  const { engine } = runner.scope;
  const columns = [...runner.scope.layout(kind).columns.values()];
  if (!engine.insertUnlessTaken) {
    await runUnique(runner, kind, row, columns, true, statement);
    return;
  }
  const { written } = await runner.run(engine.insertUnlessTaken(statement));
  if (written === 0) await refuseTaken(runner, kind, row);
};

/**
 * Reports the taken value after an insert that wrote nothing.
 * @throws like `insertUnique`
 */
const refuseTaken = async (runner: TransactionRunner, kind: string, row: Row): Promise<never> => {
  await assertFree(runner, kind, row, [...runner.scope.layout(kind).columns.values()], true);
  throw new WriteConflict();
};

/**
 * Checks unique values before the update if a failed statement would abort the transaction, and otherwise only after the update has failed.
 * @throws UniqueViolation as the port specifies
 */
export const updateUnique = async (
  runner: TransactionRunner,
  kind: string,
  row: Row,
  columns: readonly Column[],
  statement: Sql,
): Promise<Result> => {
  if (runner.scope.engine.insertUnlessTaken) await assertFree(runner, kind, row, columns, false);
  return runUnique(runner, kind, row, columns, false, statement);
};

const runUnique = async (
  runner: TransactionRunner,
  kind: string,
  row: Row,
  columns: readonly Column[],
  isNew: boolean,
  statement: Sql,
): Promise<Result> => {
  try {
    return await runner.run(statement);
  } catch (error) {
    if (!(error instanceof Taken)) throw error;
    if (!runner.scope.engine.insertUnlessTaken) await assertFree(runner, kind, row, columns, isNew);
    throw new UniqueViolation(kind, runner.scope.layout(kind).fieldOf(error.column));
  }
};

/**
 * Checks that no other row has taken a unique value of this row. If several are taken, reports the first in the order of the kind's fields,
 * so that every engine reports the same one.
 */
const assertFree = async (runner: TransactionRunner, kind: string, row: Row, columns: readonly Column[], isNew: boolean): Promise<void> => {
  const unique = columns.filter((column) => column.index === 'unique' && columnValue(column, row) !== null);
  if (unique.length === 0 && !isNew) return;
  const [taken] = (await runner.run(selectTaken(runner.scope, kind, row, unique, isNew))).rows;
  if (taken) throw new UniqueViolation(kind, String(taken.value));
};

export const insertRow = async (runner: TransactionRunner, kind: string, row: Row): Promise<void> => {
  const { scope } = runner;
  const { columns, documents, sets } = scope.layout(kind);
  if (scope.engine.writesAtOnce) return insertRowAtOnce(runner, kind, row);
  const inserted = await runner.runInOrder(scope.engine.insertDocument(documents, JSON.stringify(row)));
  const number = Number(inserted.rows[0]?.id);
  const values = [...columns.values()].map((column): [Sql, Value] => [column.sql, columnValue(column, row)]);
  try {
    await insertUnique(runner, kind, row, scope.insertRow(kind, [[ID, row.id], [DOCUMENT, number], ...values]));
  } catch (error) {
    if (error instanceof UniqueViolation) await runner.run(sql`delete from ${documents} where id = ${number}`);
    throw error;
  }
  for (const set of sets.keys()) await addElements(runner, kind, set, row.id, [...elementsOf(row, set)]);
  await changeCount(runner, kind, 1);
};

const insertRowAtOnce = async (runner: TransactionRunner, kind: string, row: Row): Promise<void> => {
  const { scope } = runner;
  const { columns, documents, sets } = scope.layout(kind);
  const values = [...columns.values()].map((column): [Sql, Value] => [column.sql, columnValue(column, row)]);
  const setChanges = [...sets.keys()].map((set) => setChange(set, NONE, elementsOf(row, set)));
  const { rows } = await runner.run(insertAtOnce(scope, kind, row, [[ID, row.id], ...values], setChanges));
  if (Number(rows[0]?.written) > 0) return;
  await runner.run(sql`delete from ${documents} where id = ${Number(rows[0]?.id)}`);
  await refuseTaken(runner, kind, row);
};

/** @param found the current row, if it exists */
export const updateRow = async (
  runner: TransactionRunner,
  kind: string,
  row: Row,
  expected: number,
  found: Stored | undefined,
): Promise<void> => {
  const { documents, sets } = runner.scope.layout(kind);
  if (!found) throw new RowMissing(kind, row.id);
  const { row: before, number } = found;
  if (before.version !== expected) throw new WriteConflict();
  const changed = changedColumns(runner.scope, kind, before, row);
  const update = sql`${assigned(runner.scope, kind, changed, row)} and id = ${row.id} and version = ${expected}`;
  const setChanges = [...sets.keys()].map((set) => setChange(set, elementsOf(before, set), elementsOf(row, set)));
  if (runner.scope.engine.writesAtOnce) {
    const { rows } = await updateUnique(runner, kind, row, changed, updateAtOnce(runner.scope, kind, row, number, update, setChanges));
    if (Number(rows[0]?.written) === 0) throw new WriteConflict();
    return;
  }
  const { written } = await updateUnique(runner, kind, row, changed, update);
  if (written === 0) throw new WriteConflict();
  await runner.run(sql`update ${documents} set document = ${JSON.stringify(row)} where id = ${number}`);
  for (const { set, removed, added } of setChanges) {
    if (removed.length > 0) await runner.run(runner.scope.deleteElementsOf(kind, set, row.id, removed));
    await addElements(runner, kind, set, row.id, added);
  }
};

/** @returns true if the row existed */
export const deleteRow = async (runner: TransactionRunner, kind: string, id: string): Promise<boolean> => {
  const { scope } = runner;
  const { documents, sets } = scope.layout(kind);
  if (scope.engine.writesAtOnce) return Number((await runner.run(deleteAtOnce(scope, kind, id))).rows[0]?.written) > 0;
  await runner.run(sql`delete from ${documents} where id = (select t.document from ${scope.rowsAs(kind, raw('t'))} and t.id = ${id})`);
  const { written } = await runner.run(sql`${scope.deleteRows(kind)} and id = ${id}`);
  if (written === 0) return false;
  for (const set of sets.keys()) await runner.run(sql`${scope.deleteElements(kind, set)} and id = ${id}`);
  await changeCount(runner, kind, -1);
  return true;
};

/** `update ... where ns = ?`: sets these columns to the values of the row. */
export const assigned = (scope: Scope, kind: string, columns: readonly Column[], row: Row): Sql =>
  scope.updateRow(
    kind,
    columns.map((column) => [column.sql, columnValue(column, row)]),
  );

export const addElements = async (
  runner: TransactionRunner,
  kind: string,
  set: string,
  id: string,
  elements: readonly string[],
): Promise<void> => {
  if (elements.length > 0) await runner.run(runner.scope.insertElements(kind, set, id, elements));
};

export const changeCount = async (runner: TransactionRunner, kind: string, by: 1 | -1): Promise<void> => {
  await runner.runInOrder(runner.scope.change(rowsOfKind(kind), { existing: 'add', value: sql`${by}`, returning: false }));
};

/** Only the columns that differ, because assigning to a column costs a write to its index. The version always differs. */
const changedColumns = (scope: Scope, kind: string, before: Row, after: Row): readonly Column[] =>
  [...scope.layout(kind).columns.values()].filter(
    (column) => column.name === 'version' || columnValue(column, before) !== columnValue(column, after),
  );

const setChange = (set: string, before: ReadonlySet<string>, after: ReadonlySet<string>): SetChange => ({
  set,
  removed: without(before, after),
  added: without(after, before),
});

const without = (elements: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...elements].filter((element) => !others.has(element));

const NONE: ReadonlySet<string> = new Set();
const ID = raw('id');
const DOCUMENT = raw('document');
