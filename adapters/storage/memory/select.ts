/** Executes queries on one table: finds the candidates and tests each one. If they come in the requested order, it stops when the page is full. */
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
import type { Posting, Table } from './table.ts';
import { firstOf } from './top.ts';
import { get, walk, walkWithin } from './tree.ts';

type Walk = Candidates['each'];

export const listRows = (table: Table, { where, sort = [], offset = 0, limit = Infinity }: Query, lookup: Lookup): readonly Row[] => {
  if (limit === 0) return [];
  const found = candidates(table, where);
  // The predicate is compiled only for a walk that needs it.
  const accepts = () => (where.op === 'all' ? undefined : matching(table, where, lookup));
  const acceptsFound = () => (found?.isExact ? undefined : accepts());
  if (found?.isOrdered && sort.length === 0) return page(table, found.each, acceptsFound(), offset, limit);
  if (sort.length === 0 && where.op === 'all') return page(table, everyRow(table), undefined, offset, limit);
  const walkInOrder = inOrder(table, where, sort);
  if (walkInOrder && (!found || isSoonerInOrder(table, found, offset + limit))) return page(table, walkInOrder, accepts(), offset, limit);
  const rows = page(table, found?.each ?? everyRow(table), acceptsFound(), 0, Infinity);
  return firstOf(rows, offset + limit, comparator(sort)).slice(offset);
};

export const countRows = (table: Table, where: Predicate, lookup: Lookup): number => {
  const found = candidates(table, where);
  if (where.op === 'all' || found?.isExact) return found ? found.count() : table.rows.size;
  const accepts = matching(table, where, lookup);
  let count = 0;
  (found?.each ?? everyRow(table))((id, row) => {
    if (accepts(id, row)) count++;
    return true;
  });
  return count;
};

/** Up to this number, the rows with a value are tested one by one. If there are more, a query may find a matching row sooner. */
const MAX_TESTED = 64;

/** Selects the values for which some row has that value in the field and satisfies the predicate. */
export const referencedValues = (table: Table, field: FieldRef, values: readonly string[], where: Predicate, lookup: Lookup) => {
  const index = indexOf(table, field);
  const matches = compileMatcher(where, lookup);
  const isReferenced = (value: string): boolean => {
    const posting = index && get(index, value);
    if (index && !posting) return false;
    if (posting && posting.size <= MAX_TESTED) return !walk(posting, (_, id) => !matches(rowOf(table, id as string))); // postings hold ids
    return listRows(table, { where: { op: 'and', terms: [equals(field, value), where] }, limit: 1 }, lookup).length > 0;
  };
  return [...new Set(values)].filter(isReferenced);
};

/** Compiles the predicate to a test of one row. */
const matching = (table: Table, where: Predicate, lookup: Lookup): Visit => {
  const matches = compileMatcher(where, lookup);
  return (id, row) => matches(row ?? rowOf(table, id));
};

/** True if walking all rows in the requested order is likely to find `wanted` rows sooner than visiting all candidates. */
const isSoonerInOrder = (table: Table, { size }: Candidates, wanted: number): boolean =>
  (wanted * table.rows.size) / Math.max(1, size) < size;

/** Collects a page: skips the rows before it, and stops after it. */
const page = (table: Table, walkRows: Walk, accepts: Visit | undefined, offset: number, limit: number): readonly Row[] => {
  const rows: Row[] = [];
  const take: Visit = (id, row) => rows.push(row ?? rowOf(table, id)) < limit;
  if (!accepts) walkRows(take, offset);
  else {
    const takeLater = skipping(take, offset);
    walkRows((id, row) => !accepts(id, row) || takeLater(id, row));
  }
  return rows;
};

const everyRow =
  ({ rows }: Table): Walk =>
  (visit, skip = 0) =>
    void walk(rows, (row) => visit(row.id, row), { skip });

/** A walk of the rows that may satisfy the predicate, in the requested order; undefined unless that is the order of ids or of one indexed column. */
const inOrder = (table: Table, where: Predicate, [key, ...others]: readonly SortKey[]): Walk | undefined => {
  if (others.length > 0) return undefined;
  const { field, descending } = key ?? { field: stringField('id'), descending: false };
  const bounds = boundsOf(where, field) ?? {};
  if (field.path.join() === 'id')
    return (visit, skip = 0) => {
      const visitLater = skipping(visit, skip);
      walkWithin(table.rows, bounds, (row) => visitLater(row.id, row), descending);
    };
  const index = indexOf(table, field);
  if (!index) return undefined;
  return (visit, skip = 0) => {
    let remaining = skip;
    const visitPosting = (posting: Posting) => {
      const skipped = Math.min(remaining, posting.size);
      remaining -= skipped;
      return walk(posting, (_, id) => visit(id as string), { skip: skipped }); // postings hold ids, in order
    };
    walkWithin(index, bounds, visitPosting, descending);
  };
};

/** The row of an id that an index contains. */
const rowOf = (table: Table, id: string): Row => get(table.rows, id) as Row;
