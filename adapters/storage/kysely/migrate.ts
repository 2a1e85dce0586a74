/** Migrates a database, or exports the SQL for other tools. */
import { StorageError } from '../../../src/adapter-kit.ts';
import { type Connection, run } from './connection.ts';
import { statementsOf } from './ddl.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Limits, SharedTables } from './engine/transactions.ts';
import { sharedNames } from './layout.ts';
import type { Migration } from './migration.ts';
import { type SchemaOptions, versionIn } from './recorded.ts';
import { inlineLiterals, qualified } from './render.ts';
import { unmetRequirements } from './requirements.ts';
import { raw, type Sql } from './sql.ts';

/** True if the database is up to date. */
export const isMigrated = async (options: SchemaOptions, connection: Connection): Promise<boolean> =>
  (await versionIn(options, connection)) >= options.migrations.length && (await unmetRequirements(options.engine, connection)).length === 0;

/** Runs the pending migrations. The connection must be in a write transaction. */
export const migrateDatabase = async (options: SchemaOptions, connection: Connection, limits: Limits): Promise<void> => {
  const { engine, prefix } = options;
  if (engine.lockMigrations) await run(engine, connection, engine.lockMigrations(prefix, limits));
  const unlock = async () => {
    for (const statement of engine.unlockMigrations?.(prefix) ?? []) await run(engine, connection, statement);
  };
  await migrateLocked(options, connection).catch(async (error: unknown) => {
    await unlock().catch(() => undefined);
    throw error;
  });
  await unlock();
};

const migrateLocked = async (options: SchemaOptions, connection: Connection): Promise<void> => {
  const { engine } = options;
  const version = await versionIn(options, connection);
  for (const statement of lockOutStatements(options, version)) await run(engine, connection, statement);
  for (const { advice, create } of await unmetRequirements(engine, connection)) {
    if (!create) throw new StorageError(advice);
    await run(engine, connection, create());
  }
  for (const chain of chainsAfter(options.migrations, version)) {
    // Some engines cannot bind values in DDL, so the values of a migration become literals.
    for (const statement of statementsOf(options, chain)) await run(engine, connection, raw(inlineLiterals(engine, statement)));
  }
};

/**
 * The migrations after a version as one SQL text, for other migration tools. The SQL also records the migrations, so that `open` does not
 * run them again.
 * @param requirements statements that fulfil the requirements of the engine, which come before the migrations
 */
export const exportedSql = (options: SchemaOptions, from: number, requirements: readonly Sql[]): string => {
  const { engine, migrations } = options;
  const textOf = (statements: readonly Sql[]) => statements.map((statement) => `${inlineLiterals(engine, statement)};`).join('\n');
  return [
    ...[...lockOutStatements(options, from), ...requirements].map((statement) => textOf([statement])),
    ...chainsAfter(migrations, from).map((chain) => `-- ${chain.length}: ${chain.at(-1)?.name}\n${textOf(statementsOf(options, chain))}`),
  ]
    .join('\n\n')
    .concat('\n');
};

/** The statements for those requirements that a statement can fulfil. */
export const fulfillingStatements = (requirements: SqlEngine['requirements']): readonly Sql[] =>
  requirements.flatMap(({ create }) => (create ? [create()] : []));

/**
 * The statements that lock out the writers of an older release until the migration is committed. A database without tables has no writers.
 */
const lockOutStatements = ({ engine, prefix, migrations }: SchemaOptions, version: number): readonly Sql[] => {
  if (version === 0 || version >= migrations.length || !engine.lockOut) return [];
  const names = sharedNames(prefix);
  const tables: SharedTables = { state: qualified(engine, names.state), migrations: qualified(engine, names.migrations) };
  return [engine.lockOut(tables)];
};

/** For each migration after a version: all migrations up to and including it. */
const chainsAfter = (migrations: readonly Migration[], version: number): readonly (readonly Migration[])[] =>
  migrations.slice(version).map((migration) => migrations.slice(0, migration.version));
