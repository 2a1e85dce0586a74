/** Finds the candidates for a query through an index: the rows that may satisfy its predicate, which include all rows that do. */
import { compareText, type FieldRef, type Predicate, type Row, type Scalar } from '../../../src/adapter-kit.ts';
import { boundsOf } from './bounds.ts';
import type { Posting, Table } from './table.ts';
import { countBelow, get, keysWithin, type Tree, walk, walkWithin } from './tree.ts';

/** Called with the id of a row, and with the row itself if it has already been read. @returns true to continue */
export type Visit = (id: string, row?: Row) => boolean;

/** Wraps `visit` so that it is not called for the first `skip` rows. */
export const skipping = (visit: Visit, skip: number): Visit => {
  let remaining = skip;
  return (id, row) => (remaining > 0 ? remaining-- > 0 : visit(id, row));
};

export interface Candidates {
  /** An estimate of the number of rows; 0 only if there are none. */
  readonly size: number;
  /** True if all candidates satisfy the predicate, so that it need not be tested. */
  readonly isExact: boolean;
  /** True if `each` visits rows in order of id. */
  readonly isOrdered: boolean;
  /** Skips `skip` rows, then visits each row once until `visit` returns false. */
  each(visit: Visit, skip?: number): void;
  count(): number;
}

/** Caches the candidates for the last predicate, because a list operation queries its page and then its total. */
const latest = new WeakMap<Table, { readonly where: Predicate; readonly found: Candidates | undefined }>();

/** @returns undefined if no index applies */
export const candidates = (table: Table, where: Predicate): Candidates | undefined => {
  const last = latest.get(table);
  if (last?.where === where) return last.found;
  const found = narrowed(table, where);
  latest.set(table, { where, found });
  return found;
};

const narrowed = (table: Table, where: Predicate): Candidates | undefined => {
  switch (where.op) {
    case 'none':
      return union([]);
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
      return rowsWithValues(table.indexes.get(where.set), where.values);
    case 'covers': {
      const index = table.indexes.get(where.set);
      const found = index && rarest(where.values.map((value) => rowsWithValues(index, [value])));
      return found && { ...found, isExact: where.values.length === 1 };
    }
    case 'and': {
      // `contains` scans a whole index, which is worthwhile only if no other term has an index.
      const quick = where.terms.filter(({ op }) => op !== 'contains');
      const found = rarest(candidatesOf(table, quick)) ?? rarest(candidatesOf(table, where.terms));
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
  terms.map((term) => narrowed(table, term)).filter((found) => found !== undefined);

/** The candidates for the condition that the fewest rows satisfy. The other conditions must then be tested. */
const rarest = (options: readonly Candidates[]): Candidates | undefined => {
  const [first] = options.toSorted((a, b) => a.size - b.size);
  return first;
};

/** The union of candidates, without duplicates. */
const union = (parts: readonly Candidates[]): Candidates => {
  const [only, ...more] = parts;
  if (only && more.length === 0) return only;
  const each: Candidates['each'] = (visit, skip = 0) => {
    const seen = new Set<string>();
    const visitLater = skipping(visit, skip);
    let continues = true;
    const visitOnce: Visit = (id, row) => {
      if (seen.has(id)) return true;
      seen.add(id);
      return (continues = visitLater(id, row));
    };
    for (const part of parts) if (continues) part.each(visitOnce);
  };
  const isExact = parts.every((part) => part.isExact);
  return { size: parts.reduce((sum, { size }) => sum + size, 0), isExact, isOrdered: false, each, count: () => counted(each) };
};

const counted = (each: Candidates['each']): number => {
  let count = 0;
  each(() => ++count > 0);
  return count;
};

/** Candidates with a known number of rows, in order of id. */
const ordered = (size: number, each: Candidates['each']): Candidates => ({ size, isExact: true, isOrdered: true, each, count: () => size });

/** The candidates in disjoint posting lists. */
const ofPostings = (size: number, postings: (visit: (posting: Posting) => boolean) => void): Candidates => ({
  size,
  isExact: true,
  isOrdered: false,
  each: (visit, skip = 0) => {
    const visitLater = skipping(visit, skip);
    postings((posting) => walk(posting, (_, id) => visitLater(id as string))); // postings hold ids
  },
  count: () => {
    let rows = 0;
    postings((posting) => (rows += posting.size) > 0);
    return rows;
  },
});

const isId = ({ path, type }: FieldRef): boolean => path.length === 1 && path[0] === 'id' && type === 'string';

/** The rows with ids after `id`, or from it on if `isIncluded`, for reading a table page by page. */
const idsFrom = ({ rows }: Table, id: string, isIncluded: boolean): Candidates => {
  const skipped = countBelow(rows, id) + Number(!isIncluded && get(rows, id) !== undefined);
  return ordered(rows.size - skipped, (visit, skip = 0) => void walk(rows, (row) => visit(row.id, row), { skip: skipped + skip }));
};

const byValues = (table: Table, field: FieldRef, values: readonly Scalar[]): Candidates | undefined => {
  // Text is compared with the decimal text of a number, which is not indexed.
  if (field.path.length > 1 || field.type === 'tag' || (field.type === 'number' && values.some((value) => typeof value === 'string')))
    return undefined;
  if (field.path[0] === 'id') {
    const rows = [...new Set(values)].flatMap((id) => get(table.rows, id) ?? []).sort((a, b) => compareText(a.id, b.id));
    return ordered(rows.length, (visit, skip = 0) => void rows.slice(skip).every((row) => visit(row.id, row)));
  }
  const index = indexOf(table, field);
  return index && rowsWithValues(index, values);
};

/** The index of a single-valued column. */
export const indexOf = ({ schema, indexes }: Table, { path: [name, ...deeper] }: FieldRef): Tree<Posting> | undefined =>
  deeper.length > 0 || schema.sets.includes(name) ? undefined : indexes.get(name);

const rowsWithValues = (index: Tree<Posting> | undefined, values: readonly Scalar[]): Candidates => {
  const postings = index ? [...new Set(values)].flatMap((value) => get(index, value) ?? []) : [];
  return union(
    postings.map((posting) => ordered(posting.size, (visit, skip = 0) => void walk(posting, (_, id) => visit(id as string), { skip }))), // postings hold ids
  );
};

/** The rows in a range of an index. */
const ranged = (table: Table, where: Extract<Predicate, { readonly op: 'compare' }>): Candidates | undefined => {
  const index = indexOf(table, where.field);
  const bounds = index && boundsOf(where, where.field);
  if (!index || !bounds) return undefined;
  const isStrict = where.is === '<' || where.is === '>';
  const keys = keysWithin(index, bounds) - (isStrict && get(index, where.value) ? 1 : 0);
  const isUnique = table.schema.columns.find(({ name }) => name === where.field.path[0])?.index === 'unique';
  const found = ofPostings(Math.ceil(Math.max(0, keys) * (isUnique ? 1 : table.rows.size / index.size)), (visit) =>
    walkWithin(index, bounds, (posting, key) => (isStrict && key === where.value) || visit(posting)),
  );
  return isUnique ? { ...found, count: () => keys } : found;
};

/** Scans the keys of an index, because there are fewer keys than rows, and they are closer together in memory. */
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
  return ofPostings(size, (visit) => found.every(visit));
};
