/** Writes rows, and reports violated unique constraints by their field. */
import { type Row, UniqueViolation, WriteConflict } from '../../../src/adapter-kit.ts';
import { Taken } from './connection.ts';
import { type Column, columnValue } from './layout.ts';
import type { Result } from './result.ts';
import { selectTaken } from './select.ts';
import type { Session } from './session.ts';
import type { Sql, Value } from './sql.ts';

export type Assignment = readonly [Column, Value];

/** @throws UniqueViolation as the port says; WriteConflict if a writer outside of the lock has just taken a value */
export const insertUnique = async (session: Session, kind: string, row: Row, statement: Sql): Promise<void> => {
  const { engine } = session.scope;
  const columns = [...session.scope.layout(kind).columns.values()];
  if (!engine.insertUnlessTaken) {
    await runUnique(session, kind, row, columns, true, statement);
    return;
  }
  const { written } = await session.run(engine.insertUnlessTaken(statement));
  if (written === 0) await refuseTaken(session, kind, row);
};

/** After an insert that has written nothing. @throws as `insertUnique` */
export const refuseTaken = async (session: Session, kind: string, row: Row): Promise<never> => {
  await assertFree(session, kind, row, [...session.scope.layout(kind).columns.values()], true);
  throw new WriteConflict();
};

/**
 * Where a failed statement would abort the transaction, the values are checked before it, otherwise after it has failed.
 * @throws UniqueViolation as the port says
 */
export const updateUnique = async (
  session: Session,
  kind: string,
  row: Row,
  columns: readonly Column[],
  statement: Sql,
): Promise<Result> => {
  if (session.scope.engine.insertUnlessTaken) await assertFree(session, kind, row, columns, false);
  return runUnique(session, kind, row, columns, false, statement);
};

const runUnique = async (
  session: Session,
  kind: string,
  row: Row,
  columns: readonly Column[],
  isNew: boolean,
  statement: Sql,
): Promise<Result> => {
  try {
    return await session.run(statement);
  } catch (error) {
    if (!(error instanceof Taken)) throw error;
    if (!session.scope.engine.insertUnlessTaken) await assertFree(session, kind, row, columns, isNew);
    throw new UniqueViolation(kind, session.scope.layout(kind).fieldOf(error.column));
  }
};

/**
 * Checks that no other row has a unique value of this one. If several are taken, it reports the first in the order of the kind's fields, so that every engine
 * reports the same one.
 */
const assertFree = async (session: Session, kind: string, row: Row, columns: readonly Column[], isNew: boolean): Promise<void> => {
  const unique = columns.filter((column) => column.index === 'unique' && columnValue(column, row) !== null);
  if (unique.length === 0 && !isNew) return;
  const [taken] = (await session.run(selectTaken(session.scope, kind, row, unique, isNew))).rows;
  if (taken) throw new UniqueViolation(kind, String(taken.value));
};
