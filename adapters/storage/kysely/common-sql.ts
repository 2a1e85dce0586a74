/** SQL for both SQLite and PostgreSQL. */
import type { StateChange, StateRow } from './engine/writes.ts';
import { EMPTY, raw, type Sql, sql, type Value } from './sql.ts';

export const doubleQuoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Escapes only quotes: backslashes have no special meaning in either database. */
export const standardLiteral = (value: Value): string => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));

export const currentTime = raw('cast(current_timestamp as text)');

const EXISTING: Readonly<Record<StateChange['existing'], (table: Sql) => Sql>> = {
  add: (table) => sql`value = ${table}.value + excluded.value`,
  set: () => raw('value = excluded.value'),
  raise: (table) => sql`value = excluded.value where ${table}.value < excluded.value`,
};

export const upsertOnConflict = (change: StateChange): readonly Sql[] => {
  const { table, value, existing, returning, where } = change;
  const statement = insertOnConflict(change, value, EXISTING[existing](table), where);
  return [sql`${statement}${returning ? raw(' returning value') : EMPTY}`];
};

/** @param update the assignment for an existing row: `value = ...` */
export const insertOnConflict = ({ table, namespace, name }: StateRow, value: Sql, update: Sql, where?: Sql): Sql => {
  const row = sql`${namespace}, ${name}, ${value}`;
  return sql`insert into ${table} (ns, name, value) ${where ? sql`select ${row} where ${where}` : sql`values (${row})`} on conflict (ns, name) do update set ${update}`;
};

export const insertReturning = (documents: Sql, document: string): readonly Sql[] => [
  sql`insert into ${documents} (document) values (${document}) returning id`,
];

/**
 * A loose index scan: steps from each value to the next larger one, so that its cost depends on the number of distinct values instead of
 * rows.
 */
export const looseIndexScan = (elements: Sql): Sql =>
  sql`with recursive v(value) as (select min(s.value) from ${elements} union all select (select min(s.value) from ${elements} and s.value > v.value) from v where v.value is not null)
    select value from v where value is not null order by value`;

/** Prevents the planner from using an index on the column. */
export const concatenated = (text: Sql): Sql => sql`(${text} || '')`;
