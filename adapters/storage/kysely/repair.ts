/** Rebuilds the columns, sets and counts by which rows are found, from their documents. */
import { UniqueViolation } from '../../../src/adapter-kit.ts';
import { elementsOf, rowsOfKind } from './layout.ts';
import type { Session } from './session.ts';
import { raw, sql } from './sql.ts';
import { updateUnique } from './unique.ts';
import { foundIn } from './verify.ts';
import { addElements, assigned, changeCount } from './write.ts';

export const repairCount = async (session: Session, kind: string): Promise<void> => {
  const value = sql`(${session.scope.countRows(kind)})`;
  await session.runInTurn(session.scope.change(rowsOfKind(kind), { existing: 'set', value, returning: false }));
};

/** @returns false if the document is unreadable, or if a unique value is taken */
export const repairRow = async (session: Session, kind: string, id: string): Promise<boolean> => {
  const { scope } = session;
  const { columns, documents, sets } = scope.layout(kind);
  const { rows } = await session.run(
    sql`select (select d.document from ${documents} as d where d.id = t.document) as document from ${scope.rowsAs(kind, raw('t'))} and t.id = ${id}`,
  );
  const found = rows[0] && foundIn(rows[0].document, id);
  if (found?.is === 'unreadable') return false;
  if (found?.is === 'readable') {
    const all = [...columns.values()];
    try {
      await updateUnique(session, kind, found.row, all, sql`${assigned(scope, kind, all, found.row)} and id = ${id}`);
    } catch (error) {
      if (error instanceof UniqueViolation) return false;
      throw error;
    }
  }
  if (found?.is === 'missing') {
    await session.run(sql`${scope.deleteRows(kind)} and id = ${id}`);
    await changeCount(session, kind, -1);
  }
  for (const set of sets.keys()) {
    await session.run(sql`${scope.deleteElements(kind, set)} and id = ${id}`);
    if (found?.is === 'readable') await addElements(session, kind, set, id, [...elementsOf(found.row, set)]);
  }
  return true;
};
