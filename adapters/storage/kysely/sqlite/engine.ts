/** The engine for SQLite. Text compares by its UTF-8 bytes (collation BINARY), and null sorts first. */
import { decimalText } from '../../../../src/adapter-kit.ts';
import {
  concatenated,
  currentTime,
  doubleQuoted,
  insertReturning,
  looseIndexScan,
  standardLiteral,
  upsertOnConflict,
} from '../common-sql.ts';
import type { SqlEngine } from '../engine/index.ts';
import type { JsonType, Page, Path } from '../engine/queries.ts';
import type { Failure } from '../engine/transactions.ts';
import { raw, type Sql, sql } from '../sql.ts';

/**
 * Primary result codes: https://www.sqlite.org/rescode.html. `node:sqlite` reports them as numbers, others (better-sqlite3, libsql) as
 * names.
 */
const CODES: Readonly<Record<number, Exclude<Failure['is'], 'unique'>>> = {
  5: 'busy',
  6: 'busy',
  8: 'unavailable',
  10: 'unavailable',
  11: 'unavailable',
  13: 'unavailable',
  14: 'unavailable',
  26: 'unavailable',
};
const NAMES: Readonly<Record<string, number>> = {
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
};
const BUSY_SNAPSHOT = 517;

const failure = (error: unknown): Failure | undefined => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const violation = /UNIQUE constraint failed: (?:[^,]+, )*([^.]+)\.(.+)$/.exec(error.message);
  if (violation?.[1] && violation[2]) return { is: 'unique', table: violation[1], column: violation[2] };
  // The connection is closed.
  if (error.code === 'ERR_INVALID_STATE') return { is: 'unavailable' };
  // The host has begun its own transaction on the connection.
  if (error.message.includes('within a transaction')) return { is: 'busy' };
  if (error.code === 'ERR_SQLITE_ERROR') {
    const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 1;
    return { is: code === BUSY_SNAPSHOT ? 'conflict' : (CODES[code & 0xff] ?? 'other') };
  }
  // Other drivers put the name of the result code into `code`.
  const named = Object.entries(NAMES).find(([name]) => String(error.code).startsWith(name));
  if (named) return { is: CODES[named[1]] ?? 'other' };
  return error.code.startsWith('SQLITE_') ? { is: 'other' } : undefined;
};

const UPPER = 'overlay_upper';
const DECIMAL_TEXT = 'overlay_decimal_text';

/**
 * SQL functions that the queries use on SQLite, because SQLite's own functions differ from JavaScript's: its `upper` changes only ASCII
 * letters, and it writes numbers with 15 digits. `sqliteStorage` defines these functions. On connections of another driver, the host has to
 * define them (all are deterministic):
 *
 * ```ts
 * for (const [name, run] of Object.entries(sqliteFunctions)) betterSqlite.function(name, { deterministic: true }, run);
 * ```
 */
export const sqliteFunctions: Readonly<Record<string, (value: unknown) => string | null>> = {
  [UPPER]: (text) => (typeof text === 'string' ? text.toUpperCase() : null),
  [DECIMAL_TEXT]: (value) => (typeof value === 'number' ? decimalText(value) : null),
};

/** The engine for SQLite. Connections of drivers other than `node:sqlite` require `sqliteFunctions`. */
export const sqlite: SqlEngine = {
  runsInProcess: true,
  quote: doubleQuoted,
  literal: standardLiteral,
  parameter: (value) => (typeof value === 'boolean' ? Number(value) : value),
  // https://www.sqlite.org/limits.html#max_variable_number
  maxParameters: 32_766,

  begin: (mode) => [mode === 'read' ? 'begin' : 'begin immediate'],
  failure,

  types: {
    key: 'text',
    string: 'text',
    date: 'text',
    number: 'real',
    boolean: 'integer',
    integer: 'integer',
    reference: 'integer',
    document: 'text',
    documentKey: 'integer primary key',
  },
  tableOptions: ' without rowid',
  currentTime,
  tableCount: (table) => sql`select count(*) as value from sqlite_master where type = 'table' and name = ${table}`,
  requirements: [
    {
      probe: raw(`select ${UPPER}('') is not null and ${DECIMAL_TEXT}(1) is not null as value`),
      advice: 'the SQLite connection lacks functions that filters require: define sqliteFunctions on it',
    },
  ],
  // The rows that ANALYZE would write (https://www.sqlite.org/fileformat2.html#stat1tab). `analyze sqlite_schema` collects no statistics:
  // it creates this table and loads it.
  statistics: {
    of: (table, index, rows) => sql`insert into sqlite_stat1 (tbl, idx, stat) values (${table}, ${index}, ${rows.join(' ')})`,
    table: 'sqlite_stat1',
    all: raw('select tbl as table_name, idx as index_name, stat as rows from sqlite_stat1'),
    forget: (table) => sql`delete from sqlite_stat1 where tbl = ${table}`,
    load: raw('analyze sqlite_schema'),
  },

  upsert: upsertOnConflict,
  insertDocument: insertReturning,

  jsonElements: (list) => sql`json_each(${list}) as e`,
  jsonElementsAt: (document, path) =>
    sql`join json_each(${document}, ${jsonPath(path)}) as e on e.type = 'text' and json_type(${document}, ${jsonPath(path)}) = 'array'`,
  jsonValue: (document, path, as) => JSON_VALUE[as](document, jsonPath(path)),

  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  upperCase: (text) => sql`${raw(UPPER)}(${text})`,
  nulls: { ascending: raw(''), descending: raw('') },
  page,
  countUpTo: (rows, max) => sql`select count(*) from (select 1 from ${rows}${page({ limit: max, offset: 0 })}) as h`,
  distinct: looseIndexScan,
  mergeIntersect: raw(' order by 1'),
  unindexed: concatenated,
};

/** Writes `0 + ?`, because SQLite plans the statement again for every new value if the limit is a bare parameter. */
function page({ limit = -1, offset }: Page): Sql {
  return sql` limit 0 + ${limit} offset 0 + ${offset}`;
}

/** Quotes and escapes every key like a JSON string. */
const jsonPath = (path: Path): string => `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`;

// `->>` returns a SQL value (booleans as 1 and 0); `->` returns the original JSON text, which for a number is JavaScript's.
const JSON_VALUE: Readonly<Record<JsonType, (document: Sql, path: string) => Sql>> = {
  any: (document, path) => sql`(${document} ->> ${path})`,
  text: (document, path) => sql`case json_type(${document}, ${path}) when 'text' then ${document} ->> ${path} end`,
  number: (document, path) => sql`case when json_type(${document}, ${path}) in ('integer', 'real') then ${document} ->> ${path} end`,
  boolean: (document, path) => sql`case when json_type(${document}, ${path}) in ('true', 'false') then ${document} ->> ${path} end`,
  numberText: (document, path) =>
    sql`case json_type(${document}, ${path}) when 'integer' then ${document} -> ${path} when 'real' then ${raw(DECIMAL_TEXT)}(${document} ->> ${path}) end`,
  tagText: (document, path) =>
    sql`case json_type(${document}, ${path}) when 'text' then ${document} ->> ${path} when 'real' then ${raw(DECIMAL_TEXT)}(${document} ->> ${path}) when 'null' then null else ${document} -> ${path} end`,
};
