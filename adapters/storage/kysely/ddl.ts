/** Compiles migrations to the statements of an engine. */
import { software } from '../../../src/adapter-kit.ts';
import { oldestBeside, recordsSteps } from './compatibility.ts';
import { namesOf, sharedNames } from './layout.ts';
import type { Migration, Step } from './migration.ts';
import { qualified } from './render.ts';
import { type Sql, sql } from './sql.ts';
import {
  addColumn,
  addIndex,
  addRows,
  addSet,
  createSharedTables,
  dropColumn,
  dropTable,
  fillSet,
  recordSteps,
  type Tables,
} from './table-ddl.ts';

/** The statements of the final migration in the list; its final statement records the migration. */
export const statementsOf = (tables: Tables, migrations: readonly Migration[]): readonly Sql[] => {
  const migration = migrations.at(-1);
  if (!migration) return [];
  return [
    // Also first: on SQLite, this creates the table of statistics, which the steps may use.
    ...loadStatistics(tables),
    ...migration.steps.flatMap((step) => stepStatements(tables, step)),
    ...loadStatistics(tables),
    recordMigration(tables, migrations, migration),
  ];
};

/** Records the migration, so that releases that lack it can decide whether they may still use the database. */
const recordMigration = (tables: Tables, migrations: readonly Migration[], { version, name, steps }: Migration): Sql => {
  const { engine, prefix } = tables;
  const table = qualified(engine, sharedNames(prefix).migrations);
  return recordsSteps(migrations)
    ? sql`insert into ${table} (version, name, oldest, steps, software) values (${version}, ${name}, ${oldestBeside(migrations)}, ${JSON.stringify(steps)}, ${`${software.name} ${software.version}`})`
    : sql`insert into ${table} (version, name) values (${version}, ${name})`;
};

const stepStatements = (tables: Tables, step: Step): readonly Sql[] => {
  switch (step.do) {
    case 'found':
      return createSharedTables(tables);
    case 'recordSteps':
      return recordSteps(tables);
    case 'addKind': {
      const { kind, columns, sets } = step.kind;
      return [
        ...addRows(tables, kind, columns),
        ...columns.flatMap((column) => addIndex(tables, kind, column)),
        ...sets.flatMap((set) => addSet(tables, kind, set)),
      ];
    }
    case 'dropKind': {
      const { rows, documents, set } = namesOf(tables.prefix, step.kind.kind);
      return [...step.kind.sets.map(set), rows, documents].map((table) => dropTable(tables, table));
    }
    case 'addColumn':
      return addColumn(tables, step.kind, step.column);
    case 'dropColumn':
      return dropColumn(tables, step.kind, step.column);
    case 'addSet':
      return [...addSet(tables, step.kind, step.set), fillSet(tables, step.kind, step.set)];
    case 'dropSet':
      return [dropTable(tables, namesOf(tables.prefix, step.kind).set(step.set))];
    case 'retireKind':
    case 'retireColumn':
    case 'retireSet':
      return [];
  }
};

const loadStatistics = ({ engine: { statistics } }: Tables): readonly Sql[] => (statistics ? [statistics.load] : []);
