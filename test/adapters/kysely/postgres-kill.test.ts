import assert from 'node:assert/strict';
import { test } from 'node:test';
import { has } from '../../../src/query/predicate.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { killedWriter } from './killed-writer.ts';
import { pgNotes } from './postgres-support.ts';
import { noteSchema } from './support.ts';

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
      assert.equal(await store.transaction('write', (tx) => tx.nextRevision()), found.length + ++drawn, 'each row drew one revision');
      await store.close();
    }
  },
);
