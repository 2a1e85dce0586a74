import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { kyselyStorage, postgres } from '../../../adapters/storage/kysely/index.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { idsOfNotes, withClient } from './postgres-support.ts';
import { migrationsThrough, note, noteSchema } from './support.ts';

/** Statements of others at this place that wait for a lock. */
const waiting = (connectionString: string): Promise<number> =>
  withClient(connectionString, async (client) => {
    const { rows } = await client.query(
      "select count(*)::int as count from pg_stat_activity where application_name = current_setting('application_name') and wait_event_type = 'Lock'",
    );
    return rows[0].count;
  });

describe("PostgreSQL statements through the host's Kysely", needsPostgres, () => {
  test('a statement is stopped when the call is given up, and its connection stays usable', async () => {
    await using place = await newSchema();
    const pool = new pg.Pool({ ...place, max: 3 });
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    const storage = kyselyStorage({
      db,
      engine: postgres,
      migrate: true,
      migrations: migrationsThrough(noteSchema),
      lockTimeout: 60_000,
      statementTimeout: 60_000,
    });
    const store = await storage.open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    const given = new AbortController();
    await withClient(place.connectionString, async (holder) => {
      await holder.query('begin; select * from overlay_controller_state for update');
      const writing = store.transaction('write', (tx) => tx.insert('note', note('b')), given);
      await until(async () => (await waiting(place.connectionString)) === 1);
      given.abort(new RangeError('given up'));
      // The lock is still held.
      await assert.rejects(writing, RangeError);
      assert.equal(await waiting(place.connectionString), 0);
      await holder.query('rollback');
    });
    await store.transaction('write', (tx) => tx.insert('note', note('c')), { signal: new AbortController().signal });
    assert.deepEqual(await idsOfNotes(store), ['a', 'c']);
    await db.destroy();
  });
});
