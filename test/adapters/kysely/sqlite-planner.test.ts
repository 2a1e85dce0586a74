/**
 * What SQLite's planner is told of the tables, by which a page is found along the right index: said by migrations, and again by `open` when
 * it was lost.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { folder, note, noteSchema, notes } from './support.ts';

const factsOf = (file: string): readonly string[] => {
  const database = new DatabaseSync(file);
  const rows = database.prepare("select tbl, idx, stat from sqlite_stat1 where tbl like 'overlay_note%' order by 1, 2").all();
  database.close();
  return rows.map((row) => JSON.stringify(row));
};

const change = (file: string, statements: string) => {
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
};

/** Opens the store, and closes it again. */
const opened = async (file: string, migrate = true) => {
  const store = await notes({ file, migrate }).open(noteSchema);
  await store.close();
};

const losses: Readonly<Record<string, string>> = {
  'a tool counted rows': 'analyze',
  'they were deleted': 'delete from sqlite_stat1',
  'their table was dropped': 'drop table sqlite_stat1',
  'one was changed':
    "update sqlite_stat1 set stat = '1 1 1' where rowid = (select max(rowid) from sqlite_stat1 where tbl like 'overlay_%')",
  'one is missing': "delete from sqlite_stat1 where rowid = (select min(rowid) from sqlite_stat1 where tbl like 'overlay_%')",
  'one is there twice': "insert into sqlite_stat1 select * from sqlite_stat1 where tbl like 'overlay_%' limit 1",
};

for (const [loss, statements] of Object.entries(losses))
  for (const migrate of [true, false])
    test(`the facts of the planner are right once a store was opened, though ${loss} (migrate: ${migrate})`, async () => {
      await using place = await folder();
      const { file } = place;
      const store = await notes({ file, migrate: true }).open(noteSchema);
      await store.transaction('write', (tx) => tx.insert('note', note('a', { labels: ['x'] })));
      await store.close();
      const before = factsOf(file);
      assert.equal(before.length >= 6, true);
      change(file, statements);
      await opened(file, migrate);
      assert.deepEqual(factsOf(file), before);
    });

test('the facts of tables of the host stay as they are', async () => {
  await using place = await folder();
  const { file } = place;
  await opened(file);
  change(file, 'create table own (a text); create index own_a on own (a); insert into own values (1), (2); analyze');
  await opened(file);
  const database = new DatabaseSync(file);
  assert.equal(database.prepare("select stat from sqlite_stat1 where tbl = 'own'").get()?.stat, '2 1');
  database.close();
});

test('a store whose facts are right is opened without a write, also beside tables of the host that were counted', async () => {
  await using place = await folder();
  const { file } = place;
  await opened(file);
  change(file, 'create table own (a text); create index own_a on own (a); insert into own values (1), (2); analyze own');
  const watching = new DatabaseSync(file);
  // Changes whenever another connection has committed something.
  const version = () => watching.prepare('pragma data_version').get()?.data_version;
  const before = version();
  await opened(file);
  await opened(file, false);
  assert.equal(version(), before);
  change(file, "delete from sqlite_stat1 where tbl like 'overlay_%'");
  await opened(file);
  assert.notEqual(version(), before);
  watching.close();
});

test('a store whose facts are right is opened without a write, and one that another writer holds is opened all the same', async () => {
  await using place = await folder();
  const { file } = place;
  await opened(file);
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  await opened(file, false);
  other.exec('delete from sqlite_stat1; commit; begin immediate');
  const store = await notes({ file, migrate: false, lockTimeout: 50 }).open(noteSchema);
  await store.close();
  other.exec('rollback');
  other.close();
  await opened(file, false);
  assert.equal(factsOf(file).length >= 6, true);
});

test('the plan of a store that was opened anew follows from the facts, not from what a tool counted', async () => {
  await using place = await folder();
  const { file } = place;
  await opened(file);
  change(file, 'analyze');
  const storage = notes({ file });
  const store = await storage.open(noteSchema);
  const steps = storage.connection
    .prepare('explain query plan select s.id from overlay_note__labels as s where s.ns = ? and s.value = ? and s.id = ?')
    .all('default', 'x', 'a');
  assert.match(String(steps[0]?.detail), /USING PRIMARY KEY \(ns=\? AND value=\? AND id=\?\)/);
  await store.close();
});
