/** Schemas of their own in the PostgreSQL database that `POSTGRES_URL` names (`npm run postgres` runs a server for it). */
import { randomUUID } from 'node:crypto';
import pg from 'pg';

export const postgresUrl = process.env.POSTGRES_URL;

/** For `test` and `describe`. */
export const needsPostgres = { skip: postgresUrl ? false : 'POSTGRES_URL is not set: run it through scripts/postgres.ts' };

/** For tests that would do the same again where there is a server. */
export const withoutPostgres = { skip: postgresUrl ? 'it runs where POSTGRES_URL is not set' : false };

/** A connection string in which names without a schema mean this one, and connections are known by it. */
export const inSchema = (schema: string, url = requiredUrl()): string => {
  const address = new URL(url);
  address.searchParams.set('options', `-c search_path=${schema}`);
  address.searchParams.set('application_name', schema);
  return address.href;
};

export interface TestSchema extends AsyncDisposable {
  readonly connectionString: string;
}

export const newSchema = async (): Promise<TestSchema> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await execute(`create schema ${name}`);
  return {
    connectionString: inSchema(name),
    [Symbol.asyncDispose]: () => execute(`set client_min_messages = warning; drop schema ${name} cascade`),
  };
};

/** Runs statements on a connection of their own. */
export const execute = async (sql: string, connectionString = requiredUrl()): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql).finally(() => client.end());
};

const requiredUrl = (): string => {
  if (!postgresUrl) throw new TypeError('POSTGRES_URL is not set');
  return postgresUrl;
};
