/** Answers questions about one table: finds the candidates, asks each, and stops as soon as the page is full where the order allows it. */
import { comparator, compileMatcher, type Lookup, type Predicate, type SortKey } from '../../../src/query/index.ts';
import type { Query, Row } from '../../../src/storage/port.ts';
import { candidates, everyRow, type Source } from './candidates.ts';
import type { Table } from './table.ts';
import { firstOf } from './top.ts';
import { get, walk } from './tree.ts';

export const listRows = (table: Table, { where, sort = [], offset = 0, limit = Infinity }: Query, lookup: Lookup): readonly Row[] => {
  const narrowed = candidates(table, where);
  const source = narrowed ?? everyRow(table);
  const accepts = where.op === 'all' || narrowed?.exact ? undefined : compileMatcher(where, lookup);
  const ordered = sort.length === 0 ? source : narrowed ? undefined : byIndex(table, sort);
  if (ordered) return page(ordered, accepts, offset, limit);

  const found: Row[] = [];
  source.each((row) => {
    if (!accepts || accepts(row)) found.push(row);
  });
  return firstOf(found, offset + limit, comparator(sort)).slice(offset);
};

export const countRows = (table: Table, where: Predicate, lookup: Lookup): number => {
  if (where.op === 'all') return table.rows.size;
  const narrowed = candidates(table, where);
  const accepts = narrowed?.exact ? undefined : compileMatcher(where, lookup);
  let count = 0;
  (narrowed ?? everyRow(table)).each((row) => {
    if (!accepts || accepts(row)) count++;
  });
  return count;
};

/** Rows in the order wanted already: what precedes the page and does not match is passed over, what follows it is not looked at. */
const page = (source: Source, accepts: ((row: Row) => boolean) | undefined, offset: number, limit: number): readonly Row[] => {
  const rows: Row[] = [];
  if (limit === 0) return rows;
  let toPass = accepts ? offset : 0;
  source.each(
    (row) => {
      if (accepts && !accepts(row)) return true;
      if (toPass > 0) toPass--;
      else rows.push(row);
      return rows.length < limit;
    },
    accepts ? 0 : offset,
  );
  return rows;
};

/** All rows by one indexed column, if that is the order wanted. */
const byIndex = (table: Table, [key, ...others]: readonly SortKey[]): Source | undefined => {
  if (!key || others.length > 0 || key.field.path.length > 1) return undefined;
  const [name] = key.field.path;
  const index = table.schema.sets.includes(name) ? undefined : table.indexes.get(name);
  return (
    index && {
      ...everyRow(table),
      each(visit, skip = 0) {
        let toPass = skip;
        walk(
          index,
          (posting) => {
            const passed = Math.min(toPass, posting.size);
            toPass -= passed;
            return walk(
              posting,
              (_, id) => {
                const row = get(table.rows, id);
                return row && visit(row);
              },
              { skip: passed },
            );
          },
          { descending: key.descending },
        );
      },
    }
  );
};
