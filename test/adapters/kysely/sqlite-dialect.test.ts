import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { nextContraction, sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { StoreBusy, WriteConflict } from '../../../src/store/storage/errors.ts';
import { folder, migrationsThrough, note, noteSchema, notes } from './support.ts';

const ids = async (db: ReturnType<typeof notes>['db']) =>
  (await sql<{ id: string }>`select id from host order by id`.execute(db)).rows.map(({ id }) => id);

describe("the host's Kysely instance on a SQLite file", () => {
  test('savepoints are rolled back or released, each by its name', async () => {
    await using place = await folder();
    const { db } = notes(place);
    await sql`create table host (id text primary key)`.execute(db);
    const insert = (id: string) => sql`insert into host (id) values (${id})`;
    const transaction = await db.startTransaction().execute();
    await insert('a').execute(transaction);
    const first = await transaction.savepoint('first').execute();
    await insert('b').execute(first);
    const second = await first.savepoint('second').execute();
    await insert('c').execute(second);
    const undone = await second.rollbackToSavepoint('second').execute();
    await insert('d').execute(undone);
    await undone.releaseSavepoint('first').execute();
    await assert.rejects(async () => undone.rollbackToSavepoint('first').execute(), /no such savepoint/);
    await transaction.commit().execute();
    assert.deepEqual(await ids(db), ['a', 'b', 'd']);
    await db.destroy();
  });

  test('a statement can be streamed', async () => {
    await using place = await folder();
    const { db } = notes(place);
    await sql`create table host (id text primary key)`.execute(db);
    for (const id of ['a', 'b', 'c']) await sql`insert into host (id) values (${id})`.execute(db);
    const seen: unknown[] = [];
    for await (const row of db
      .selectFrom('host' as never)
      .selectAll()
      .stream())
      seen.push({ ...(row as object) });
    assert.deepEqual(seen, [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    await db.destroy();
  });

  test('a transaction that read before another wrote cannot write over it, and may be run again', async () => {
    await using place = await folder();
    const other = await notes(place).open(noteSchema);
    const storage = notes(place);
    const store = await storage.open(noteSchema);
    storage.connection.exec('begin'); // deferred: it has a view, and not the lock
    storage.connection.prepare('select count(*) from overlay_note').all();
    await other.transaction('write', (tx) => tx.insert('note', note('a')));
    // SQLITE_BUSY_SNAPSHOT, 517: waiting does not help, as it would with SQLITE_BUSY.
    await assert.rejects(store.join(storage.connection).insert('note', note('b')), (error) => {
      assert.ok(error instanceof WriteConflict && !(error instanceof StoreBusy), String(error));
      return true;
    });
    storage.connection.exec('rollback');
    await store.transaction('write', (tx) => tx.insert('note', note('b')));
    await Promise.all([other.close(), store.close()]);
  });
});

test('a kind that was retired is dropped with its documents and sets, and others stay', async () => {
  await using place = await folder();
  const [kept] = noteSchema;
  assert.ok(kept);
  const dropped = { kind: 'memo', columns: [], sets: ['labels', 'words'] };
  const old = sqliteStorage({ ...place, migrations: migrationsThrough([kept, dropped]) });
  const before = await old.open([kept, dropped]);
  await before.transaction('write', async (tx) => {
    await tx.insert('note', note('a', { labels: ['x'] }));
    await tx.insert('memo', note('b', { labels: ['x'], words: ['y'] }));
  });
  await before.close();
  const retired = migrationsThrough([kept, dropped], [kept]);
  const contraction = nextContraction(retired, 'drop-memos');
  assert.ok(contraction);
  const storage = sqliteStorage({ ...place, migrations: [...retired, contraction] });
  const after = await storage.open([kept]);
  const tables = storage.connection.prepare("select name from sqlite_master where type = 'table' and name like '%memo%'").all();
  assert.deepEqual(tables, []);
  assert.equal((await after.transaction('read', (tx) => tx.get('note', 'a')))?.id, 'a');
  await assert.rejects(
    after.transaction('read', (tx) => tx.get('memo', 'b')),
    TypeError,
  );
  await after.close();
});
