/** Databases that several processes reach, of every engine. */
import { DatabaseSync } from 'node:sqlite';
import {
  type PostgresStorage,
  postgresStorage,
  type SqliteStorage,
  type StoreOptions,
  sqliteStorage,
} from '../../../adapters/storage/kysely/index.ts';
import { execute, newSchema, postgresUrl } from '../../support/postgres.ts';
import { folder } from './support.ts';

export interface Place extends AsyncDisposable {
  /** As another process would reach it. */
  storage(options?: StoreOptions): SqliteStorage | PostgresStorage;
  /** Runs SQL in one transaction, as an administrator of the database does. */
  execute(statements: string): Promise<void>;
}

const sqlitePlace = async (): Promise<Place> => {
  const { file, [Symbol.asyncDispose]: dispose } = await folder();
  return {
    storage: (options = {}) => sqliteStorage({ file, synchronous: 'NORMAL', ...options }),
    execute: async (statements) => {
      const database = new DatabaseSync(file);
      database.exec(`begin immediate;\n${statements}\ncommit;`);
      database.close();
    },
    [Symbol.asyncDispose]: dispose,
  };
};

const postgresPlace = async (): Promise<Place> => {
  const { connectionString, [Symbol.asyncDispose]: dispose } = await newSchema();
  return {
    storage: (options = {}) => postgresStorage({ connectionString, ...options }),
    execute: (statements) => execute(`begin;\n${statements}\ncommit;`, connectionString),
    [Symbol.asyncDispose]: dispose,
  };
};

export const places: readonly {
  readonly engine: 'sqlite' | 'postgres';
  readonly newPlace: () => Promise<Place>;
  readonly skip: string | false;
}[] = [
  { engine: 'sqlite', newPlace: sqlitePlace, skip: false },
  {
    engine: 'postgres',
    newPlace: postgresPlace,
    skip: postgresUrl ? false : 'POSTGRES_URL is not set: run it through scripts/postgres.ts',
  },
];
