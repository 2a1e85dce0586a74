/** Migrations as the statements of an engine. */
import type { ColumnSchema } from '../../../src/adapter-kit.ts';
import type { DocumentType, Engine } from './engine.ts';
import { ofIndex, ofRows, ofSet, saying } from './expectations.ts';
import { namesOf, ownColumnName, sharedNames } from './layout.ts';
import type { Migration, Step } from './migration.ts';
import { name, raw, type Sql, sql } from './sql.ts';

/** The statements of a migration; the last one records it. */
export const statementsOf = (engine: Engine, prefix: string, migration: Migration): readonly Sql[] => [
  ...loadExpectations(engine),
  ...migration.steps.flatMap((step) => stepStatements(engine, prefix, step)),
  ...loadExpectations(engine),
  sql`insert into ${name(sharedNames(prefix).migrations)} (version, name) values (${migration.version}, ${migration.name})`,
];

const stepStatements = (engine: Engine, prefix: string, step: Step): readonly Sql[] => {
  switch (step.do) {
    case 'found':
      return found(engine, prefix);
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
      return [...step.kind.sets.map(set), rows, documents].map((table) => sql`drop table ${name(table)}`);
    }
    case 'addColumn':
      return addColumn(engine, prefix, step.kind, step.column);
    case 'dropColumn': {
      const { rows, index } = namesOf(prefix, step.kind);
      const column = sql`alter table ${name(rows)} drop column ${name(ownColumnName(step.column.name))}`;
      return step.column.index === false ? [column] : [sql`drop index ${name(index(step.column.name))}`, column];
    }
    case 'addSet':
      return [...addSet(engine, prefix, step.kind, step.set), fillSet(engine, prefix, step.kind, step.set)];
    case 'dropSet':
      return [sql`drop table ${name(namesOf(prefix, step.kind).set(step.set))}`];
  }
};

const found = ({ types, keyedTable }: Engine, prefix: string): readonly Sql[] => {
  const { state, migrations } = sharedNames(prefix);
  const [text, integer] = [raw(types.string), raw(types.integer)];
  return [
    sql`create table ${name(state)} (ns ${text} not null, name ${text} not null, value ${integer} not null, primary key (ns, name))${raw(keyedTable)}`,
    sql`create table ${name(migrations)} (version ${integer} primary key, name ${text} not null, applied_at ${text} not null default (cast(current_timestamp as text)))`,
  ];
};

const addRows = (engine: Engine, prefix: string, kind: string, columns: readonly ColumnSchema[]): readonly Sql[] => {
  const { types, keyedTable } = engine;
  const { rows, documents } = namesOf(prefix, kind);
  const [text, number] = [raw(types.string), raw(types.number)];
  const own = columns.map((column) => `, ${name(ownColumnName(column.name)).text} ${types[column.type]}`).join('');
  return [
    sql`create table ${name(documents)} (id ${raw(types.documentKey)}, document ${raw(types.document)} not null${raw(engine.documents?.columns ?? '')})`,
    sql`create table ${name(rows)} (ns ${text} not null, id ${text} not null, document ${raw(types.reference)} not null, version ${number} not null, created_at ${text} not null, updated_at ${text} not null${raw(own)}, primary key (ns, id))${raw(keyedTable)}`,
    ...saying(engine, ofRows(prefix, kind)),
  ];
};

const addIndex = (engine: Engine, prefix: string, kind: string, column: ColumnSchema): readonly Sql[] => {
  const { name: field, index } = column;
  if (index === false) return [];
  const names = namesOf(prefix, kind);
  const own = name(ownColumnName(field));
  const target = sql`index ${name(names.index(field))} on ${name(names.rows)}`;
  const made =
    index === 'unique'
      ? sql`create unique ${target} (ns, ${own}${engine.nulls.ascending})`
      : sql`create ${target} (ns, ${own}${engine.nulls.ascending}, id)`;
  return [made, ...saying(engine, ofIndex(prefix, kind, column))];
};

const addSet = (engine: Engine, prefix: string, kind: string, field: string): readonly Sql[] => {
  const { types, keyedTable } = engine;
  const names = namesOf(prefix, kind);
  const table = names.set(field);
  const text = raw(types.string);
  return [
    sql`create table ${name(table)} (ns ${text} not null, value ${text} not null, id ${text} not null, primary key (ns, value, id))${raw(keyedTable)}`,
    sql`create index ${name(names.reverse(field))} on ${name(table)} (ns, id, value)`,
    ...saying(engine, ofSet(prefix, kind, field)),
  ];
};

const loadExpectations = ({ expectations }: Engine): readonly Sql[] => (expectations ? [expectations.load] : []);

const DOCUMENT_TYPE: Readonly<Record<ColumnSchema['type'], DocumentType>> = {
  string: 'text',
  date: 'text',
  number: 'number',
  boolean: 'boolean',
};

const addColumn = (engine: Engine, prefix: string, kind: string, column: ColumnSchema): readonly Sql[] => {
  const { rows, documents } = namesOf(prefix, kind);
  const [table, own] = [name(rows), name(ownColumnName(column.name))];
  const value = engine.at(asked(engine), [column.name], DOCUMENT_TYPE[column.type]);
  return [
    sql`alter table ${table} add column ${own} ${raw(engine.types[column.type])}`,
    sql`update ${table} set ${own} = (select ${value} from ${name(documents)} as d where d.id = ${table}.document)`,
    ...addIndex(engine, prefix, kind, column),
  ];
};

const asked = ({ documents }: Engine): Sql => sql`d.${documents?.asked ?? raw('document')}`;

const fillSet = (engine: Engine, prefix: string, kind: string, field: string): Sql => {
  const { rows, documents, set } = namesOf(prefix, kind);
  const elements = engine.elementsAt(asked(engine), [field]);
  return sql`insert into ${name(set(field))} (ns, value, id) select distinct t.ns, e.value, t.id from ${name(rows)} as t join ${name(documents)} as d on d.id = t.document cross join ${elements} where e.value is not null`;
};
