import assert from 'node:assert/strict';
import { test } from 'node:test';
import { has } from '../../../src/query/predicate.ts';
import { killedWriter } from './killed-writer.ts';
import { folder, noteSchema, notes } from './support.ts';

const ROUNDS = 5;

test('every acknowledged row survives kill -9, and nothing is left of what was not finished', async () => {
  await using place = await folder();
  const expected: string[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    expected.push(...(await killedWriter(place.file, round)));
    const storage = notes(place);
    const store = await storage.open(noteSchema);
    const found = await store.transaction('read', (tx) => tx.list('note', { where: { op: 'all' } }));
    const ids = new Set(found.map((row) => row.id));
    assert.deepEqual(
      expected.filter((id) => !ids.has(id)),
      [],
    );
    const counted = await store.transaction('read', (tx) =>
      Promise.all([tx.count('note', { op: 'all' }), tx.count('note', has('labels', 'every'))]),
    );
    assert.deepEqual(counted, [found.length, found.length]);
    const revision = await store.transaction('write', (tx) => tx.nextRevision());
    assert.equal(revision, found.length + round, 'each row and each round before drew one revision');
    assert.deepEqual(
      storage.connection
        .prepare('pragma integrity_check')
        .all()
        .map((row) => row.integrity_check),
      ['ok'],
    );
    await store.close();
  }
  assert.ok(expected.length > ROUNDS, 'the writers got to write');
});
