import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import type { Store } from '../../../src/store/storage/port.ts';
import { folder, note, noteSchema, notes } from './support.ts';

const ids = (store: Store) =>
  store.transaction('read', async (tx) => (await tx.list('note', { where: { op: 'all' } })).map(({ id }) => id));
const save = (store: Store, id: string) => store.transaction('write', (tx) => tx.insert('note', note(id)));

test('a backup of a file is of one moment, while others write, and is a database of its own for its owner', async () => {
  await using place = await folder();
  const storage = notes(place);
  const store = await storage.open(noteSchema);
  const other = await storage.within('other').open(noteSchema);
  for (let i = 0; i < 300; i++) await save(store, `n${i}`);
  await save(other, 'x');
  const copy = `${place.file}.copy`;
  let isOver = false;
  const copying = storage.backup(copy).finally(() => {
    isOver = true;
  });
  let written = 0;
  while (!isOver) {
    await save(store, `later${written++}`);
    // Statements of SQLite leave nobody else a turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await copying;
  await assert.rejects(storage.backup(copy), /EEXIST/);
  await store.close();
  await other.close();

  assert.equal((await stat(copy)).mode & 0o777, 0o600);
  const copied = notes({ file: copy });
  const again = await copied.open(noteSchema);
  const found = (await ids(again)).filter((id) => id.startsWith('n'));
  assert.equal(found.length, 300);
  const later = (await ids(again)).filter((id) => id.startsWith('later')).length;
  assert.ok(later <= written);
  for (let i = 0; i < later; i++) assert.ok((await ids(again)).includes(`later${i}`), 'the first ones, without a gap');
  const otherAgain = await copied.within('other').open(noteSchema);
  assert.deepEqual(await ids(otherAgain), ['x']);
  await save(again, 'new');
  await again.close();
  await otherAgain.close();
});

test('a backup of a database in memory has what is committed, and waits for the transaction that is open', async () => {
  await using place = await folder();
  const storage = notes({ file: ':memory:' });
  const store = await storage.open(noteSchema);
  await save(store, 'a');
  const writing = store.transaction('write', async (tx) => {
    await tx.insert('note', note('b'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new RangeError('no');
  });
  await Promise.all([assert.rejects(writing, RangeError), storage.backup(place.file)]);
  await store.close();
  const again = await notes(place).open(noteSchema);
  assert.deepEqual(await ids(again), ['a']);
  await again.close();
});
