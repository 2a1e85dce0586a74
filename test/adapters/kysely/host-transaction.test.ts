import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { StoreBusy, StoreUnavailable } from '../../../src/store/storage/errors.ts';
import type { Store } from '../../../src/store/storage/port.ts';
import { folder, note, noteSchema, notes } from './support.ts';

const ids = (store: Store) =>
  store.transaction('read', async (tx) => (await tx.list('note', { where: { op: 'all' } })).map((row) => row.id));

describe("the host's transaction on the same SQLite file", () => {
  test('rows of the host and of the store are committed or rolled back together', async () => {
    await using place = await folder();
    const storage = notes(place);
    const store = await storage.open(noteSchema);
    await sql`create table host_order (id text primary key)`.execute(storage.db);
    const place_order = (id: string, fails: boolean) =>
      storage.db.transaction().execute(async (host) => {
        await sql`insert into host_order (id) values (${id})`.execute(host);
        await store.join(host).insert('note', note(id));
        if (fails) throw new RangeError('no');
      });
    await place_order('a', false);
    await assert.rejects(place_order('b', true), RangeError);
    const orders = await sql<{ id: string }>`select id from host_order`.execute(storage.db);
    assert.deepEqual([orders.rows.map((row) => row.id), await ids(store)], [['a'], ['a']]);
    await store.close();
  });

  test('a host that begins on the connection itself decides as well', async () => {
    await using place = await folder();
    const storage = notes(place);
    const store = await storage.open(noteSchema);
    for (const [id, end] of [
      ['a', 'rollback'],
      ['b', 'commit'],
    ] as const) {
      storage.connection.exec('begin immediate');
      await store.join(storage.connection).insert('note', note(id, { labels: ['x'] }));
      assert.deepEqual(await ids(store), []);
      storage.connection.exec(end);
    }
    storage.connection.exec('begin');
    const late = store.join(storage.connection);
    storage.connection.exec('commit');
    await assert.rejects(late.insert('note', note('c')), TypeError);
    assert.deepEqual(await ids(store), ['b']);
    assert.throws(() => store.join(storage.connection), TypeError, 'no transaction is open any more');
    await store.close();
  });

  test('writers of the store wait until a host that began on the connection itself is done', async () => {
    await using place = await folder();
    const storage = notes(place);
    const store = await storage.open(noteSchema);
    storage.connection.exec('begin immediate');
    const writing = store.transaction('write', (tx) => tx.insert('note', note('b')));
    await store.join(storage.connection).insert('note', note('a'));
    storage.connection.exec('commit');
    await writing;
    assert.deepEqual(await ids(store), ['a', 'b']);
    await store.close();
  });
});

describe('a SQLite file that is locked or lost', () => {
  test('a writer that waits too long for another process may try again', async () => {
    await using place = await folder();
    const other = notes(place);
    await (await other.open(noteSchema)).close();
    const store = await notes({ ...place, lockTimeout: 40 }).open(noteSchema);
    other.connection.exec('begin immediate');
    await assert.rejects(
      store.transaction('write', (tx) => tx.nextRevision()),
      StoreBusy,
    );
    assert.deepEqual(await ids(store), []);
    other.connection.exec('rollback');
    assert.equal(await store.transaction('write', (tx) => tx.nextRevision()), 1);
    other.connection.close();
    await store.close();
  });

  test('a writer that waits does not hold up the process', async () => {
    await using place = await folder();
    const other = notes(place);
    const store = await notes(place).open(noteSchema);
    other.connection.exec('begin immediate');
    const writing = store.transaction('write', (tx) => tx.insert('note', note('a')));
    await new Promise((resolve) => setTimeout(resolve, 30));
    other.connection.exec('commit');
    await writing;
    assert.deepEqual(await ids(store), ['a']);
    other.connection.close();
    await store.close();
  });

  test('a file that cannot be opened or is not a database, and a store that was closed, are unavailable', async () => {
    await using place = await folder();
    await assert.rejects(notes({ file: `${place.file}/none/controller.db` }).open(noteSchema), StoreUnavailable);
    await assert.rejects(notes({ file: import.meta.filename }).open(noteSchema), StoreUnavailable);
    const storage = notes({ file: ':memory:' });
    const store = await storage.open(noteSchema);
    await store
      .transaction('write', async (tx) => {
        storage.connection.close();
        await assert.rejects(tx.get('note', 'a'), StoreUnavailable);
      })
      .catch((error) => assert.ok(error instanceof StoreUnavailable));
  });
});
