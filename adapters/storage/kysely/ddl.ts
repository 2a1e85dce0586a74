/** Compiles migrations to the statements of an engine. */
import { type ColumnSchema, software } from '../../../src/adapter-kit.ts';
import { oldestBeside, recordsSteps } from './compatibility.ts';
import type { SqlEngine } from './engine/index.ts';
import type { JsonType } from './engine/queries.ts';
import type { ColumnTypes } from './engine/tables.ts';
import { namesOf, ownColumnName, sharedNames } from './layout.ts';
import type { Migration, Step } from './migration.ts';
import { indexStatistics, rowStatistics, setStatistics, statisticsOf } from './planner-statistics.ts';
import { identifier, qualified } from './render.ts';
import { EMPTY, joined, raw, type Sql, sql } from './sql.ts';

/** The statements of the final migration in the list; its final statement records the migration. */
export const statementsOf = (engine: SqlEngine, prefix: string, migrations: readonly Migration[]): readonly Sql[] => [
  ...loadStatistics(engine),
  ...(migrations.at(-1)?.steps ?? []).flatMap((step) => stepStatements(engine, prefix, step)),
  ...loadStatistics(engine),
  recordMigration(engine, prefix, migrations),
];

/** Records the migration. Includes the information that releases without this migration need to check their compatibility. */
const recordMigration = (engine: SqlEngine, prefix: string, migrations: readonly Migration[]): Sql => {
  const table = qualified(engine, sharedNames(prefix).migrations);
  const { version, name, steps } = migrations.at(-1) ?? { version: 0, name: '', steps: [] };
  return recordsSteps(migrations)
    ? sql`insert into ${table} (version, name, oldest, steps, software) values (${version}, ${name}, ${oldestBeside(migrations)}, ${JSON.stringify(steps)}, ${`${software.name} ${software.version}`})`
    : sql`insert into ${table} (version, name) values (${version}, ${name})`;
};

const stepStatements = (engine: SqlEngine, prefix: string, step: Step): readonly Sql[] => {
  switch (step.do) {
    case 'found':
      return createSharedTables(engine, prefix);
    case 'recordSteps':
      return recordSteps(engine, prefix);
    case 'addKind': {
      const { kind, columns, sets } = step.kind;
      return [
        ...addRows(engine, prefix, kind, columns),
        ...columns.flatMap((column) => addIndex(engine, prefix, kind, column)),
        ...sets.flatMap((set) => addSet(engine, prefix, kind, set)),
      ];
    }
    case 'dropKind': {
      const { rows, documents, set } = namesOf(prefix, step.kind.kind);
      return [...step.kind.sets.map(set), rows, documents].map((table) => dropTable(engine, table));
    }
    case 'addColumn':
      return addColumn(engine, prefix, step.kind, step.column);
    case 'dropColumn':
      return dropColumn(engine, prefix, step.kind, step.column);
    case 'addSet':
      return [...addSet(engine, prefix, step.kind, step.set), fillSet(engine, prefix, step.kind, step.set)];
    case 'dropSet':
      return [dropTable(engine, namesOf(prefix, step.kind).set(step.set))];
    case 'retireKind':
    case 'retireColumn':
    case 'retireSet':
      return [];
  }
};

const createSharedTables = (engine: SqlEngine, prefix: string): readonly Sql[] => {
  const { state, migrations } = sharedNames(prefix);
  const { key, string, integer } = typesOf(engine);
  return [
    sql`create table ${qualified(engine, state)} (ns ${key} not null, name ${key} not null, value ${integer} not null, primary key (ns, name))${options(engine)}`,
    sql`create table ${qualified(engine, migrations)} (version ${integer} primary key, name ${string} not null, applied_at ${string} not null default (${engine.currentTime}))`,
  ];
};

/** The new column `oldest` is the oldest schema version whose release keeps working alongside the release of the migration. */
const recordSteps = (engine: SqlEngine, prefix: string): readonly Sql[] => {
  const table = qualified(engine, sharedNames(prefix).migrations);
  const { string, integer, document } = typesOf(engine);
  return [sql`oldest ${integer}`, sql`steps ${document}`, sql`software ${string}`].map((column) => sql`alter table ${table} add ${column}`);
};

const addRows = (engine: SqlEngine, prefix: string, kind: string, columns: readonly ColumnSchema[]): readonly Sql[] => {
  const names = namesOf(prefix, kind);
  const { key, date, number, reference, document, documentKey } = typesOf(engine);
  const definitions = columns.map((column) => sql`, ${identifier(engine, ownColumnName(column.name))} ${typeOf(engine, column)}`);
  return [
    sql`create table ${qualified(engine, names.documents)} (id ${documentKey}, document ${document} not null${raw(engine.documents?.columns ?? '')})`,
    sql`create table ${qualified(engine, names.rows)} (ns ${key} not null, id ${key} not null, document ${reference} not null, version ${number} not null, created_at ${date} not null, updated_at ${date} not null${joined(definitions, '')}, primary key (ns, id))${options(engine)}`,
    ...statisticsOf(engine, rowStatistics(prefix, kind)),
  ];
};

const addIndex = (engine: SqlEngine, prefix: string, kind: string, column: ColumnSchema): readonly Sql[] => {
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

const addSet = (engine: SqlEngine, prefix: string, kind: string, field: string): readonly Sql[] => {
  const names = namesOf(prefix, kind);
  const table = qualified(engine, names.set(field));
  const { key } = typesOf(engine);
  return [
    sql`create table ${table} (ns ${key} not null, value ${key} not null, id ${key} not null, primary key (ns, value, id))${options(engine)}`,
    sql`create index ${identifier(engine, names.reverse(field))} on ${table} (ns, id, value)`,
    ...statisticsOf(engine, setStatistics(prefix, kind, field)),
  ];
};

const addColumn = (engine: SqlEngine, prefix: string, kind: string, column: ColumnSchema): readonly Sql[] => {
  const { rows, documents } = namesOf(prefix, kind);
  const [table, quotedName] = [qualified(engine, rows), identifier(engine, ownColumnName(column.name))];
  const value = engine.jsonValue(queriedDocument(engine), [column.name], JSON_TYPE[column.type]);
  return [
    sql`alter table ${table} add ${quotedName} ${typeOf(engine, column)}`,
    sql`update ${table} set ${quotedName} = (select ${value} from ${qualified(engine, documents)} as d where d.id = ${table}.document)`,
    ...addIndex(engine, prefix, kind, column),
  ];
};

const dropColumn = (engine: SqlEngine, prefix: string, kind: string, { name, index }: ColumnSchema): readonly Sql[] => {
  const names = namesOf(prefix, kind);
  const [table, target] = [qualified(engine, names.rows), qualified(engine, names.index(name))];
  const dropIndex = index === false ? [] : [engine.dropIndex?.(target, table) ?? sql`drop index ${target}`];
  return [...dropIndex, sql`alter table ${table} drop column ${identifier(engine, ownColumnName(name))}`];
};

const dropTable = (engine: SqlEngine, table: string): Sql => sql`drop table ${qualified(engine, table)}`;

const fillSet = (engine: SqlEngine, prefix: string, kind: string, field: string): Sql => {
  const { rows, documents, set } = namesOf(prefix, kind);
  const from = sql`${qualified(engine, rows)} as t join ${qualified(engine, documents)} as d on d.id = t.document`;
  const elements = engine.jsonElementsAt(queriedDocument(engine), [field]);
  return sql`insert into ${qualified(engine, set(field))} (ns, value, id) select distinct t.ns, e.value, t.id from ${from} ${elements} where e.value is not null`;
};

const JSON_TYPE: Readonly<Record<ColumnSchema['type'], JsonType>> = {
  string: 'text',
  date: 'text',
  number: 'number',
  boolean: 'boolean',
};

/** Indexed text has the type `key`, because some databases limit its length. */
const typeOf = ({ types }: SqlEngine, { type, index }: ColumnSchema): Sql =>
  raw(types[type === 'string' && index !== false ? 'key' : type]);

const typesOf = ({ types }: SqlEngine): Readonly<Record<keyof ColumnTypes, Sql>> => ({
  key: raw(types.key),
  string: raw(types.string),
  date: raw(types.date),
  number: raw(types.number),
  boolean: raw(types.boolean),
  integer: raw(types.integer),
  document: raw(types.document),
  documentKey: raw(types.documentKey),
  reference: raw(types.reference),
});

const queriedDocument = ({ documents }: SqlEngine): Sql => sql`d.${documents?.queried ?? raw('document')}`;

const options = ({ tableOptions }: SqlEngine): Sql => raw(tableOptions ?? '');

const loadStatistics = ({ statistics }: SqlEngine): readonly Sql[] => (statistics ? [statistics.load] : []);
