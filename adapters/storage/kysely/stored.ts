import type { Row } from '../../../src/adapter-kit.ts';
import { type Column, columnValue } from './layout.ts';
import type { Sql, Value } from './sql.ts';

/** A row with the number of its document. */
export interface Stored {
  readonly row: Row;
  readonly number: number;
}

export type Assignment = readonly [Sql, Value];

/** An index is touched for what is assigned to, so only what differs is. The version always does. */
export const changes = (columns: readonly Column[], before: Row, after: Row): readonly Assignment[] =>
  columns
    .map((column) => ({ column, old: columnValue(column, before), now: columnValue(column, after) }))
    .filter(({ column, old, now }) => old !== now || column.name === 'version')
    .map(({ column, now }): Assignment => [column.sql, now]);

// Our own statements name what they select, and every document is a row that was handed in.
export const field = (row: unknown, name: string): unknown => (row as Readonly<Record<string, unknown>>)[name];
export const rowOf = (row: unknown): Row => JSON.parse(String(field(row, 'document'))) as Row;
