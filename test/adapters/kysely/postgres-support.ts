/** Notes in a PostgreSQL database. */
import pg from 'pg';
import { type PostgresStorageOptions, postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import type { Store } from '../../../src/store/storage/port.ts';
import { migrationsThrough, noteSchema } from './support.ts';

export const pgNotes = (options: PostgresStorageOptions) => postgresStorage({ migrations: migrationsThrough(noteSchema), ...options });

export const idsOfNotes = (store: Store) =>
  store.transaction('read', async (tx) => (await tx.list('note', { where: { op: 'all' } })).map((row) => row.id));

/** Runs `work` with a client that stands beside the stores. */
export const withClient = async <T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Ends the other connections to this place, as an administrator or a fail-over would, and waits until the server has. */
export const endConnections = (connectionString: string) =>
  withClient(connectionString, (client) =>
    client.query(
      "select pg_terminate_backend(pid, 30000) from pg_stat_activity where application_name = current_setting('application_name') and pid <> pg_backend_pid()",
    ),
  );
