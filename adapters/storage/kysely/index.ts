/**
 * Stores in SQL: SQLite, PostgreSQL, and a Kysely instance of the host.
 * @module overlay-controller/storage/kysely
 */
export type { KyselyInstance, KyselyLike } from './kysely.ts';
export type { Migration, Step } from './migration.ts';
export { nextMigration, schemaAfter } from './migration.ts';
export { migrations } from './migrations/index.ts';
export type { PgPool } from './postgres/driver.ts';
export { type PostgresStorage, type PostgresStorageOptions, postgresStorage } from './postgres/storage.ts';
export { sqliteFunctions } from './sqlite/functions.ts';
export { type SqliteStorage, type SqliteStorageOptions, sqliteStorage } from './sqlite/storage.ts';
export { exportMigrations, type KyselyStorage, type KyselyStorageOptions, kyselyStorage, type StoreOptions } from './storage.ts';
