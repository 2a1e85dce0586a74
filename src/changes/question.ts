/** Questions to a store whose answers may be remembered: each says by which key, and on what its answer depends. */
import { type Predicate, type SortKey, visitReads } from '../query/index.ts';
import type { Query } from '../storage/port.ts';
import { predicateText } from './predicate-text.ts';
import { isRecordedWholly, recordedTable } from './recorded-tables.ts';
import { partOf, type TablePart } from './table-part.ts';

/** What an answer depends on: it may be another one after the next change of one of these. */
export type Dependencies = readonly TablePart[];

export interface CacheableQuestion {
  /** Tells it from all others. */
  key(): string;
  /** Undefined if the answer depends on something whose changes leave no record: it must not be remembered then. */
  dependencies(): Dependencies | undefined;
}

/** How many rows there are of these. */
export const counting = (table: string, where: Predicate): CacheableQuestion => ({
  key: () => `count ${table} ${predicateText(where)}`,
  dependencies: () => dependenciesOf(table, where),
});

/** The elements of a set that are in use. */
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

/** The same, by a name that is shorter than what is asked. @param query made if the answer is not known */
export const listingNamed = (table: string, name: string, query: () => Query): CacheableQuestion => ({
  key: () => `named ${table} ${name}`,
  dependencies: () => dependenciesOfRows(table, query()),
});

/** Rows show every field. */
const dependenciesOfRows = (table: string, { where, sort }: Query): Dependencies | undefined =>
  isRecordedWholly(table) ? dependenciesOf(table, where, sort) : undefined;

/** The parts of tables that a predicate and an order read: its own rows, and those of its subqueries. */
export const dependenciesOf = (table: string, where: Predicate, sort: readonly SortKey[] = []): Dependencies | undefined => {
  const parts = [partOf(table, where)];
  let areRecorded = sort.every(({ field }) => isRecorded(table, field.path[0]));
  visitReads(where, (field, inner) => {
    if (!isRecorded(inner ?? table, field)) areRecorded = false;
    if (inner !== undefined && !parts.includes(inner)) parts.push(inner);
  });
  return areRecorded && recordedTable(table) ? parts : undefined;
};

/** Whether every change of a field leaves a record. */
const isRecorded = (table: string, field: string): boolean => recordedTable(table)?.volatile.includes(field) === false;
