import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killedWriter } from './killed-writer.ts';
import { assertWritten, folder, noteSchema, notes } from './support.ts';

const ROUNDS = 5;

test('every acknowledged row survives kill -9, and nothing is left of what was not finished', async () => {
  await using place = await folder();
  const expected: string[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    expected.push(...(await killedWriter(place.file, round)));
    const storage = notes(place);
    const store = await storage.open(noteSchema);
    const rows = await assertWritten(store, expected);
    const revision = await store.transaction('write', (tx) => tx.nextRevision());
    assert.equal(revision, rows + round, 'each row and each round before drew one revision');
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
