/** The statements that create, change and drop tables. */
import type { ColumnSchema } from '../../../src/adapter-kit.ts';
import { JSON_TYPE, typeOf, typesOf } from './column-types.ts';
import type { SqlEngine } from './engine/index.ts';
import { namesOf, ownColumnName, sharedNames } from './layout.ts';
import { indexStatistics, rowStatistics, setStatistics, statisticsOf } from './planner-statistics.ts';
import { identifier, qualified } from './render.ts';
import { EMPTY, joined, raw, type Sql, sql } from './sql.ts';

/** The tables of a store: the engine that holds them, and how their names begin. */
export interface Tables {
  readonly engine: SqlEngine;
  readonly prefix: string;
}

export const createSharedTables = (tables: Tables): readonly Sql[] => {
  const { engine, prefix } = tables;
  const { state, migrations } = sharedNames(prefix);
  const { key, string, integer } = typesOf(engine);
  return [
    sql`create table ${qualified(engine, state)} (ns ${key} not null, name ${key} not null, value ${integer} not null, primary key (ns, name))${options(engine)}`,
    sql`create table ${qualified(engine, migrations)} (version ${integer} primary key, name ${string} not null, applied_at ${string} not null default (${engine.currentTime}))`,
  ];
};

/** The new column `oldest` is the oldest schema version whose release keeps working alongside the release of the migration. */
export const recordSteps = (tables: Tables): readonly Sql[] => {
  const { engine, prefix } = tables;
  const table = qualified(engine, sharedNames(prefix).migrations);
  const { string, integer, document } = typesOf(engine);
  return [sql`oldest ${integer}`, sql`steps ${document}`, sql`software ${string}`].map((column) => sql`alter table ${table} add ${column}`);
};

export const addRows = (tables: Tables, kind: string, columns: readonly ColumnSchema[]): readonly Sql[] => {
  const { engine, prefix } = tables;
  const names = namesOf(prefix, kind);
  const { key, date, number, reference, document, documentKey } = typesOf(engine);
  const definitions = columns.map((column) => sql`, ${identifier(engine, ownColumnName(column.name))} ${typeOf(engine, column)}`);
  return [
    sql`create table ${qualified(engine, names.documents)} (id ${documentKey}, document ${document} not null${raw(engine.documents?.columns ?? '')})`,
    sql`create table ${qualified(engine, names.rows)} (ns ${key} not null, id ${key} not null, document ${reference} not null, version ${number} not null, created_at ${date} not null, updated_at ${date} not null${joined(definitions, '')}, primary key (ns, id))${options(engine)}`,
    ...statisticsOf(engine, rowStatistics(prefix, kind)),
  ];
};

export const addIndex = (tables: Tables, kind: string, column: ColumnSchema): readonly Sql[] => {
  const { engine, prefix } = tables;
  const { name: field, index } = column;
  if (index === false) return [];
  const names = namesOf(prefix, kind);
  const quotedName = identifier(engine, ownColumnName(field));
  const target = sql`index ${identifier(engine, names.index(field))} on ${qualified(engine, names.rows)}`;
  const createIndex =
    index === 'unique'
      ? sql`create unique ${target} (ns, ${quotedName}${engine.nulls.ascending})${engine.uniqueUnlessNull?.(quotedName) ?? EMPTY}`
      : sql`create ${target} (ns, ${quotedName}${engine.nulls.ascending}, id)`;
  return [createIndex, ...statisticsOf(engine, indexStatistics(prefix, kind, column))];
};

export const addSet = (tables: Tables, kind: string, field: string): readonly Sql[] => {
  const { engine, prefix } = tables;
  const names = namesOf(prefix, kind);
  const table = qualified(engine, names.set(field));
  const { key } = typesOf(engine);
  return [
    sql`create table ${table} (ns ${key} not null, value ${key} not null, id ${key} not null, primary key (ns, value, id))${options(engine)}`,
    sql`create index ${identifier(engine, names.reverse(field))} on ${table} (ns, id, value)`,
    ...statisticsOf(engine, setStatistics(prefix, kind, field)),
  ];
};

export const addColumn = (tables: Tables, kind: string, column: ColumnSchema): readonly Sql[] => {
  const { engine, prefix } = tables;
  const { rows, documents } = namesOf(prefix, kind);
  const [table, quotedName] = [qualified(engine, rows), identifier(engine, ownColumnName(column.name))];
  const value = engine.jsonValue(queriedDocument(engine), [column.name], JSON_TYPE[column.type]);
  return [
    sql`alter table ${table} add ${quotedName} ${typeOf(engine, column)}`,
    sql`update ${table} set ${quotedName} = (select ${value} from ${qualified(engine, documents)} as d where d.id = ${table}.document)`,
    ...addIndex(tables, kind, column),
  ];
};

export const dropColumn = (tables: Tables, kind: string, { name, index }: ColumnSchema): readonly Sql[] => {
  const { engine, prefix } = tables;
  const names = namesOf(prefix, kind);
  const [table, target] = [qualified(engine, names.rows), qualified(engine, names.index(name))];
  const dropIndex = index === false ? [] : [engine.dropIndex?.(target, table) ?? sql`drop index ${target}`];
  return [...dropIndex, sql`alter table ${table} drop column ${identifier(engine, ownColumnName(name))}`];
};

export const dropTable = ({ engine }: Tables, table: string): Sql => sql`drop table ${qualified(engine, table)}`;

export const fillSet = (tables: Tables, kind: string, field: string): Sql => {
  const { engine, prefix } = tables;
  const { rows, documents, set } = namesOf(prefix, kind);
  const from = sql`${qualified(engine, rows)} as t join ${qualified(engine, documents)} as d on d.id = t.document`;
  const elements = engine.jsonElementsAt(queriedDocument(engine), [field]);
  return sql`insert into ${qualified(engine, set(field))} (ns, value, id) select distinct t.ns, e.value, t.id from ${from} ${elements} where e.value is not null`;
};

const queriedDocument = ({ documents }: SqlEngine): Sql => sql`d.${documents?.queried ?? raw('document')}`;

const options = ({ tableOptions }: SqlEngine): Sql => raw(tableOptions ?? '');
