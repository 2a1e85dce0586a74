import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect, sql } from 'kysely';
import {
  kyselyStorage,
  nextMigration,
  type SqliteStorageOptions,
  sqlite,
  sqliteFunctions,
  sqliteStorage,
} from '../../adapters/storage/kysely/index.ts';
import type { StorageSchema } from '../../src/store/storage/port.ts';
import { statement } from '../adapters/kysely/own-engine.ts';
import { filterSuite } from './filter.suite.ts';
import { pastSuite } from './past.suite.ts';
import { type StorageUnderTest, storageSuite } from './storage.suite.ts';

const optionsFor = (schema: StorageSchema): Pick<SqliteStorageOptions, 'migrate' | 'migrations'> => {
  const first = nextMigration([], schema, 'first');
  return { migrate: true, migrations: first ? [first] : [] };
};

const named = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace });

const run = async (db: Kysely<unknown>, statement: string) => void (await sql.raw(statement).execute(db));

/** Every adapter has connections of its own, as if it were in another process. */
const file: StorageUnderTest = {
  name: 'SQLite file',
  async open(schema) {
    const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
    const options = { ...optionsFor(schema), synchronous: 'NORMAL', file: join(folder, 'controller.db') } as const;
    const host = sqliteStorage(options);
    return {
      adapter: (namespace) => sqliteStorage({ ...options, ...named(namespace) }),
      hostTransaction: (work) => host.db.transaction().execute(work),
      tamper: (statement) => run(host.db, statement),
      async [Symbol.asyncDispose]() {
        await host.db.destroy();
        await rm(folder, { recursive: true });
      },
    };
  },
};

const inMemory: StorageUnderTest = {
  name: 'SQLite in memory',
  async open(schema) {
    const storage = sqliteStorage({ ...optionsFor(schema), file: ':memory:' });
    return {
      adapter: (namespace = 'default') => storage.within(namespace),
      hostTransaction: (work) => storage.db.transaction().execute(work),
      tamper: (statement) => run(storage.db, statement),
      [Symbol.asyncDispose]: () => storage.db.destroy(),
    };
  },
};

/** The host's Kysely, here with Kysely's own dialect and a driver of another interface. */
const hostsKysely: StorageUnderTest = {
  name: "SQLite through the host's Kysely",
  async open(schema) {
    const database = new DatabaseSync(':memory:');
    for (const [name, run] of Object.entries(sqliteFunctions)) database.function(name, { deterministic: true }, run);
    const db = new Kysely<unknown>({
      dialect: new SqliteDialect({ database: { close: () => database.close(), prepare: (sql) => statement(database.prepare(sql)) } }),
    });
    return {
      adapter: (namespace) => kyselyStorage({ ...optionsFor(schema), db, engine: sqlite, ...named(namespace) }),
      hostTransaction: (work) => db.transaction().execute(work),
      tamper: (statement) => run(db, statement),
      [Symbol.asyncDispose]: () => db.destroy(),
    };
  },
};

for (const store of [file, inMemory, hostsKysely]) {
  storageSuite(store);
  filterSuite(store);
}
pastSuite(inMemory);
