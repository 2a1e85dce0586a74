/** Questions to a store whose answers may be cached, with their keys and dependencies. */
import { type Predicate, type SortKey, visitReads } from '../query/index.ts';
import type { Query } from '../storage/port.ts';
import { isRecordedWholly, type Partition, partitionOf, recordedTable } from './partition.ts';

/** The partitions on which an answer depends: a change of one of them invalidates it. */
export type Dependencies = readonly Partition[];

export interface CacheableQuestion {
  /** Its cache key. */
  key(): string;
  /** Undefined if the answer depends on fields whose changes are not recorded: it must not be cached then. */
  dependencies(): Dependencies | undefined;
}

/** The number of rows that satisfy a predicate. */
export const counting = (table: string, where: Predicate): CacheableQuestion => ({
  key: () => `count ${table} ${predicateText(where)}`,
  dependencies: () => dependenciesOf(table, where),
});

/** The elements of a set field that are in use. */
export const distinctIn = (table: string, set: string): CacheableQuestion => ({
  key: () => `distinct ${table} ${set}`,
  dependencies: () => (isRecorded(table, set) ? [table] : undefined),
});

/** The rows of a list. */
export const listingRows = (table: string, query: Query): CacheableQuestion => {
  const { where, sort, offset, limit } = query;
  return {
    key: () => `list ${table} ${JSON.stringify([sort, offset, limit])} ${predicateText(where)}`,
    dependencies: () => dependenciesOfRows(table, query),
  };
};

/** The rows of a list, under a name that is shorter than its query. @param query called on a miss */
export const listingFor = (table: string, name: string, query: () => Query): CacheableQuestion => ({
  key: () => `named ${table} ${name}`,
  dependencies: () => dependenciesOfRows(table, query()),
});

/** Rows have every field, volatile ones included. */
const dependenciesOfRows = (table: string, { where, sort }: Query): Dependencies | undefined =>
  isRecordedWholly(table) ? dependenciesOf(table, where, sort) : undefined;

/** The partitions that a predicate with its subqueries and an order read; undefined if one of their fields is not recorded. */
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

/** Terms from which on it costs more to write a predicate again than to remember its text. */
const LONG = 8;

/** A predicate as text. The same one is asked for a page and for its total, and may be long. */
export const predicateText = (where: Predicate): string => {
  if (!('terms' in where) || where.terms.length < LONG) return JSON.stringify(where);
  const known = texts.get(where);
  if (known !== undefined) return known;
  const text = JSON.stringify(where);
  texts.set(where, text);
  return text;
};
const texts = new WeakMap<Predicate, string>();
