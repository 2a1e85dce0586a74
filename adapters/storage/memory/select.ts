/** Executes queries on one table: finds the candidates, tests each, and stops as soon as the page is full if they come in the right order. Many rows are visited in slices. */
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
import { type Candidates, candidates, indexOf, skipping, type Visit } from './candidates.ts';
import { visitInSlices } from './slices.ts';
import type { Posting, Table } from './table.ts';
import { firstOf } from './top.ts';
import { get, walk, walkWithin } from './tree.ts';

type Walk = Candidates['each'];

/** A promise if so many rows were visited that others had turns. */
type Rows = readonly Row[] | Promise<readonly Row[]>;

export const listRows = (table: Table, { where, sort = [], offset = 0, limit = Infinity }: Query, lookup: Lookup): Rows => {
  if (limit === 0) return [];
  const found = candidates(table, where);
  // Compiles the predicate only if the walk below tests it.
  const accepts = () => (where.op === 'all' ? undefined : matcherOf(table, where, lookup));
  const acceptsFound = () => (found?.isExact ? undefined : accepts());
  if (found?.isOrdered && sort.length === 0) return page(table, found.each, acceptsFound(), offset, limit);
  if (sort.length === 0 && where.op === 'all') return page(table, everyRow(table), undefined, offset, limit);
  const walkInOrder = inOrder(table, where, sort);
  if (walkInOrder && (!found || isSoonerInOrder(table, found, offset + limit))) return page(table, walkInOrder, accepts(), offset, limit);
  const rows = page(table, found?.each ?? everyRow(table), acceptsFound(), 0, Infinity);
  const sorted = (all: readonly Row[]): Rows => {
    const first = firstOf(all, offset + limit, comparator(sort));
    return first instanceof Promise ? first.then((most) => most.slice(offset)) : first.slice(offset);
  };
  return rows instanceof Promise ? rows.then(sorted) : sorted(rows);
};

/** A promise if so many rows were visited that others had turns. */
export const countRows = (table: Table, where: Predicate, lookup: Lookup): number | Promise<number> => {
  const found = candidates(table, where);
  if (where.op === 'all' || found?.isExact) return found ? found.count() : table.rows.size;
  const accepts = matcherOf(table, where, lookup);
  let count = 0;
  const rest = visitInSlices(found?.each ?? everyRow(table), (id, row) => {
    if (accepts(id, row)) count++;
    return true;
  });
  return rest ? rest.then(() => count) : count;
};

/** Maximum number of rows with one value to test one by one. For more rows, a query is likely to find a match sooner. */
const MAX_TESTED = 64;

/** The given values that occur in the field of at least one row that satisfies the predicate. */
export const referencedValues = async (
  table: Table,
  field: FieldRef,
  values: readonly string[],
  where: Predicate,
  lookup: Lookup,
): Promise<readonly string[]> => {
  const index = indexOf(table, field);
  const matches = compileMatcher(where, lookup);
  const isReferenced = async (value: string): Promise<boolean> => {
    const posting = index && get(index, value);
    if (index && !posting) return false;
    if (posting && posting.size <= MAX_TESTED) return !walk(posting, (_, id) => !matches(rowOf(table, id as string))); // the keys of a posting list are ids
    return (await listRows(table, { where: { op: 'and', terms: [equals(field, value), where] }, limit: 1 }, lookup)).length > 0;
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

/** Collects a page: skips `offset` matching rows, and stops after `limit` more. */
const page = (table: Table, walkRows: Walk, accepts: Visit | undefined, offset: number, limit: number): Rows => {
  const rows: Row[] = [];
  const take: Visit = (id, row) => rows.push(row ?? rowOf(table, id)) < limit;
  const takeAfterSkip = accepts && skipping(take, offset);
  const rest =
    accepts && takeAfterSkip
      ? visitInSlices(walkRows, (id, row) => !accepts(id, row) || takeAfterSkip(id, row))
      : visitInSlices(walkRows, take, offset);
  return rest ? rest.then(() => rows) : rows;
};

const everyRow =
  ({ rows }: Table): Walk =>
  (visit, skip = 0) =>
    void walk(rows, (row) => visit(row.id, row), { skip });

/** Walks the rows that may satisfy the predicate in the requested order. @returns undefined if the order is not that of ids or of one indexed column */
const inOrder = (table: Table, where: Predicate, [key, ...others]: readonly SortKey[]): Walk | undefined => {
  if (others.length > 0) return undefined;
  const { field, descending } = key ?? { field: stringField('id'), descending: false };
  const bounds = boundsOf(where, field) ?? {};
  if (field.path.join() === 'id')
    return (visit, skip = 0) => {
      const visitAfterSkip = skipping(visit, skip);
      walkWithin(table.rows, bounds, (row) => visitAfterSkip(row.id, row), descending);
    };
  const index = indexOf(table, field);
  if (!index) return undefined;
  return (visit, skip = 0) => {
    let toSkip = skip;
    const visitPosting = (posting: Posting) => {
      const skipped = Math.min(toSkip, posting.size);
      toSkip -= skipped;
      return walk(posting, (_, id) => visit(id as string), { skip: skipped }); // the keys of a posting list are ids, in order
    };
    walkWithin(index, bounds, visitPosting, descending);
  };
};

const rowOf = (table: Table, id: string): Row => get(table.rows, id) as Row; // an id from an index has a row
