import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { startPostgres } from '../../../scripts/postgres.ts';
import { StorageError, StoreUnavailable } from '../../../src/store/storage/errors.ts';
import { ADMIN, openApp } from '../../support/app.ts';
import { execute, needsPostgres, newSchema } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { endConnections, idsOfNotes, pgNotes, withClient } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

describe('a PostgreSQL server that is away', needsPostgres, () => {
  test('calls are asked to come back, and are answered without a restart once the server is there again', async () => {
    await using server = await startPostgres();
    const storage = postgresStorage({ connectionString: server.url });
    const app = await openApp('postgres', { storage });
    const login = () => app.login(ADMIN.username, ADMIN.password);
    for (const how of ['fast', 'immediate'] as const) {
      server.stop(how);
      for (let call = 0; call < 3; call++) {
        const { status, headers, text } = await login();
        assert.equal(status, 503, text);
        assert.ok(Number(headers['retry-after']) > 0);
        assert.equal((await app.request('POST', '/config-types', { body: { name: how } })).status, 503);
      }
      server.start();
      assert.equal((await login()).status, 200);
      await app.create('/config-types', { name: how });
    }
    await app.close();
    server.stop();
    await assert.rejects(openApp('postgres', { storage }), StoreUnavailable);
    server.start();
    await (await openApp('postgres', { storage })).close();
  });

  test('a connection that is lost within a transaction takes its writes with it, and no other', async () => {
    await using place = await newSchema();
    const store = await pgNotes(place).open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    const lost = store.transaction('write', async (tx) => {
      await tx.insert('note', note('b'));
      await endConnections(place.connectionString);
      await assert.rejects(tx.get('note', 'a'), StoreUnavailable);
      await tx.insert('note', note('c'));
    });
    await assert.rejects(lost, StoreUnavailable);
    assert.deepEqual(await idsOfNotes(store), ['a']);
    await store.transaction('write', (tx) => tx.insert('note', note('d')));
    assert.deepEqual(await idsOfNotes(store), ['a', 'd']);
    await store.close();
  });

  test('connections that are lost while nobody uses them are replaced', async () => {
    await using place = await newSchema();
    const storage = pgNotes(place);
    const store = await storage.open(noteSchema);
    await Promise.all(Array.from({ length: 5 }, () => idsOfNotes(store)));
    await endConnections(place.connectionString);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(await Promise.all(Array.from({ length: 5 }, () => idsOfNotes(store))), [[], [], [], [], []]);
    await store.close();
  });

  test('a write whose standby is not waited for to the end is not acknowledged', async () => {
    await using server = await startPostgres();
    const store = await pgNotes({ connectionString: server.url }).open(noteSchema);
    await withClient(server.url, async (client) => {
      await client.query("alter system set synchronous_standby_names = 'away'");
      await client.query('select pg_reload_conf()');
      const waiting = "select pid from pg_stat_activity where wait_event = 'SyncRep'";
      const isSynchronous = async () => (await client.query('show synchronous_standby_names')).rows[0].synchronous_standby_names === 'away';
      await until(isSynchronous);
      const written = store.transaction('write', (tx) => tx.insert('note', note('a')));
      const refused = assert.rejects(written, (error) => error instanceof StoreUnavailable && /synchronous standby/.test(error.message));
      await until(async () => (await client.query(waiting)).rows.length > 0);
      await client.query(`select pg_cancel_backend(pid) from (${waiting}) as w`);
      await refused;
    });
    assert.deepEqual(await idsOfNotes(store), ['a'], 'it may be there nevertheless');
    await store.close();
  });

  test('more readers than connections wait for one, and no longer than was said', async () => {
    await using place = await newSchema();
    const store = await pgNotes({ ...place, connections: 1, connectTimeout: 1500 }).open(noteSchema);
    assert.equal((await Promise.all(Array.from({ length: 20 }, () => idsOfNotes(store)))).length, 20);
    await store.transaction('read', async () => assert.rejects(idsOfNotes(store), StoreUnavailable));
    assert.deepEqual(await idsOfNotes(store), []);
    await store.close();
  });

  test('a database that is not there, or cannot hold every text, is refused', async () => {
    await using place = await newSchema();
    const at = (database: string) => {
      const url = new URL(place.connectionString);
      url.pathname = `/${database}`;
      return pgNotes({ connectionString: url.href });
    };
    await assert.rejects(at('no_such_database').open(noteSchema), StoreUnavailable);
    await execute(`create database latin encoding 'LATIN1' locale 'C' template template0`);
    try {
      await assert.rejects(at('latin').open(noteSchema), (error) => error instanceof StorageError && /UTF8/.test(error.message));
    } finally {
      await execute('drop database latin');
    }
  });
});
