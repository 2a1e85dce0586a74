/** Databases whose host has libraries of its own, in whose transactions the stores work. */
import { createClient } from '@libsql/client';
import { drizzle as drizzleOnLibsql } from 'drizzle-orm/libsql';
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import newPostgresJs from 'postgres';
import { drizzleTransactions } from '../../../adapters/storage/drizzle.ts';
import { nextMigration, postgresStorage, type StoreOptions, sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { prismaTransactions } from '../../../adapters/storage/prisma.ts';
import type { StorageUnderTest, TestDatabase } from '../../conformance/storage.suite.ts';
import { newSchema } from '../../support/postgres.ts';
import { prismaOnPostgres, prismaOnSqlite } from '../../support/prisma.ts';
import { folder } from './support.ts';

interface Library extends AsyncDisposable {
  readonly hostTransactions: NonNullable<StoreOptions['hostTransactions']>;
  readonly hostTransaction: TestDatabase['hostTransaction'];
}
/** @param place the file, or the connection string */
type Connect = (place: string) => Library;

/** One after another: these drivers do not wait for a lock of their own. */
const withPermit = (hostTransaction: TestDatabase['hostTransaction']): TestDatabase['hostTransaction'] => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(() => hostTransaction(work));
    last = done.catch(() => undefined);
    return done;
  };
};

const withLibsql: Connect = (file) => {
  const client = createClient({ url: `file:${file}` });
  const db = drizzleOnLibsql(client);
  return {
    hostTransactions: drizzleTransactions,
    hostTransaction: withPermit((work) => db.transaction(work, { behavior: 'immediate' })),
    [Symbol.asyncDispose]: async () => client.close(),
  };
};

const withPg: Connect = (connectionString) => {
  const pool = new pg.Pool({ connectionString });
  const db = drizzleOnPg(pool);
  return {
    hostTransactions: drizzleTransactions,
    hostTransaction: (work) => db.transaction(work),
    [Symbol.asyncDispose]: () => pool.end(),
  };
};

/** It takes no `options` in a connection string. */
const withPostgresJs: Connect = (connectionString) => {
  const url = new URL(connectionString);
  const search_path = url.searchParams.get('options')?.replace('-c search_path=', '') ?? '';
  url.search = '';
  const client = newPostgresJs(url.href, { connection: { search_path }, onnotice: () => undefined });
  const db = drizzleOnPostgresJs(client);
  return {
    hostTransactions: drizzleTransactions,
    hostTransaction: (work) => db.transaction(work),
    [Symbol.asyncDispose]: () => client.end(),
  };
};

/** Machines may be busy. ms */
const PATIENT = { timeout: 60_000, maxWait: 60_000 };

const withPrisma =
  (connect: typeof prismaOnSqlite, turns: typeof withPermit = (unchanged) => unchanged): Connect =>
  (place) => {
    const prisma = connect(place);
    return {
      hostTransactions: prismaTransactions,
      hostTransaction: turns((work) => prisma.$transaction(work, PATIENT)),
      [Symbol.asyncDispose]: () => prisma.$disconnect(),
    };
  };

type Open = StorageUnderTest['open'];
type Kinds = Parameters<Open>[0];

const optionsFor = (kinds: Kinds, { hostTransactions }: Library, namespace: string | undefined) => {
  const first = nextMigration([], kinds, 'first');
  return { migrate: true, migrations: first ? [first] : [], hostTransactions, ...(namespace === undefined ? {} : { namespace }) };
};

const onSqlite =
  (connect: Connect): Open =>
  async (kinds) => {
    const place = await folder();
    const library = connect(place.file);
    return {
      adapter: (namespace) => sqliteStorage({ ...optionsFor(kinds, library, namespace), file: place.file, synchronous: 'NORMAL' }),
      hostTransaction: library.hostTransaction,
      async [Symbol.asyncDispose]() {
        await library[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  };

const onPostgres =
  (connect: Connect): Open =>
  async (kinds) => {
    const place = await newSchema();
    const { connectionString } = place;
    const library = connect(connectionString);
    return {
      adapter: (namespace) => postgresStorage({ ...optionsFor(kinds, library, namespace), connectionString }),
      hostTransaction: library.hostTransaction,
      async [Symbol.asyncDispose]() {
        await library[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  };

export const librariesOnSqlite: readonly StorageUnderTest[] = [
  { name: 'SQLite in transactions of Drizzle, through libsql', open: onSqlite(withLibsql) },
  { name: 'SQLite in transactions of Prisma, through libsql', open: onSqlite(withPrisma(prismaOnSqlite, withPermit)) },
];

export const librariesOnPostgres: readonly StorageUnderTest[] = [
  { name: 'PostgreSQL in transactions of Drizzle, through pg', open: onPostgres(withPg) },
  { name: 'PostgreSQL in transactions of Drizzle, through postgres', open: onPostgres(withPostgresJs) },
  { name: 'PostgreSQL in transactions of Prisma', open: onPostgres(withPrisma(prismaOnPostgres)) },
];
