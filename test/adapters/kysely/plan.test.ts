import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exportMigrations, nextContraction, migrations as own, postgres, sqlite } from '../../../adapters/storage/kysely/index.ts';
import { ALL, equals, has, stringField } from '../../../src/query/predicate.ts';
import { StorageError, StoreSchemaMismatch } from '../../../src/store/storage/errors.ts';
import type { StorageSchema } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { places } from './places.ts';
import { migrationsThrough, note, noteSchema } from './support.ts';

const [kind] = noteSchema;
assert.ok(kind);
const later: StorageSchema = [
  { ...kind, sets: [...kind.sets, 'readers'] },
  { kind: 'folder', columns: [], sets: [] },
];
const before = migrationsThrough(noteSchema);
const chain = migrationsThrough(noteSchema, later);

for (const { engine, newPlace, skip } of places) {
  const dialect = engine === 'sqlite' ? sqlite : postgres;
  describe(`migrations that others run on ${engine}`, { skip }, () => {
    test('the plan shows what the database has, what it lacks, and the SQL of that; and changes nothing', async () => {
      await using place = await newPlace();
      const empty = await place.storage({ migrations: chain }).plan();
      assert.deepEqual([empty.version, empty.target, empty.applied.length, empty.pending.length], [0, 2, 0, 2]);
      await place.storage({ migrations: before }).migrate();
      const storage = place.storage({ migrations: chain, migrate: false });
      for (let i = 0; i < 2; i++) {
        const { version, target, applied, pending, missing, oldestBeside } = await storage.plan();
        assert.deepEqual([version, target, missing, oldestBeside], [1, 2, [], 1]);
        assert.deepEqual(
          applied.map(({ version, name, software }) => [version, name, software]),
          [[1, 'step-1', 'overlay-controller 0.1.0']],
        );
        assert.match(applied[0]?.appliedAt ?? '', /^20\d\d-\d\d-\d\d/);
        assert.deepEqual(pending, [
          { version: 2, name: 'step-2', changes: ['adds the set readers to note, and fills it', 'adds the kind folder'], canWait: false },
        ]);
      }
      await assert.rejects(
        storage.open(later),
        (error: unknown) => error instanceof StoreSchemaMismatch && /from: 1.*2-step-2/.test(error.message),
      );
      await place.execute((await storage.plan()).sql);
      const store = await storage.open(later);
      assert.deepEqual(await store.check?.(), { pending: [], isAhead: false });
      await store.close();
      const { version, pending, sql } = await storage.plan();
      assert.deepEqual([version, pending, sql], [2, [], '']);
    });

    test('the SQL of the migrations after a version is that of the versions between', async () => {
      await using place = await newPlace();
      const storage = place.storage({ migrate: false });
      await place.execute(exportMigrations(dialect, { migrations: own.slice(0, 1) }));
      assert.equal((await storage.plan()).version, 1);
      const sql = exportMigrations(dialect, { from: 1 });
      assert.ok(!sql.includes('create table "overlay_identity" '), 'nothing of the first');
      await place.execute(sql);
      const store = await storage.open(storageSchema);
      assert.equal(await store.transaction('read', (tx) => tx.count('lease', ALL)), 0);
      await store.close();
      assert.equal(exportMigrations(dialect, { from: own.length }), '');
      for (const from of [-1, 0.5, own.length + 1]) assert.throws(() => exportMigrations(dialect, { from }), /^RangeError: from must be/);
    });

    test('the plan shows that a database is of a newer release', async () => {
      await using place = await newPlace();
      const dropping = nextContraction(migrationsThrough(noteSchema, []), 'drop');
      assert.ok(dropping);
      await place.storage({ migrations: [...migrationsThrough(noteSchema, []), dropping] }).migrate();
      const { version, target, applied, pending, oldestBeside } = await place.storage({ migrations: before }).plan();
      assert.deepEqual([version, target, applied.length, pending, oldestBeside], [3, 1, 3, [], 2]);
    });
  });

  describe(`a store on ${engine} that is opened only to look`, { skip }, () => {
    test('reads what is there, of whichever release, beside those that write, and never writes', async () => {
      await using place = await newPlace();
      const writing = await place.storage({ migrations: before }).open(noteSchema);
      await writing.transaction('write', (tx) => tx.insert('note', note('a', { ownerId: 'ann', labels: ['x'] })));
      for (const migrations of [before, chain]) {
        const storage = place.storage({ migrations, readOnly: true });
        const looking = await storage.open(migrations === before ? noteSchema : later);
        assert.deepEqual(looking.kinds, new Set(['note']));
        const found = await looking.transaction('read', (tx) =>
          Promise.all([tx.count('note', equals(stringField('ownerId'), 'ann')), tx.count('note', has('labels', 'x'))]),
        );
        assert.deepEqual(found, [1, 1]);
        await assert.rejects(
          looking.transaction('write', () => assert.fail('it must not begin')),
          StorageError,
        );
        assert.throws(() => looking.join(undefined), StorageError);
        await assert.rejects(storage.migrate(), TypeError);
        await looking.close();
      }
      await writing.transaction('write', (tx) => tx.insert('note', note('b')));
      await writing.close();
    });

    test('finds nothing in an empty database, and makes nothing there', async () => {
      await using place = await newPlace();
      await place.execute('create table others (id integer);');
      await assert.rejects(place.storage({ readOnly: true }).open(storageSchema), StoreSchemaMismatch);
      assert.equal((await place.storage().plan()).version, 0);
    });
  });
}
