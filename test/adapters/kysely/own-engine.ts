/**
 * A third SQL engine, as a host writes one: it knows only what the package exports. It runs on Node's SQLite through Kysely, but speaks SQL
 * as MySQL and SQL Server make one speak it: names in backticks, numbered parameters and few of them, no `returning`, no upsert, no
 * `is not true`, `like` with escapes, partial unique indexes for null, and transactions that the driver begins.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Dialect, SqliteDialect } from 'kysely';
import { type Failure, type JsonType, joined, raw, type Sql, type SqlEngine, sql } from '../../../adapters/storage/kysely/index.ts';
import { decimalText } from '../../../src/adapter-kit.ts';

export const ownEngine: SqlEngine = {
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  placeholder: (index) => `?${index}`,
  parameter: (value) => (typeof value === 'boolean' ? Number(value) : value),
  maxParameters: 30,
  literal: (value) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)),

  isolationLevel: (mode) => (mode === 'read' ? 'snapshot' : 'serializable'),
  // What the driver begins takes a lock with its first write, which nothing must come before.
  begin: (mode) => (mode === 'read' ? [] : ['pragma user_version = 1']),
  lockWriters: ({ table, namespace, name }) => [
    sql`insert into ${table} (ns, name, value) select ${namespace}, ${name}, 0 where not exists (select 1 from ${table} where ns = ${namespace} and name = ${name})`,
    sql`update ${table} set value = value where ns = ${namespace} and name = ${name}`,
  ],
  lockMigrations: (prefix) => sql`select ${prefix} as locked`,
  unlockMigrations: (prefix) => [sql`select ${prefix} as unlocked`],
  failure,

  types: {
    key: 'varchar(255)',
    string: 'longtext',
    date: 'char(24)',
    number: 'double',
    boolean: 'tinyint',
    integer: 'bigint',
    document: 'longtext',
    documentKey: 'integer primary key autoincrement',
    reference: 'integer',
  },
  currentTime: raw("strftime('%FT%TZ')"),
  documents: { columns: ', fields longtext generated always as (json(document)) virtual', queried: raw('fields') },
  uniqueUnlessNull: (column) => sql` where ${column} is not null`,
  tableCount: (table) => sql`select count(*) as value from sqlite_schema where type = ${'table'} and name = ${table}`,
  requirements: [
    { probe: raw("select js_upper('ß') = 'SS' as value"), advice: 'the connection lacks js_upper and js_decimal: make it with ownDialect' },
  ],

  upsert({ table, namespace, name, value, existing, returning }) {
    const row = sql`ns = ${namespace} and name = ${name}`;
    const updates: Readonly<Record<typeof existing, Sql>> = {
      add: sql`set value = value + ${value} where ${row}`,
      set: sql`set value = ${value} where ${row}`,
      raise: sql`set value = ${value} where ${row} and value < ${value}`,
    };
    return [
      sql`insert into ${table} (ns, name, value) select ${namespace}, ${name}, 0 where not exists (select 1 from ${table} where ${row})`,
      sql`update ${table} ${updates[existing]}`,
      ...(returning ? [sql`select value from ${table} where ${row}`] : []),
    ];
  },
  insertDocument: (documents, document) => [
    sql`insert into ${documents} (document) values (${document})`,
    raw('select last_insert_rowid() as id'),
  ],

  isNotTrue: (condition) => sql`case when ${condition} then 0 else 1 end = 1`,
  contains: (text, part) => sql`${text} like ${`%${part.replace(/[!%_]/g, '!$&')}%`} escape '!'`,
  upperCase: (text) => sql`js_upper(${text})`,
  jsonElements: (list) => sql`(select value from json_each(${list})) as e`,
  jsonElementsAt: (document, path) => sql`inner join json_each(${document}, ${jsonPath(path)}) as e on e.type = 'text'`,
  jsonValue: (document, path, as) => jsonValue(sql`${document}, ${jsonPath(path)}`, as),
  nulls: { ascending: raw(''), descending: raw('') },
  page: ({ limit = -1, offset }) => sql` limit ${offset}, ${limit}`,
};

const jsonPath = (path: readonly string[]): string => `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`;

const JSON_TYPES: Readonly<Record<Exclude<JsonType, 'any'>, readonly string[]>> = {
  text: ['text'],
  number: ['integer', 'real'],
  boolean: ['true', 'false'],
  numberText: ['integer', 'real'],
  tagText: ['text', 'integer', 'real', 'true', 'false'],
};

const jsonValue = (place: Sql, as: JsonType): Sql => {
  const value = sql`json_extract(${place})`;
  if (as === 'any') return value;
  const types = joined(
    JSON_TYPES[as].map((type) => sql`${type}`),
    ', ',
  );
  const isText = as === 'numberText' || as === 'tagText';
  return sql`case when json_type(${place}) in (${types}) then ${isText ? sql`js_text(${value}, json_type(${place}))` : value} end`;
};

const BUSY = 5;

function failure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const [, table, column] = /UNIQUE constraint failed: (?:[^,]+, )*([^.]+)\.(.+)$/.exec(error.message) ?? [];
  if (table !== undefined && column !== undefined) return { is: 'unique', table, column };
  if (error.code === 'ERR_INVALID_STATE') return { is: 'unavailable' };
  if (error.code !== 'ERR_SQLITE_ERROR') return undefined;
  return { is: 'errcode' in error && error.errcode === BUSY ? 'busy' : 'other' };
}

/** A dialect of Kysely that opens a file once for each instance. */
export const ownDialect = (file: string): Dialect =>
  new SqliteDialect({
    database: async () => {
      const database = opened(file);
      return { close: () => database.close(), prepare: (text) => statement(database.prepare(text)) };
    },
  });

const opened = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma case_sensitive_like = on');
  database.function('js_upper', { deterministic: true }, (text: unknown) => (typeof text === 'string' ? text.toUpperCase() : null));
  database.function('js_text', { deterministic: true }, (value: unknown, type: unknown) => {
    if (type === 'true' || type === 'false') return type;
    if (typeof value === 'number') return decimalText(value);
    return typeof value === 'string' ? value : null;
  });
  return database;
};

/** A prepared statement as the dialect of Kysely wants it. */
export const statement = (prepared: StatementSync) => {
  const values = (parameters: readonly unknown[]) => parameters as Parameters<StatementSync['all']>; // SQLite refuses what it cannot hold
  return {
    reader: prepared.columns().length > 0,
    all: (parameters: readonly unknown[]) => prepared.all(...values(parameters)),
    run: (parameters: readonly unknown[]) => prepared.run(...values(parameters)),
    iterate: (parameters: readonly unknown[]) => prepared.iterate(...values(parameters)),
  };
};
