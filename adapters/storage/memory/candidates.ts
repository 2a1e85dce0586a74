/**
 * Which rows a question can concern at all, found through the indexes of a table. Every candidate is still asked the whole
 * question unless the source is exact: a source may hold too many rows, never too few.
 */
import type { FieldRef, Predicate, Row, Scalar } from '../../../src/adapter-kit.ts';
import type { Posting, Table } from './table.ts';
import { countBelow, get, type Tree, walk } from './tree.ts';

/** @returns whether to go on. */
type Visit = (row: Row) => boolean;

export interface Source {
  /** How many rows there are; when not ordered: at most. */
  readonly size: number;
  /** Whether the rows are just those that satisfy the question. */
  readonly isExact: boolean;
  /** Whether the rows come in order of id, and each once from one place. */
  readonly isOrdered: boolean;
  /** Visits each row until `visit` gives false, after passing over `skip` of them. */
  each(visit: Visit, skip?: number): void;
}

/** @returns undefined when no index narrows the question. */
export const candidates = (table: Table, where: Predicate): Source | undefined => {
  switch (where.op) {
    case 'none':
      return merged([]);
    case 'compare':
      if (where.is === '=') return byValues(table, where.field, [where.value]);
      return isId(where.field) && isText(where.value) && where.is.startsWith('>')
        ? idsFrom(table, where.value, where.is === '>=')
        : undefined;
    case 'in':
      return byValues(table, where.field, where.values);
    case 'overlaps':
      return holders(table, table.indexes.get(where.set), where.values);
    case 'covers': {
      const holding = where.values.map((value) => holders(table, table.indexes.get(where.set), [value]));
      return holding.length === 1 ? holding[0] : rarest(holding);
    }
    case 'and':
      return rarest(where.terms.map((term) => candidates(table, term)));
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
  isExact: false,
  isOrdered: true,
  each: (visit, skip = 0) => void walk(table.rows, visit, { skip }),
});

const isId = ({ path, type }: FieldRef): boolean => path.length === 1 && path[0] === 'id' && type === 'string';

const isText = (value: Scalar): value is string => typeof value === 'string';

/** For whoever goes through a table page by page. */
const idsFrom = (table: Table, id: string, isIncluded: boolean): Source => {
  const before = countBelow(table.rows, id) + Number(!isIncluded && get(table.rows, id) !== undefined);
  return {
    size: table.rows.size - before,
    isExact: true,
    isOrdered: true,
    each: (visit, skip = 0) => void walk(table.rows, visit, { skip: before + skip }),
  };
};

const byValues = (table: Table, { path, type }: FieldRef, values: readonly Scalar[]): Source | undefined => {
  const [name, ...deeper] = path;
  // Text held against a number means the number's text, which the index does not have.
  if (deeper.length > 0 || type === 'tag' || (type === 'number' && values.some((value) => typeof value === 'string'))) return undefined;
  if (name === 'id') return merged(values.map((id) => single(get(table.rows, id))));
  const index = table.indexes.get(name);
  return index && !table.schema.sets.includes(name) ? holders(table, index, values) : undefined;
};

const holders = (table: Table, index: Tree<Posting> | undefined, values: readonly Scalar[]): Source | undefined =>
  index && merged(values.map((value) => get(index, value)).flatMap((posting) => (posting ? [posted(table, posting)] : [])));

const posted = (table: Table, posting: Posting): Source => ({
  size: posting.size,
  isExact: true,
  isOrdered: true,
  each: (visit, skip = 0) => void walk(posting, (_, id) => visitRow(table, id as string, visit), { skip }), // postings hold ids
});

const single = (row: Row | undefined): Source => ({
  size: row ? 1 : 0,
  isExact: true,
  isOrdered: true,
  each: (visit, skip = 0) => void (row && skip === 0 && visit(row)),
});

/** The rows of all sources, each once. */
const merged = (sources: readonly Source[]): Source => {
  const [only, ...more] = sources;
  if (only && more.length === 0) return only;
  return {
    size: sources.reduce((sum, { size }) => sum + size, 0),
    isExact: sources.every(({ isExact }) => isExact),
    isOrdered: false,
    each(visit) {
      const seen = new Set<Row>();
      let goesOn = true;
      const visitOnce: Visit = (row) => {
        if (!seen.has(row)) goesOn = visit(row);
        seen.add(row);
        return goesOn;
      };
      for (const source of sources) if (goesOn) source.each(visitOnce);
    },
  };
};

const rarest = (sources: readonly (Source | undefined)[]): Source | undefined => {
  const known = sources.filter((source) => source !== undefined);
  const best = known.reduce<Source | undefined>((least, source) => (least && least.size <= source.size ? least : source), undefined);
  return best && { ...best, isExact: false };
};

/** A posting holds ids of rows that are there. */
const visitRow = (table: Table, id: string, visit: Visit): boolean => {
  const row = get(table.rows, id);
  return row === undefined || visit(row);
};
