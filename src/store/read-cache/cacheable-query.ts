/** Queries whose answers may be cached, with their cache keys and dependencies. */
import { type Predicate, type SortKey, visitReads } from '../../query/index.ts';
import type { Query } from '../storage/port.ts';
import { isRecordedWholly, type Partition, partitionOf, recordedTable } from './partition.ts';

/** The partitions on which an answer depends. A change to any of them invalidates it. */
export type Dependencies = readonly Partition[];

export interface CacheableQuery {
  /** The cache key. */
  key(): string;
  /** Undefined if the answer depends on fields whose changes are not recorded, so that it must not be cached. */
  dependencies(): Dependencies | undefined;
}

/** The number of rows that satisfy a predicate. */
export const counting = (table: string, where: Predicate): CacheableQuery => ({
  key: () => `count ${table} ${predicateText(where)}`,
  dependencies: () => dependenciesOf(table, where),
});

/** The distinct elements of a set field. */
export const distinctIn = (table: string, set: string): CacheableQuery => ({
  key: () => `distinct ${table} ${set}`,
  dependencies: () => (isRecorded(table, set) ? [table] : undefined),
});

/** The rows of a list. */
export const listingRows = (table: string, query: Query): CacheableQuery => {
  const { where, sort, offset, limit } = query;
  return {
    key: () => `list ${table} ${JSON.stringify([sort, offset, limit])} ${predicateText(where)}`,
    dependencies: () => dependenciesOfRows(table, query),
  };
};

/**
 * The rows of a list, cached under a name that is shorter than its query.
 * @param query called on a miss
 */
export const listingFor = (table: string, name: string, query: () => Query): CacheableQuery => ({
  key: () => `named ${table} ${name}`,
  dependencies: () => dependenciesOfRows(table, query()),
});

/** Undefined if the table has volatile fields, because rows include these. */
const dependenciesOfRows = (table: string, { where, sort }: Query): Dependencies | undefined =>
  isRecordedWholly(table) ? dependenciesOf(table, where, sort) : undefined;

/**
 * The partitions that a predicate (including its subqueries) and a sort order read; undefined if changes of one of the fields are not
 * recorded.
 */
export const dependenciesOf = (table: string, where: Predicate, sort: readonly SortKey[] = []): Dependencies | undefined => {
  const parts = [partitionOf(table, where)];
  let areRecorded = sort.every(({ field }) => isRecorded(table, field.path[0]));
  visitReads(where, (field, inner) => {
    if (!isRecorded(inner ?? table, field)) areRecorded = false;
    if (inner !== undefined && !parts.includes(inner)) parts.push(inner);
  });
  return areRecorded && recordedTable(table) ? parts : undefined;
};

/** True if every change of a field is recorded. */
const isRecorded = (table: string, field: string): boolean => recordedTable(table)?.volatile.includes(field) === false;

/** Minimum number of terms for which looking up the text of a predicate is cheaper than serializing it again. */
const MIN_MEMOIZED_TERMS = 8;

/** A predicate as text. The text of a long one is memoized, because the same predicate is used for a page and for its total. */
export const predicateText = (where: Predicate): string => {
  if (!('terms' in where) || where.terms.length < MIN_MEMOIZED_TERMS) return JSON.stringify(where);
  const memoized = texts.get(where);
  if (memoized !== undefined) return memoized;
  const text = JSON.stringify(where);
  texts.set(where, text);
  return text;
};
const texts = new WeakMap<Predicate, string>();
