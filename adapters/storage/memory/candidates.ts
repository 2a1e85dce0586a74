/**
 * Which rows a question can concern at all, found through the indexes of a table. Every candidate is still asked the whole
 * question, so a source may hold too many rows, never too few.
 */
import { compareText, type FieldRef, type Predicate, type Scalar } from '../../../src/query/index.ts';
import type { Row } from '../../../src/storage/port.ts';
import type { Posting, Table } from './table.ts';
import { get, type Tree, walk } from './tree.ts';

export interface Source {
  /** How many rows there are at most. */
  readonly size: number;
  /** Whether the rows are just those that satisfy the question. */
  readonly exact: boolean;
  /** Visits the rows in order of id, after passing over `skip` of them, until `visit` returns false. */
  each(visit: (row: Row) => boolean | void, skip?: number): void;
}

/** @returns undefined when no index narrows the question. */
export const candidates = (table: Table, where: Predicate): Source | undefined => {
  switch (where.op) {
    case 'none':
      return union(table, []);
    case 'compare':
      return where.is === '=' ? byValues(table, where.field, [where.value]) : undefined;
    case 'in':
      return byValues(table, where.field, where.values);
    case 'overlaps':
      return union(table, postings(table.indexes.get(where.set), where.values));
    case 'covers':
      return rarest(where.values.map((value) => union(table, postings(table.indexes.get(where.set), [value]))), where.values.length === 1);
    case 'and':
      return rarest(where.terms.map((term) => candidates(table, term)), false);
    case 'or': {
      const sources = where.terms.map((term) => candidates(table, term));
      const known = sources.filter((source) => source !== undefined);
      return known.length === sources.length ? merged(known) : undefined;
    }
    default:
      return undefined;
  }
};

export const everyRow = (table: Table): Source => ({
  size: table.rows.size,
  exact: true,
  each: (visit, skip = 0) => void walk(table.rows, visit, { skip }),
});

const byValues = (table: Table, { path, type }: FieldRef, values: readonly Scalar[]): Source | undefined => {
  const [name, ...deeper] = path;
  // Text held against a number means the number's text, which the index does not have.
  if (deeper.length > 0 || type === 'tag' || (type === 'number' && values.some((value) => typeof value === 'string'))) return undefined;
  if (name === 'id') return rowsOf(table, values.filter((value) => typeof value === 'string'));
  const index = table.indexes.get(name);
  return index && !table.schema.sets.includes(name) ? union(table, postings(index, values)) : undefined;
};

const postings = (index: Tree<Posting> | undefined, values: readonly Scalar[]): readonly Posting[] => {
  if (!index) throw new TypeError('the question is about a set that the schema does not name');
  return [...new Set(values)].map((value) => get(index, value)).filter((posting) => posting !== undefined);
};

const union = (table: Table, lists: readonly Posting[]): Source => {
  const [only, ...more] = lists;
  if (only && more.length === 0) {
    return { size: only.size, exact: true, each: (visit, skip = 0) => void walk(only, (_, id) => visitRow(table, id as string, visit), { skip }) }; // postings hold ids
  }
  return merged(lists.map((list) => union(table, [list])));
};

const merged = (sources: readonly Source[]): Source => ({
  size: sources.reduce((sum, { size }) => sum + size, 0),
  exact: sources.every(({ exact }) => exact),
  each(visit, skip = 0) {
    const rows = new Map<string, Row>();
    for (const source of sources) source.each((row) => void rows.set(row.id, row));
    inOrder([...rows.values()], visit, skip);
  },
});

const rowsOf = (table: Table, ids: readonly string[]): Source => {
  const rows = [...new Set(ids)].map((id) => get(table.rows, id)).filter((row) => row !== undefined);
  return { size: rows.length, exact: true, each: (visit, skip = 0) => inOrder(rows, visit, skip) };
};

const inOrder = (rows: Row[], visit: (row: Row) => boolean | void, skip: number): void => {
  rows.sort((a, b) => compareText(a.id, b.id));
  for (let index = skip; index < rows.length; index++) {
    const row = rows[index];
    if (row && visit(row) === false) return;
  }
};

const rarest = (sources: readonly (Source | undefined)[], exact: boolean): Source | undefined => {
  const known = sources.filter((source) => source !== undefined);
  const best = known.reduce<Source | undefined>((least, source) => (least && least.size <= source.size ? least : source), undefined);
  return best && { ...best, exact: exact && best.exact };
};

const visitRow = (table: Table, id: string, visit: (row: Row) => boolean | void): boolean | void => {
  const row = get(table.rows, id);
  return row && visit(row);
};
