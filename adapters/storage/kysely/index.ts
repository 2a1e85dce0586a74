/**
 * Stores in SQL databases: SQLite, PostgreSQL, any Kysely instance of the host, and the interface for other SQL engines.
 * @module overlay-controller/storage/kysely
 */
export type { SqlEngine } from './engine/index.ts';
export type { JsonType, Page, Path, SqlQueries } from './engine/queries.ts';
export type { SqlSyntax } from './engine/syntax.ts';
export type { ColumnTypes, Requirement, SqlTables, Statistics } from './engine/tables.ts';
export type { Cancellation, Failure, Limits, SharedTables, SqlTransactions } from './engine/transactions.ts';
export type { SqlWrites, StateChange, StateRow } from './engine/writes.ts';
export type { HostStatement, HostTransactions } from './host-transactions.ts';
export type {
  KyselyCommand,
  KyselyConnection,
  KyselyControlledTransaction,
  KyselyInstance,
  KyselyLike,
  KyselyTransactionBuilder,
} from './kysely.ts';
export type { Migration, Step } from './migration.ts';
export { nextContraction, nextMigration, schemaAfter } from './migration.ts';
export { migrations } from './migrations/index.ts';
export type { AppliedMigration, MigrationPlan, PendingMigration } from './plan.ts';
export type { PgPool } from './postgres/driver.ts';
export { postgres, postgresIn } from './postgres/engine.ts';
export { type PostgresStorage, type PostgresStorageOptions, postgresStorage } from './postgres/storage.ts';
export type { Result, ResultRow } from './result.ts';
export { joined, raw, type Sql, sql, type Value } from './sql.ts';
export { sqlite, sqliteFunctions } from './sqlite/engine.ts';
export { type SqliteStorage, type SqliteStorageOptions, sqliteStorage } from './sqlite/storage.ts';
export {
  type ExportOptions,
  exportMigrations,
  type KyselyStorage,
  type KyselyStorageOptions,
  kyselyStorage,
  type StoreOptions,
} from './storage.ts';
