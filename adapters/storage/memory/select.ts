/**
 * Executes queries on one table: finds the candidates, tests each, and stops as soon as the page is full if they are in the requested
 * order. Many rows are visited in time slices.
 */
import {
  comparator,
  compileMatcher,
  equals,
  type FieldRef,
  type Lookup,
  type Predicate,
  type Query,
  type Row,
  type SortKey,
  stringField,
} from '../../../src/adapter-kit.ts';
import { boundsOf } from './bounds.ts';
import { type Candidates, candidatesFor, indexOf } from './candidates.ts';
import { type Abortable, visitInSlices } from './slices.ts';
import type { Table } from './table.ts';
import { firstOf } from './top.ts';
import { get, walk, walkWithin } from './tree.ts';
import { type Begin, throughPostings, throughRows, type Visit } from './walks.ts';

/** A promise if so many rows were visited that the query yielded to the event loop. */
type Rows = readonly Row[] | Promise<readonly Row[]>;

/** The context of a query in addition to its table. */
export interface Reading {
  readonly lookup: Lookup;
  readonly options?: Abortable;
}

export const listRows = (
  table: Table,
  { where, sort = [], offset = 0, limit = Infinity }: Query,
  { lookup, options = {} }: Reading,
): Rows => {
  if (limit === 0) return [];
  const wanted = { offset, limit, options };
  const found = candidatesFor(table, where);
  // Compiles the predicate only if the walk below tests it.
  const accepts = () => (where.op === 'all' ? undefined : matcherOf(table, where, lookup));
  const acceptsFound = () => (found?.isExact ? undefined : accepts());
  if (found?.isOrdered && sort.length === 0) return page(table, found.begin, acceptsFound(), wanted);
  if (sort.length === 0 && where.op === 'all') return page(table, everyRow(table), undefined, wanted);
  const beginInOrder = inOrder(table, where, sort);
  if (beginInOrder && (!found || isSoonerInOrder(table, found, offset + limit))) return page(table, beginInOrder, accepts(), wanted);
  const rows = page(table, found?.begin ?? everyRow(table), acceptsFound(), { offset: 0, limit: Infinity, options });
  const sorted = (all: readonly Row[]): Rows => {
    const first = firstOf(all, offset + limit, comparator(sort), options);
    return first instanceof Promise ? first.then((most) => most.slice(offset)) : first.slice(offset);
  };
  return rows instanceof Promise ? rows.then(sorted) : sorted(rows);
};

/** @returns a promise if so many rows were visited that the query yielded to the event loop */
export const countRows = (table: Table, where: Predicate, { lookup, options = {} }: Reading): number | Promise<number> => {
  const found = candidatesFor(table, where);
  if (where.op === 'all') return table.rows.size;
  const exactCount = found?.isExact ? found.count() : undefined;
  if (exactCount !== undefined) return exactCount;
  const accepts = found?.isExact ? () => true : matcherOf(table, where, lookup);
  let count = 0;
  const begin = found?.begin ?? everyRow(table);
  const rest = visitInSlices(
    begin(),
    (id, row) => {
      if (accepts(id, row)) count++;
      return true;
    },
    options,
  );
  return rest ? rest.then(() => count) : count;
};

/** Maximum number of rows with one value to test one by one. With more rows, a query is likely to find a match sooner. */
const MAX_TESTED = 64;

/** The given values that occur in the field of at least one row that satisfies the predicate. */
export const referencedValues = async (
  table: Table,
  field: FieldRef,
  values: readonly string[],
  where: Predicate,
  reading: Reading,
): Promise<readonly string[]> => {
  const index = indexOf(table, field);
  const matches = compileMatcher(where, reading.lookup);
  const isReferenced = async (value: string): Promise<boolean> => {
    const posting = index && get(index, value);
    if (index && !posting) return false;
    if (posting && posting.size <= MAX_TESTED) return !walk(posting, (_, id) => !matches(rowOf(table, id as string))); // the keys of a posting list are ids
    return (await listRows(table, { where: { op: 'and', terms: [equals(field, value), where] }, limit: 1 }, reading)).length > 0;
  };
  const referenced: string[] = [];
  for (const value of new Set(values)) if (await isReferenced(value)) referenced.push(value);
  return referenced;
};

const matcherOf = (table: Table, where: Predicate, lookup: Lookup): Visit => {
  const matches = compileMatcher(where, lookup);
  return (id, row) => matches(row ?? rowOf(table, id));
};

/** True if walking all rows in the requested order is likely to find `needed` matches sooner than visiting all candidates. */
const isSoonerInOrder = (table: Table, { size }: Candidates, needed: number): boolean =>
  (needed * table.rows.size) / Math.max(1, size) < size;

interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly options: Abortable;
}

/** Collects a page: skips `offset` matching rows, and stops after `limit` more. */
const page = (table: Table, begin: Begin, accepts: Visit | undefined, { offset, limit, options }: Page): Rows => {
  const rows: Row[] = [];
  let toSkip = accepts ? offset : 0;
  const visit: Visit = (id, row) => {
    if (accepts?.(id, row) === false || toSkip-- > 0) return true;
    return rows.push(row ?? rowOf(table, id)) < limit;
  };
  const rest = visitInSlices(begin(accepts ? 0 : offset), visit, options);
  return rest ? rest.then(() => rows) : rows;
};

const everyRow = ({ rows }: Table): Begin => throughRows((visit, skip) => void walk(rows, visit, { skip }));

/**
 * Begins walks through the rows that may satisfy the predicate, in the requested order.
 * @returns undefined unless the order is that of ids or of one indexed column
 */
const inOrder = (table: Table, where: Predicate, [key, ...others]: readonly SortKey[]): Begin | undefined => {
  if (others.length > 0) return undefined;
  const { field, descending } = key ?? { field: stringField('id'), descending: false };
  const bounds = boundsOf(where, field) ?? {};
  if (field.path.join() === 'id') return throughRows((visit, skip) => void walkWithin(table.rows, bounds, visit, { skip, descending }));
  const index = indexOf(table, field);
  if (!index) return undefined;
  // Each posting list has one row, so that rows can be skipped like keys.
  if (index.size === table.rows.size)
    return throughRows(
      (visit, skip) =>
        void walkWithin(index, bounds, (posting) => walk(posting, (_, id) => visit(rowOf(table, id as string))), { skip, descending }),
    ); // the keys of a posting list are ids
  return throughPostings((visit, skip) => void walkWithin(index, bounds, visit, { skip, descending }));
};

const rowOf = (table: Table, id: string): Row => get(table.rows, id) as Row; // an id from an index has a row
