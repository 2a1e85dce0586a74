import { describe } from 'node:test';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { kyselyStorage, nextMigration, postgres, postgresStorage, type StoreOptions } from '../../adapters/storage/kysely/index.ts';
import type { StorageSchema } from '../../src/store/storage/port.ts';
import { execute, needsPostgres, newSchema } from '../support/postgres.ts';
import { filterSuite } from './filter.suite.ts';
import { pastSuite } from './past.suite.ts';
import { ofConnections, type StorageUnderTest, storageSuite } from './storage.suite.ts';

const optionsFor = (schema: StorageSchema): StoreOptions & { readonly migrate: true } => {
  const first = nextMigration([], schema, 'first');
  // Tables that were filled a moment ago have no statistics yet, so that the planner guesses badly: what is asked here is whether answers
  // are right.
  return { migrate: true, migrations: first ? [first] : [], statementTimeout: 120_000 };
};

const named = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace });

/** Every adapter has connections of its own, as if it were in another process. */
const ownPool: StorageUnderTest = {
  name: 'PostgreSQL',
  async open(schema) {
    const place = await newSchema();
    const { connectionString } = place;
    const options = { ...optionsFor(schema), connectionString };
    const host = postgresStorage(options);
    return {
      adapter: (namespace) => postgresStorage({ ...options, ...named(namespace) }),
      hostTransaction: (work) => host.db.transaction().execute(work),
      tamper: (statement) => execute(statement, connectionString),
      async [Symbol.asyncDispose]() {
        await host.db.destroy();
        await place[Symbol.asyncDispose]();
      },
    };
  },
};

/** A pool of the host, whose transactions are statements on a client of it. */
const hostsPool: StorageUnderTest = {
  name: "PostgreSQL through the host's pool",
  async open(schema) {
    const place = await newSchema();
    const { connectionString } = place;
    const pool = new pg.Pool({ connectionString });
    const storage = postgresStorage({ ...optionsFor(schema), pool });
    return {
      adapter: (namespace = 'default') => storage.within(namespace),
      async hostTransaction(work) {
        const client = await pool.connect();
        await client.query('begin');
        try {
          await work(client);
          await client.query('commit');
        } catch (error) {
          await client.query('rollback');
          throw error;
        } finally {
          client.release();
        }
      },
      tamper: (statement) => execute(statement, connectionString),
      async [Symbol.asyncDispose]() {
        await pool.end();
        await place[Symbol.asyncDispose]();
      },
    };
  },
};

const hostsKysely: StorageUnderTest = {
  name: "PostgreSQL through the host's Kysely",
  async open(schema) {
    const place = await newSchema();
    const { connectionString } = place;
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString }) }) });
    return {
      adapter: (namespace) => kyselyStorage({ ...optionsFor(schema), db, engine: postgres, ...named(namespace) }),
      hostTransaction: (work) => db.transaction().execute(work),
      tamper: (statement) => execute(statement, connectionString),
      async [Symbol.asyncDispose]() {
        await db.destroy();
        await place[Symbol.asyncDispose]();
      },
    };
  },
};

describe('conformance of PostgreSQL', needsPostgres, () => {
  storageSuite(ownPool);
  pastSuite(ownPool);
  filterSuite(ownPool);
  for (const store of [hostsPool, hostsKysely]) storageSuite(store, ofConnections);
});
