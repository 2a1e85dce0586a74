import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { killedWriter } from './killed-writer.ts';
import { pgNotes } from './postgres-support.ts';
import { assertWritten, noteSchema } from './support.ts';

const WRITERS = 3;

test(
  'of processes that migrate at once, write, and are killed, every acknowledged row survives and nothing else',
  needsPostgres,
  async () => {
    await using place = await newSchema();
    const expected: string[] = [];
    let drawn = 0;
    for (let round = 1; round <= 2; round++) {
      const acknowledged = await Promise.all(
        Array.from({ length: WRITERS }, (_, writer) => killedWriter(place.connectionString, round * WRITERS + writer)),
      );
      for (const ids of acknowledged) assert.ok(ids.length > 0, 'every writer got to write');
      expected.push(...acknowledged.flat());
      const store = await pgNotes(place).open(noteSchema);
      const rows = await assertWritten(store, expected);
      assert.equal(await store.transaction('write', (tx) => tx.nextRevision()), rows + ++drawn, 'each row drew one revision');
      await store.close();
    }
  },
);
