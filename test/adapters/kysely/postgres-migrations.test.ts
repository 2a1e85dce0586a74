import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exportMigrations, nextContraction, postgres } from '../../../adapters/storage/kysely/index.ts';
import { equals, has } from '../../../src/query/predicate.ts';
import { StoreSchemaMismatch } from '../../../src/store/storage/errors.ts';
import type { StorageSchema } from '../../../src/store/storage/port.ts';
import { execute, needsPostgres, newSchema } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { pgNotes, withClient } from './postgres-support.ts';
import { idsWhere, migrationsThrough, note, noteSchema } from './support.ts';

const later: StorageSchema = [
  {
    kind: 'note',
    columns: [
      { name: 'isOpen', type: 'boolean', index: false },
      { name: 'weight', type: 'number', index: true },
    ],
    sets: ['readers'],
  },
  { kind: 'folder', columns: [], sets: [] },
];
const chain = migrationsThrough(noteSchema, later);

describe('migrations on PostgreSQL', needsPostgres, () => {
  test('what a migration adds is filled from the documents', async () => {
    await using place = await newSchema();
    const store = await pgNotes(place).open(noteSchema);
    await store.transaction('write', async (tx) => {
      await tx.insert('note', note('a', { weight: 2, readers: ['ann', 'bob'], labels: ['x'] }));
      await tx.insert('note', note('b', { weight: 'heavy', readers: null }));
    });
    await store.close();
    const migrated = await pgNotes({ ...place, migrations: chain }).open(later);
    assert.deepEqual(await idsWhere(migrated, equals({ path: ['weight'], type: 'number' }, 2)), ['a']);
    assert.deepEqual(await idsWhere(migrated, has('readers', 'bob')), ['a']);
    await migrated.close();
    const before = await pgNotes(place).open(noteSchema);
    assert.deepEqual(await idsWhere(before, has('labels', 'x')), ['a'], 'the release before uses what this one has retired');
    await before.close();
    const dropping = nextContraction(chain, 'drop-what-was-retired');
    assert.ok(dropping);
    await pgNotes({ ...place, migrations: [...chain, dropping] }).migrate();
    await assert.rejects(pgNotes(place).open(noteSchema), StoreSchemaMismatch);
  });

  test('of several that find no tables, and wait for each other, one makes them', async () => {
    await using place = await newSchema();
    const storages = [1, 2, 3].map(() => pgNotes(place));
    await withClient(place.connectionString, async (client) => {
      await client.query("begin; select pg_advisory_xact_lock(hashtextextended('migrations of overlay_', 0))");
      const migrated = storages.map((storage) => storage.migrate());
      const waiting = "select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted";
      await until(async () => (await client.query(waiting)).rows[0].count >= storages.length);
      await client.query('commit');
      await Promise.all(migrated);
    });
    const store = await pgNotes({ ...place, migrate: false }).open(noteSchema);
    await store.close();
  });

  test("the exported SQL does the same by the host's own means", async () => {
    await using place = await newSchema();
    await assert.rejects(pgNotes({ ...place, migrate: false }).open(noteSchema), /migrate\(\)/);
    await execute(exportMigrations(postgres, { migrations: chain }), place.connectionString);
    const store = await pgNotes({ ...place, migrations: chain, migrate: false }).open(later);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    assert.deepEqual(await idsWhere(store, { op: 'contains', field: { path: ['name'], type: 'string' }, value: 'NOTE', fold: true }), [
      'a',
    ]);
    await store.close();
  });
});
