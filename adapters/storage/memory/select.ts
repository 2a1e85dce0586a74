/** Answers questions about one table: finds the candidates, asks each, and stops as soon as the page is full where the order allows it. */

import { comparator, compileMatcher, type Lookup, type Predicate, type Query, type Row, type SortKey } from '../../../src/adapter-kit.ts';
import { candidates, everyRow, type Source } from './candidates.ts';
import type { Table } from './table.ts';
import { firstOf } from './top.ts';
import { get, walk } from './tree.ts';

export const listRows = (table: Table, { where, sort = [], offset = 0, limit = Infinity }: Query, lookup: Lookup): readonly Row[] => {
  if (limit === 0) return [];
  const source = sourceOf(table, where, sort, offset + limit);
  const accepts = accepting(source, where, lookup);
  if (source.isOrdered && (sort.length === 0 || source.isSorted)) return page(source, accepts, offset, limit);
  const found: Row[] = [];
  source.each((row) => {
    if (!accepts || accepts(row)) found.push(row);
    return true;
  });
  return firstOf(found, offset + limit, comparator(sort)).slice(offset);
};

export const countRows = (table: Table, where: Predicate, lookup: Lookup): number => {
  const source = candidates(table, where) ?? everyRow(table);
  const accepts = accepting(source, where, lookup);
  if (!accepts && source.isOrdered) return source.size;
  let count = 0;
  source.each((row) => {
    if (!accepts || accepts(row)) count++;
    return true;
  });
  return count;
};

const accepting = (source: Source, where: Predicate, lookup: Lookup) =>
  where.op === 'all' || source.isExact ? undefined : compileMatcher(where, lookup);

/** The candidates; or all rows in the order wanted, if the first `wanted` of them that match should be found sooner there. */
const sourceOf = (table: Table, where: Predicate, sort: readonly SortKey[], wanted: number): Source & { readonly isSorted?: boolean } => {
  const narrowed = candidates(table, where);
  const inOrder = sort.length === 0 ? everyRow(table) : byIndex(table, sort);
  if (!narrowed) return inOrder ?? everyRow(table);
  const isMet = sort.length === 0 && narrowed.isOrdered;
  const stepsInOrder = (wanted * table.rows.size) / Math.max(1, narrowed.size);
  return inOrder && !isMet && stepsInOrder < narrowed.size ? inOrder : narrowed;
};

/** Rows in the order wanted already: what precedes the page and does not match is passed over, what follows it is not looked at. */
const page = (source: Source, accepts: ((row: Row) => boolean) | undefined, offset: number, limit: number): readonly Row[] => {
  const rows: Row[] = [];
  let toPass = accepts ? offset : 0;
  const skip = accepts ? 0 : offset;
  source.each((row) => {
    if (accepts && !accepts(row)) return true;
    if (toPass > 0) toPass--;
    else rows.push(row);
    return rows.length < limit;
  }, skip);
  return rows;
};

/** All rows by one indexed column, if that is the order wanted. */
const byIndex = (table: Table, [key, ...others]: readonly SortKey[]): (Source & { readonly isSorted: true }) | undefined => {
  if (!key || others.length > 0 || key.field.path.length > 1) return undefined;
  const [name] = key.field.path;
  const index = table.schema.sets.includes(name) ? undefined : table.indexes.get(name);
  if (!index) return undefined;
  const each: Source['each'] = (visit, skip = 0) => {
    let toPass = skip;
    walk(
      index,
      (posting) => {
        const passed = Math.min(toPass, posting.size);
        toPass -= passed;
        return walk(posting, (_, id) => visit(get(table.rows, id) as Row), { skip: passed }); // postings hold ids of rows
      },
      { descending: key.descending },
    );
  };
  return { ...everyRow(table), isSorted: true, each };
};
