/**
 * The candidates of a query: the rows that may satisfy its predicate, found through indexes. A source may contain too many rows, never too few; unless it
 * is exact, the whole predicate is still tested on every candidate.
 */
import type { FieldRef, Predicate, Scalar } from '../../../src/adapter-kit.ts';
import { boundsOf } from './bounds.ts';
import { intersection, isExact, ofCount, ofIds, ofPosting, ofPostings, type Source, union, worthIntersecting } from './sources.ts';
import type { Posting, Table } from './table.ts';
import { countBelow, get, keysWithin, type Tree, walk, walkWithin } from './tree.ts';

/** The candidates of the last predicate, because a list asks for its page and then for its total. */
const latest = new WeakMap<Table, { readonly where: Predicate; readonly source: Source | undefined }>();

/** @returns undefined if no index applies */
export const candidates = (table: Table, where: Predicate): Source | undefined => {
  const last = latest.get(table);
  if (last?.where === where) return last.source;
  const source = narrowed(table, where);
  latest.set(table, { where, source });
  return source;
};

const narrowed = (table: Table, where: Predicate): Source | undefined => {
  switch (where.op) {
    case 'none':
      return union(table, []);
    case 'compare':
      if (where.is === '=') return byValues(table, where.field, [where.value]);
      return where.is.startsWith('>') && isId(where.field) && typeof where.value === 'string'
        ? idsFrom(table, where.value, where.is === '>=')
        : ranged(table, where);
    case 'in':
      return byValues(table, where.field, where.values);
    case 'contains':
      return containing(table, where);
    case 'overlaps':
      return holders(table, table.indexes.get(where.set), where.values);
    case 'covers': {
      const index = table.indexes.get(where.set);
      return index && where.values.length > 0
        ? intersection(
            table,
            where.values.map((value) => holders(table, index, [value])),
          )
        : undefined;
    }
    case 'and': {
      // Scanning an index is worth it only if no other term has an index.
      const quick = sourcesOf(
        table,
        where.terms.filter(({ op }) => op !== 'contains'),
      );
      const known = quick.length > 0 ? quick : sourcesOf(table, where.terms);
      if (known.length === 0) return undefined;
      const worth = worthIntersecting(known);
      return { ...intersection(table, worth), isExact: worth.length === where.terms.length && worth.every(isExact) };
    }
    case 'or': {
      const known = sourcesOf(table, where.terms);
      return known.length === where.terms.length ? union(table, known) : undefined;
    }
    default:
      return undefined;
  }
};

const sourcesOf = (table: Table, terms: readonly Predicate[]): readonly Source[] =>
  terms.map((term) => narrowed(table, term)).filter((source) => source !== undefined);

const isId = ({ path, type }: FieldRef): boolean => path.length === 1 && path[0] === 'id' && type === 'string';

/** The ids after `id`, for reading a table page by page. */
const idsFrom = (table: Table, id: string, isIncluded: boolean): Source => {
  const before = countBelow(table.rows, id) + Number(!isIncluded && get(table.rows, id) !== undefined);
  const size = table.rows.size - before;
  return ofCount(
    table,
    size,
    (visit, skip = 0) => void walk(table.rows, ({ row, number }) => visit(row.id, number, row), { skip: before + skip }),
  );
};

const byValues = (table: Table, field: FieldRef, values: readonly Scalar[]): Source | undefined => {
  // Text is compared with the decimal text of a number, which is not indexed.
  if (field.path.length > 1 || field.type === 'tag' || (field.type === 'number' && values.some((value) => typeof value === 'string')))
    return undefined;
  if (field.path[0] === 'id') return ofIds(table, values);
  const index = indexOf(table, field);
  return index && holders(table, index, values);
};

/** The index of a single-valued column. */
export const indexOf = ({ schema, indexes }: Table, { path: [name, ...deeper] }: FieldRef): Tree<Posting> | undefined =>
  deeper.length > 0 || schema.sets.includes(name) ? undefined : indexes.get(name);

const holders = (table: Table, index: Tree<Posting> | undefined, values: readonly Scalar[]): Source => {
  const postings = index ? [...new Set(values)].map((value) => get(index, value)) : [];
  return union(
    table,
    postings.flatMap((posting) => (posting ? [ofPosting(table, posting)] : [])),
  );
};

/** The rows in a range of an index. */
const ranged = (table: Table, where: Extract<Predicate, { readonly op: 'compare' }>): Source | undefined => {
  const index = indexOf(table, where.field);
  const bounds = index && boundsOf(where, where.field);
  if (!index || !bounds) return undefined;
  const isStrict = where.is === '<' || where.is === '>';
  const keys = keysWithin(index, bounds) - (isStrict && get(index, where.value) ? 1 : 0);
  const rowsOfKey =
    table.schema.columns.find(({ name }) => name === where.field.path[0])?.index === 'unique' ? 1 : table.rows.size / index.size;
  const source = ofPostings(table, Math.ceil(Math.max(0, keys) * rowsOfKey), (visit) =>
    walkWithin(index, bounds, (posting, key) => (isStrict && key === where.value) || visit(posting)),
  );
  return rowsOfKey === 1 ? { ...source, count: () => keys } : source;
};

/** Scans the keys of an index, which are fewer than the rows and closer together in memory. */
const containing = (table: Table, { field, value, fold }: Extract<Predicate, { readonly op: 'contains' }>): Source | undefined => {
  const index = field.type === 'string' || field.type === 'date' ? indexOf(table, field) : undefined;
  if (!index) return undefined;
  const found: Posting[] = [];
  const asked = fold ? value.toUpperCase() : value;
  walk(index, (posting, key) => {
    if (typeof key === 'string' && (fold ? key.toUpperCase() : key).includes(asked)) found.push(posting);
    return true;
  });
  const size = found.reduce((sum, posting) => sum + posting.size, 0);
  return ofPostings(table, size, (visit) => found.every(visit));
};
