/** Executes queries on one table: finds the candidates, tests each, and stops when the page is full if they come in the right order. */
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
import { holds } from './bits.ts';
import { boundsOf } from './bounds.ts';
import { candidates, indexOf } from './candidates.ts';
import { type Source, skipping, type Visit } from './sources.ts';
import type { Posting, Stored, Table } from './table.ts';
import { firstOf } from './top.ts';
import { get, walk, walkWithin } from './tree.ts';

export const listRows = (table: Table, { where, sort = [], offset = 0, limit = Infinity }: Query, lookup: Lookup): readonly Row[] => {
  if (limit === 0) return [];
  const source = candidates(table, where);
  const accepts = accepting(table, source, where, lookup);
  if (source?.isOrdered && sort.length === 0) return page(table, source.each, accepts, offset, limit);
  const walkInOrder = inOrder(table, where, sort);
  if (sort.length === 0 && where.op === 'all') return page(table, everyRow(table), undefined, offset, limit);
  if (walkInOrder && (!source || isSoonerInOrder(table, source, offset + limit)))
    return page(table, walkInOrder, isRange(where, sort) ? matching(table, where, lookup) : within(source, accepts), offset, limit);
  const found = page(table, source?.each ?? everyRow(table), accepts, 0, Infinity);
  return firstOf(found, offset + limit, comparator(sort)).slice(offset);
};

export const countRows = (table: Table, where: Predicate, lookup: Lookup): number => {
  const source = candidates(table, where);
  const accepts = accepting(table, source, where, lookup);
  if (!accepts) return source ? source.count() : table.rows.size;
  let count = 0;
  (source?.each ?? everyRow(table))((id, number, row) => {
    if (accepts(id, number, row)) count++;
    return true;
  });
  return count;
};

/** Rows with one value that are tested one by one; among more, the predicate may be found sooner. */
const FEW = 64;

/** Which of the values some row has in a field that also satisfies the predicate. */
export const referencedValues = (table: Table, field: FieldRef, values: readonly string[], where: Predicate, lookup: Lookup) => {
  const index = indexOf(table, field);
  const matches = compileMatcher(where, lookup);
  const isReferenced = (value: string): boolean => {
    const posting = index && get(index, value);
    if (index && !posting) return false;
    if (posting && posting.size <= FEW) return !walk(posting, (_, id) => !matches(rowOf(table, id as string))); // postings hold ids
    return listRows(table, { where: { op: 'and', terms: [equals(field, value), where] }, limit: 1 }, lookup).length > 0;
  };
  return [...new Set(values)].filter(isReferenced);
};

type Walk = (visit: Visit, skip?: number) => void;

/** The part of the predicate that each candidate must still be tested for. */
const accepting = (table: Table, source: Source | undefined, where: Predicate, lookup: Lookup): Visit | undefined => {
  return where.op === 'all' || source?.isExact ? undefined : matching(table, where, lookup);
};

const matching = (table: Table, where: Predicate, lookup: Lookup): Visit => {
  const matches = compileMatcher(where, lookup);
  return (id, _, row) => matches(row ?? rowOf(table, id));
};

/** Whether the rows that satisfy the predicate are a contiguous range in the wanted order. */
const isRange = (where: Predicate, [key]: readonly SortKey[]): boolean =>
  where.op === 'compare' && boundsOf(where, key?.field ?? stringField('id')) !== undefined;

/** The test for a walk over all rows: whether a row is a candidate, and satisfies the rest of the predicate. */
const within = (source: Source | undefined, accepts: Visit | undefined): Visit | undefined => {
  if (!source) return accepts;
  const bits = source.bits();
  return (id, number, row) => holds(bits, number) && (accepts === undefined || accepts(id, number, row));
};

/** Whether walking all rows in the wanted order is likely to find `wanted` candidates sooner than visiting all candidates. */
const isSoonerInOrder = (table: Table, { size }: Source, wanted: number): boolean => (wanted * table.rows.size) / Math.max(1, size) < size;

/** Collects a page: skips the rows before it, and stops after it. */
const page = (table: Table, walkRows: Walk, accepts: Visit | undefined, offset: number, limit: number): readonly Row[] => {
  const rows: Row[] = [];
  const take = (id: string, row: Row | undefined) => rows.push(row ?? rowOf(table, id)) < limit;
  if (!accepts) walkRows((id, _, row) => take(id, row), offset);
  else {
    const takeLater = skipping((id, _, row) => take(id, row), offset);
    walkRows((id, number, row) => !accepts(id, number, row) || takeLater(id, number, row));
  }
  return rows;
};

const everyRow =
  ({ rows }: Table): Walk =>
  (visit, skip = 0) =>
    void walk(rows, ({ row, number }) => visit(row.id, number, row), { skip });

/** Walks the rows that may satisfy the predicate in the wanted order; undefined unless that is the order of ids or of one indexed column. */
const inOrder = (table: Table, where: Predicate, [key, ...others]: readonly SortKey[]): Walk | undefined => {
  if (others.length > 0) return undefined;
  const { field, descending } = key ?? { field: stringField('id'), descending: false };
  const bounds = boundsOf(where, field) ?? {};
  if (field.path.join() === 'id')
    return (visit, skip = 0) => {
      const visitLater = skipping(visit, skip);
      walkWithin(table.rows, bounds, ({ row, number }) => visitLater(row.id, number, row), descending);
    };
  const index = indexOf(table, field);
  if (!index) return undefined;
  return (visit, skip = 0) => {
    let toPass = skip;
    const visitPosting = (posting: Posting) => {
      const passed = Math.min(toPass, posting.size);
      toPass -= passed;
      return walk(posting, (number, id) => visit(id as string, number), { skip: passed }); // postings hold ids, in their order
    };
    walkWithin(index, bounds, visitPosting, descending);
  };
};

/** A row that is in an index. */
const rowOf = (table: Table, id: string): Row => (get(table.rows, id) as Stored).row;
