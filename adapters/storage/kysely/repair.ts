/** Making what rows are found by anew, from their documents. */
import { type Row, UniqueViolation } from '../../../src/adapter-kit.ts';
import type { Result } from './connection.ts';
import { columnValue, elementsOf, rowsOfKind } from './layout.ts';
import type { Scope } from './scope.ts';
import { raw, type Sql, sql, type Value } from './sql.ts';
import { foundIn } from './verify.ts';

/** A column and what is put there. */
export type Assignment = readonly [Sql, Value];

type Run = (statement: Sql) => Promise<Result>;

export interface RepairStatements {
  readonly run: Run;
  /** Writes the columns of the row. @throws UniqueViolation; nothing is written then */
  assign(row: Row, values: readonly Assignment[]): Promise<void>;
}

export const repairCount = async (run: Run, scope: Scope, kind: string): Promise<boolean> => {
  await run(scope.setTo(rowsOfKind(kind), sql`(${scope.countRows(kind)})`));
  return true;
};

/** @returns whether all that is kept for the id is right now */
export const repairRow = async ({ run, assign }: RepairStatements, scope: Scope, kind: string, id: string): Promise<boolean> => {
  const { columns, documents, sets } = scope.layout(kind);
  const { rows } = await run(
    sql`select (select d.document from ${documents} as d where d.id = t.document) as document from ${scope.rowsAs(kind, raw('t'))} and t.id = ${id}`,
  );
  // The statement names what it selects.
  const found = rows.length === 0 ? undefined : foundIn((rows[0] as { readonly document: unknown }).document, id);
  if (found?.is === 'unreadable') return false;
  const row = found?.is === 'readable' ? found.row : undefined;
  if (row) {
    try {
      await assign(
        row,
        [...columns.values()].map((column): Assignment => [column.sql, columnValue(column, row)]),
      );
    } catch (error) {
      if (error instanceof UniqueViolation) return false;
      throw error;
    }
  }
  if (found?.is === 'missing') {
    await run(sql`${scope.deleteRows(kind)} and id = ${id}`);
    await run(scope.addTo(rowsOfKind(kind), -1));
  }
  for (const set of sets.keys()) {
    await run(sql`${scope.deleteElements(kind, set)} and id = ${id}`);
    const elements = row ? [...elementsOf(row, set)] : [];
    if (elements.length > 0) await run(scope.insertElements(kind, set, id, elements));
  }
  return true;
};
