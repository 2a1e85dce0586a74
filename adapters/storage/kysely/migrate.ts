/** Migrates a database to the schema, and checks its version. */
import { StorageError, type StorageSchema, StoreSchemaMismatch, StoreUnavailable } from '../../../src/adapter-kit.ts';
import { type Connection, run } from './connection.ts';
import { statementsOf } from './ddl.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Limits } from './engine/transactions.ts';
import { sharedNames } from './layout.ts';
import { kindsThatDiffer, type Migration, schemaAfter } from './migration.ts';
import { identifier, writtenOut } from './render.ts';
import type { Result } from './result.ts';
import { raw, type Sql, sql } from './sql.ts';

export interface SchemaOptions {
  readonly engine: SqlEngine;
  readonly prefix: string;
  readonly migrations: readonly Migration[];
}

/** The version check that begins every write, because a newer release may have migrated the database while this process runs. */
export interface Fence {
  readonly statement: Sql;
  /** @throws StoreSchemaMismatch if `result` has another version than this release */
  assertOurs(result: Result | undefined): void;
}

export const fenceOf = ({ engine, prefix, migrations }: SchemaOptions): Fence => ({
  statement: selectVersion(engine, prefix),
  assertOurs: (result) => {
    const version = Number(result?.rows[0]?.value);
    if (version !== migrations.length)
      throw new StoreSchemaMismatch(
        `the database has been migrated to schema version ${version} while this process, which knows version ${migrations.length}, was running: it writes no more; end it, and run the release that migrated the database`,
      );
  },
});

/** Whether all migrations have run and all requirements are met. */
export const isMigrated = async ({ engine, prefix, migrations }: SchemaOptions, connection: Connection): Promise<boolean> => {
  if ((await versionOf(engine, prefix, connection)) < migrations.length) return false;
  for (const { probe } of engine.requirements) if (!(await isMet(engine, connection, probe))) return false;
  return true;
};

/** Runs the migrations that the database lacks. The connection must be in a write transaction. */
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

const migrateLocked = async ({ engine, prefix, migrations }: SchemaOptions, connection: Connection): Promise<void> => {
  const version = await versionOf(engine, prefix, connection);
  const shared = sharedNames(prefix);
  const tables = { state: identifier(engine, shared.state), migrations: identifier(engine, shared.migrations) };
  if (version > 0 && version < migrations.length && engine.lockOut) await run(engine, connection, engine.lockOut(tables));
  for (const { probe, advice, create } of engine.requirements) {
    if (await isMet(engine, connection, probe)) continue;
    if (!create) throw new StorageError(advice);
    await run(engine, connection, create());
  }
  for (const migration of migrations.filter((migration) => migration.version > version)) {
    // Some engines bind no values in DDL, so the values of a migration are written as literals.
    for (const statement of statementsOf(engine, prefix, migration)) await run(engine, connection, raw(writtenOut(engine, statement)));
  }
};

/** @throws StorageError saying what to do if a requirement is not met */
export const assertRequirements = async (engine: SqlEngine, connection: Connection): Promise<void> => {
  for (const { probe, advice } of engine.requirements) {
    const isFine = await isMet(engine, connection, probe).catch((error: unknown) => {
      throw error instanceof StoreUnavailable ? error : new StorageError(advice, { cause: error });
    });
    if (!isFine) throw new StorageError(advice);
  }
};

const isMet = async (engine: SqlEngine, connection: Connection, probe: Sql): Promise<boolean> =>
  (await numberOf(engine, connection, probe)) !== 0;

/** @throws StoreSchemaMismatch if the database is older or newer than the migrations, or these do not add up to `schema` */
export const assertSchema = async (
  { engine, prefix, migrations }: SchemaOptions,
  connection: Connection,
  schema: StorageSchema,
): Promise<void> => {
  const differing = kindsThatDiffer(schemaAfter(migrations), schema);
  if (differing.length > 0)
    throw new StoreSchemaMismatch(
      `the migrations do not make the tables that ${differing.join(', ')} need: add the missing one with scripts/migration.ts`,
    );
  const [version, needed] = [await versionOf(engine, prefix, connection), migrations.length];
  if (version === 0 && needed > 0)
    throw new StoreSchemaMismatch(
      `the database has no tables yet, and version ${needed} is needed: call migrate(), or run the exported SQL`,
    );
  if (version < needed)
    throw new StoreSchemaMismatch(
      `the database has schema version ${version}, and version ${needed} is needed: call migrate(), or run the exported SQL of the versions between`,
    );
  if (version > needed)
    throw new StoreSchemaMismatch(
      `the database has schema version ${version}, and this release knows versions up to ${needed}: run the release that migrated it, or a newer one`,
    );
};

/** The migrations as one SQL text for other migration tools. It also records them, so that `open` accepts the database. */
export const exported = ({ engine, prefix, migrations }: SchemaOptions): string =>
  [
    ...engine.requirements.flatMap(({ create }) => (create ? [`${writtenOut(engine, create())};`] : [])),
    ...migrations.map((migration) =>
      [
        `-- ${migration.version}: ${migration.name}`,
        ...statementsOf(engine, prefix, migration).map((statement) => `${writtenOut(engine, statement)};`),
      ].join('\n'),
    ),
  ]
    .join('\n\n')
    .concat('\n');

const versionOf = async (engine: SqlEngine, prefix: string, connection: Connection): Promise<number> => {
  if ((await numberOf(engine, connection, engine.tableCount(sharedNames(prefix).migrations))) === 0) return 0;
  return numberOf(engine, connection, selectVersion(engine, prefix));
};

const selectVersion = (engine: SqlEngine, prefix: string): Sql =>
  sql`select coalesce(max(version), 0) as value from ${identifier(engine, sharedNames(prefix).migrations)}`;

const numberOf = async (engine: SqlEngine, connection: Connection, query: Sql): Promise<number> => {
  const { rows } = await run(engine, connection, query);
  return Number(rows[0]?.value);
};
