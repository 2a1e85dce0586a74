import { oneOf, type Predicate, stringField } from '../../query/index.ts';
import type { Row, Transaction } from '../storage/port.ts';

type Subquery = Extract<Predicate, { readonly op: 'size' }>;
type FindRow = (table: string, id: string) => Row | undefined;

const ID = stringField('id');

/** The conditions on rows of other tables, to which a set of the row refers. Does not include nested ones. */
const subqueriesIn = (where: Predicate): readonly Subquery[] => {
  switch (where.op) {
    case 'and':
    case 'or':
      return where.terms.flatMap(subqueriesIn);
    case 'not':
      return subqueriesIn(where.term);
    case 'size':
      return where.of ? [where] : [];
    default:
      return [];
  }
};

/** True if the predicate has a subquery, possibly a nested one, on a table for which `isAffected` returns true. */
export const hasSubqueryOn = (where: Predicate, isAffected: (table: string) => boolean): boolean =>
  subqueriesIn(where).some(({ of }) => of !== undefined && (isAffected(of.kind) || hasSubqueryOn(of.where, isAffected)));

/**
 * Reads the rows of other tables that are needed to evaluate the subqueries of a predicate in memory.
 * @param rows the rows on which the predicate will be evaluated
 */
export const loadSubqueryRows = async (tx: Pick<Transaction, 'list'>, rows: readonly Row[], where: Predicate): Promise<FindRow> => {
  const loaded = new Map<string, Row>();
  const load = async (from: readonly Row[], predicate: Predicate): Promise<void> => {
    for (const { set, of } of subqueriesIn(predicate)) {
      if (!of) continue;
      const ids = new Set(from.flatMap((row) => (Array.isArray(row[set]) ? row[set] : [])).filter((id) => typeof id === 'string'));
      const others = ids.size === 0 ? [] : await tx.list(of.kind, { where: oneOf(ID, [...ids]) });
      for (const row of others) loaded.set(`${of.kind} ${row.id}`, row);
      await load(others, of.where);
    }
  };
  await load(rows, where);
  return (table, id) => loaded.get(`${table} ${id}`);
};
