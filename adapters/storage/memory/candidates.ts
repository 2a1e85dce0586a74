/**
 * The candidates of a query: the rows that may satisfy its predicate, found with an index. They include every match, and possibly other
 * rows.
 */
import { compareText, type FieldRef, type Predicate, type Scalar } from '../../../src/adapter-kit.ts';
import { boundsOf } from './bounds.ts';
import type { Posting, Table } from './table.ts';
import { countBelow, get, keysWithin, type Tree, walk, walkWithin } from './tree.ts';
import { type Begin, type Each, throughAll, throughPostings, throughRows } from './walks.ts';

export interface Candidates {
  /** The estimated number of candidates; 0 only if there are none. */
  readonly size: number;
  /** True if all candidates satisfy the predicate, so that it need not be tested. */
  readonly isExact: boolean;
  /** True if walks visit rows in order of id. */
  readonly isOrdered: boolean;
  /** Begins a walk, which visits each row once. */
  readonly begin: Begin;
  /** The number of candidates if it is known without visiting them; otherwise undefined. */
  count(): number | undefined;
}

/** Caches the candidates of the last predicate, because a list operation queries its page and then its total with the same predicate. */
const latest = new WeakMap<Table, { readonly where: Predicate; readonly found: Candidates | undefined }>();

/** @returns undefined if no index applies */
export const candidatesFor = (table: Table, where: Predicate): Candidates | undefined => {
  const last = latest.get(table);
  if (last?.where === where) return last.found;
  const found = findCandidates(table, where);
  latest.set(table, { where, found });
  return found;
};

const findCandidates = (table: Table, where: Predicate): Candidates | undefined => {
  switch (where.op) {
    case 'none':
      return union([]);
    case 'compare':
      if (where.is === '=') return byValues(table, where.field, [where.value]);
      return where.is.startsWith('>') && isId(where.field) && typeof where.value === 'string'
        ? idsFrom(table, where.value, where.is === '>=')
        : inRange(table, where);
    case 'in':
      return byValues(table, where.field, where.values);
    case 'contains':
      return containing(table, where);
    case 'overlaps':
      return rowsWithAny(table.indexes.get(where.set), where.values);
    case 'covers': {
      const index = table.indexes.get(where.set);
      const found = index && smallest(where.values.map((value) => rowsWithAny(index, [value])));
      return found && { ...found, isExact: where.values.length === 1 };
    }
    case 'and': {
      // Scanning an index is worth it only if no other term has an index.
      const quick = where.terms.filter(({ op }) => op !== 'contains');
      const found = smallest(candidatesOf(table, quick)) ?? smallest(candidatesOf(table, where.terms));
      return found && { ...found, isExact: false };
    }
    case 'or': {
      const known = candidatesOf(table, where.terms);
      return known.length === where.terms.length ? union(known) : undefined;
    }
    default:
      return undefined;
  }
};

const candidatesOf = (table: Table, terms: readonly Predicate[]): readonly Candidates[] =>
  terms.map((term) => findCandidates(table, term)).filter((found) => found !== undefined);

/** The candidates of the most selective condition. */
const smallest = (sets: readonly Candidates[]): Candidates | undefined => {
  const [first] = sets.toSorted((a, b) => a.size - b.size);
  return first;
};

/** The union of candidates, without duplicates. */
const union = (sets: readonly Candidates[]): Candidates => {
  const [only, ...more] = sets;
  if (only && more.length === 0) return only;
  const isExact = sets.every((set) => set.isExact);
  const size = sets.reduce((sum, set) => sum + set.size, 0);
  return { size, isExact, isOrdered: false, begin: throughAll(sets.map(({ begin }) => begin)), count: () => (size === 0 ? 0 : undefined) };
};

/** Exact candidates in order of id, with a known number. */
const ordered = (size: number, begin: Begin): Candidates => ({ size, isExact: true, isOrdered: true, begin, count: () => size });

const isId = ({ path, type }: FieldRef): boolean => path.length === 1 && path[0] === 'id' && type === 'string';

/** The rows from an id on, for reading a table page by page. */
const idsFrom = ({ rows }: Table, id: string, isIncluded: boolean): Candidates => {
  const before = countBelow(rows, id) + Number(!isIncluded && get(rows, id) !== undefined);
  return ordered(
    rows.size - before,
    throughRows((visit, skip) => walk(rows, visit, { skip: before + skip })),
  );
};

const byValues = (table: Table, field: FieldRef, values: readonly Scalar[]): Candidates | undefined => {
  // If a number field is compared with text, its decimal text is compared, which is not indexed.
  if (field.path.length > 1 || field.type === 'tag' || (field.type === 'number' && values.some((value) => typeof value === 'string')))
    return undefined;
  if (field.path[0] === 'id') {
    const rows = [...new Set(values)].flatMap((id) => get(table.rows, id) ?? []).sort((a, b) => compareText(a.id, b.id));
    return ordered(rows.length, throughRows(eachOf(rows)));
  }
  const index = indexOf(table, field);
  return index && rowsWithAny(index, values);
};

/** The index of a single-valued column. */
export const indexOf = ({ schema, indexes }: Table, { path: [name, ...deeper] }: FieldRef): Tree<Posting> | undefined =>
  deeper.length > 0 || schema.sets.includes(name) ? undefined : indexes.get(name);

const rowsWithAny = (index: Tree<Posting> | undefined, values: readonly Scalar[]): Candidates => {
  const postings = index ? [...new Set(values)].flatMap((value) => get(index, value) ?? []) : [];
  return union(postings.map((posting) => ordered(posting.size, throughPostings(eachOf([posting])))));
};

/** The rows in a range of an index. */
const inRange = (table: Table, where: Extract<Predicate, { readonly op: 'compare' }>): Candidates | undefined => {
  const index = indexOf(table, where.field);
  const bounds = index && boundsOf(where, where.field);
  if (!index || !bounds) return undefined;
  const isExcluded = (where.is === '<' || where.is === '>') && get(index, where.value) !== undefined;
  const keys = keysWithin(index, bounds) - Number(isExcluded);
  const before = Number(isExcluded && where.is === '>');
  const each: Each<Posting> = (visit, skip) =>
    void walkWithin(index, bounds, (posting, key) => (isExcluded && key === where.value) || visit(posting), { skip: before + skip });
  const isUnique = table.schema.columns.find(({ name }) => name === where.field.path[0])?.index === 'unique';
  const size = Math.ceil(Math.max(0, keys) * (isUnique ? 1 : table.rows.size / index.size));
  const count = () => (isUnique ? keys : rowsIn(each));
  return { size, isExact: true, isOrdered: false, begin: throughPostings(each), count };
};

const rowsIn = (each: Each<Posting>): number => {
  let rows = 0;
  each((posting) => (rows += posting.size) > 0, 0);
  return rows;
};

/** Scans the keys of an index rather than the rows, because keys are fewer and closer together in memory. */
const containing = (table: Table, { field, value, fold }: Extract<Predicate, { readonly op: 'contains' }>): Candidates | undefined => {
  const index = field.type === 'string' || field.type === 'date' ? indexOf(table, field) : undefined;
  if (!index) return undefined;
  const found: Posting[] = [];
  const folded = fold ? value.toUpperCase() : value;
  walk(index, (posting, key) => {
    if (typeof key === 'string' && (fold ? key.toUpperCase() : key).includes(folded)) found.push(posting);
    return true;
  });
  const size = found.reduce((sum, posting) => sum + posting.size, 0);
  return { size, isExact: true, isOrdered: false, begin: throughPostings(eachOf(found)), count: () => size };
};

const eachOf =
  <T>(list: readonly T[]): Each<T> =>
  (visit, skip) => {
    for (let at = skip; at < list.length; at++) if (!visit(list[at] as T)) return; // in bounds
  };
