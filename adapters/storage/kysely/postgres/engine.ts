/**
 * The engine for PostgreSQL. Text columns have the collation "C", which in UTF-8 is the order of code points. A document is
 * stored as its original text, and also as `jsonb` for queries on fields without a column.
 */

import {
  concatenated,
  currentTime,
  doubleQuoted,
  insertOnConflict,
  insertReturning,
  looseIndexScan,
  standardLiteral,
  upsertOnConflict,
} from '../common-sql.ts';
import type { SqlEngine } from '../engine/index.ts';
import type { JsonType, Page, Path } from '../engine/queries.ts';
import type { Requirement } from '../engine/tables.ts';
import { joined, raw, type Sql, sql } from '../sql.ts';
import { failure } from './failure.ts';
import { createUpper, upperName } from './upper.ts';

const engineIn = (schema?: string): SqlEngine => ({
  ...(schema === undefined ? {} : { schema }),
  quote: doubleQuoted,
  placeholder: (index) => `$${index}`,
  parameter: (value) => value,
  // The protocol encodes the number of parameters in 16 bits:
  // https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-BIND
  maxParameters: 65_535,
  literal: standardLiteral,

  // Writers of a namespace take its lock first (docs/decisions/006), so they need no stronger isolation.
  begin: (mode, { lockTimeout, statementTimeout, pauseTimeout }) => [
    `begin isolation level ${mode === 'read' ? 'repeatable read read only' : 'read committed'}`,
    ...limit('statement_timeout', statementTimeout),
    // `statement_timeout` includes waiting for locks. Readers wait for migrations only, so they need no second limit.
    ...(mode === 'read' && statementTimeout !== undefined ? [] : limit('lock_timeout', lockTimeout)),
    ...(mode === 'read' ? [] : limit('idle_in_transaction_session_timeout', pauseTimeout)),
  ],
  isRolledBack: ({ rows: [row] }) => row?.command === 'ROLLBACK',
  lockWriters: (revision) => [insertOnConflict(revision, raw('0'), raw('value = excluded.value where false'))],
  lockMigrations: (prefix) => sql`select pg_advisory_xact_lock(hashtextextended(${`migrations of ${prefix}`}, 0))`,
  lockOut: ({ migrations }) => sql`lock table ${migrations} in access exclusive mode`,
  cancellation: {
    session: raw('select pg_backend_pid() as value'),
    stop: (session) => sql`select pg_cancel_backend(${session})`,
  },
  failure,

  types: {
    key: 'text collate "C"',
    string: 'text collate "C"',
    date: 'text collate "C"',
    number: 'double precision',
    boolean: 'boolean',
    integer: 'bigint',
    reference: 'bigint',
    document: 'text',
    documentKey: 'bigint generated always as identity primary key',
  },
  currentTime,
  documents: { columns: ', fields jsonb not null generated always as (document::jsonb) stored', queried: raw('fields') },
  // Not `to_regclass`, whose cached answer may be stale: a process that has waited for another one to migrate would try to create the
  // tables again.
  tableCount: (table) =>
    sql`select count(*)::int as value from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where c.relname = ${table} and n.nspname = ${schema === undefined ? raw('current_schema()') : sql`${schema}`}`,
  // A getter, because computing the function for upper case takes time.
  get requirements() {
    return [UTF8, ...(schema === undefined ? [] : [schemaExists(schema)]), upperCase(upperIn(schema))];
  },

  upsert: upsertOnConflict,
  insertDocument: insertReturning,
  insertUnlessTaken: (insert) => sql`${insert} on conflict do nothing`,
  writesAtOnce: true,

  jsonElements: (list, type) => ELEMENTS[type](list),
  jsonElementsAt: (document, path) => {
    const value = valueAt(document, path, '->');
    const elements = sql`jsonb_array_elements(case when jsonb_typeof(${value}) = 'array' then ${value} else '[]' end) as a(element)`;
    return sql`cross join lateral (select a.element #>> '{}' as value from ${elements} where jsonb_typeof(a.element) = 'string') as e`;
  },
  jsonValue: (document, path, as) => JSON_VALUE[as](valueAt(document, path, '->'), valueAt(document, path, '->>')),

  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  upperCase: (text) =>
    sql`case when octet_length(${text}) = char_length(${text}) then upper(${text} collate "C") else ${raw(upperIn(schema))}(${text}) end`,
  nulls: { ascending: raw(' nulls first'), descending: raw(' nulls last') },
  page,
  countUpTo: (rows, max) => sql`select count(*) from (select 1 from ${rows}${page({ limit: max, offset: 0 })}) as h`,
  distinct: looseIndexScan,
  mergeIntersect: raw(' order by 1'),
  unindexed: concatenated,
  // A subquery with an offset is not pulled up into a join (https://wiki.postgresql.org/wiki/OptimizerHints; `is_simple_subquery` and
  // `simplify_EXISTS_query` in PostgreSQL's sources).
  optimizationFence: raw(' offset 0'),
});

/** PostgreSQL 12 or later, with the encoding UTF8. Tables are in the current schema, the first one of `search_path` that exists. */
export const postgres: SqlEngine = engineIn();

/** Like `postgres`, with all tables in the named schema regardless of the connection's `search_path`. Migrations create the schema. */
export const postgresIn = (schema: string): SqlEngine => engineIn(schema);

/** The function for upper case as a quoted identifier. */
const upperIn = (schema: string | undefined): string =>
  `${schema === undefined ? '' : `${doubleQuoted(schema)}.`}${doubleQuoted(upperName())}`;

/** The limit is a literal, so that the planner knows its value: if it is a parameter, the planner expects a tenth of all rows. */
function page({ limit, offset }: Page): Sql {
  return sql` limit ${raw(limit === undefined ? 'all' : limit.toFixed())} offset ${offset}`;
}

/** Sets at least 1, because 0 means no limit. */
const limit = (setting: string, milliseconds: number | undefined): readonly string[] =>
  milliseconds === undefined ? [] : [`set local ${setting} = ${Math.max(1, Math.ceil(milliseconds))}`];

const UTF8: Requirement = {
  probe: raw(`select (current_setting('server_encoding') = 'UTF8')::int as value`),
  advice: 'the PostgreSQL database cannot store all texts: create one with the encoding UTF8',
};

const schemaExists = (schema: string): Requirement => ({
  probe: sql`select count(*)::int as value from pg_namespace where nspname = ${schema}`,
  advice: `the PostgreSQL database has no schema '${schema}': create it, or call migrate()`,
  create: () => raw(`create schema if not exists ${doubleQuoted(schema)}`),
});

const upperCase = (name: string): Requirement => ({
  probe: sql`select (to_regprocedure(${`${name}(text)`}) is not null)::int as value`,
  advice: `the PostgreSQL database lacks the function ${name}, which converts text to upper case like this process: call migrate()`,
  create: () => createUpper(name),
});

/** The value at a path, as `jsonb` (`->`) or as text (`->>`); null if it is missing or null. */
const valueAt = (document: Sql, path: Path, last: '->' | '->>'): Sql =>
  joined([document, ...path.map((key, index) => sql`${raw(index === path.length - 1 ? last : '->')} ${key}::text`)], ' ');

const JSON_VALUE: Readonly<Record<JsonType, (json: Sql, text: Sql) => Sql>> = {
  any: (_, text) => sql`(${text}) collate "C"`,
  text: (json, text) => sql`case jsonb_typeof(${json}) when 'string' then ${text} end collate "C"`,
  number: (json, text) => sql`case jsonb_typeof(${json}) when 'number' then (${text})::float8 end`,
  boolean: (json, text) => sql`case jsonb_typeof(${json}) when 'boolean' then (${text})::boolean end`,
  // `jsonb` keeps all digits of a number and writes them in plain decimal notation.
  numberText: (json, text) => sql`case jsonb_typeof(${json}) when 'number' then ${text} end collate "C"`,
  tagText: (json, text) => sql`case when jsonb_typeof(${json}) in ('string', 'number', 'boolean') then ${text} end collate "C"`,
};

const ELEMENTS: Readonly<Record<'string' | 'number' | 'boolean', (list: string) => Sql>> = {
  string: (list) => sql`jsonb_array_elements_text(${list}::jsonb) as e(value)`,
  number: (list) => sql`(select x.value::float8 as value from jsonb_array_elements_text(${list}::jsonb) as x(value)) as e`,
  boolean: (list) => sql`(select x.value::boolean as value from jsonb_array_elements_text(${list}::jsonb) as x(value)) as e`,
};
