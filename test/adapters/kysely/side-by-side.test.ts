import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { oldestBeside } from '../../../adapters/storage/kysely/compatibility.ts';
import {
  exportMigrations,
  type Migration,
  nextContraction,
  migrations as own,
  postgres,
  type StoreOptions,
  schemaAfter,
  sqlite,
} from '../../../adapters/storage/kysely/index.ts';
import { ALL, equals, has, stringField } from '../../../src/query/predicate.ts';
import { StoreSchemaMismatch } from '../../../src/store/storage/errors.ts';
import type { Row, StorageSchema, Store } from '../../../src/store/storage/port.ts';
import { openApp } from '../../support/app.ts';
import { places } from './places.ts';
import { migrationsThrough, note, noteSchema } from './support.ts';

/**
 * The schema version of the last release: beside whose processes this one is started. Set it to the number of migrations when a release is
 * made.
 */
const RELEASED = 5;

/** Of the next release: it adds a column, a set and a kind, and needs `rank` and `labels` no more. */
const next: StorageSchema = [
  {
    kind: 'note',
    columns: [
      { name: 'name', type: 'string', index: 'unique' },
      { name: 'ownerId', type: 'string', index: true },
      { name: 'isOpen', type: 'boolean', index: false },
      { name: 'place', type: 'string', index: true },
    ],
    sets: ['readers'],
  },
  { kind: 'folder', columns: [], sets: [] },
];
const before = migrationsThrough(noteSchema);
const expanded = migrationsThrough(noteSchema, next);
const contraction = nextContraction(expanded, 'drop-what-was-retired');
assert.ok(contraction);
const contracted = [...expanded, contraction];

const insert = (store: Store, ...rows: readonly Row[]) =>
  store.transaction('write', async (tx) => {
    for (const row of rows) await tx.insert('note', row);
  });
const ids = (store: Store, where: Parameters<typeof equals>[0] | undefined, value: string) =>
  store.transaction('read', async (tx) =>
    (await tx.list('note', { where: where ? equals(where, value) : has('readers', value) })).map(({ id }) => id),
  );
const faults = (store: Store) => store.transaction('read', async (tx) => (await tx.verify('note', { limit: 100 })).faults);

test('what this release does to the database leaves all that the last one uses (expand, then contract)', () => {
  assert.ok(
    oldestBeside(own) <= RELEASED,
    `processes of the last release, with schema version ${RELEASED}, could not go on beside this one, but only those from version ${oldestBeside(own)} on`,
  );
});

test('a migration adds and retires; what it retired is dropped by a later one', () => {
  assert.deepEqual(
    expanded.at(-1)?.steps.map((step) => step.do),
    ['retireColumn', 'addColumn', 'retireSet', 'addSet', 'addKind'],
  );
  assert.deepEqual(
    contraction.steps.map((step) => step.do),
    ['dropColumn', 'dropSet'],
  );
  assert.deepEqual(schemaAfter(contracted), schemaAfter(expanded));
  assert.deepEqual([oldestBeside(before), oldestBeside(expanded), oldestBeside(contracted)], [1, 1, 2]);
  assert.throws(() => migrationsThrough(noteSchema, [], noteSchema), /the kind note was retired.*another name/);
});

for (const { engine, newPlace, skip } of places) {
  describe(`two releases side by side on one ${engine} database`, { skip }, () => {
    test('the older one keeps running, and the newer one finds what it writes by what the newer one has added', async () => {
      await using place = await newPlace();
      const old = await place.storage({ migrations: before }).open(noteSchema);
      await insert(old, note('a', { place: 'berlin', readers: ['ann', 'bob'] }));
      const now = await place.storage({ migrations: expanded }).open(next);
      assert.deepEqual([await ids(now, stringField('place'), 'berlin'), await ids(now, undefined, 'bob')], [['a'], ['a']]);

      await insert(old, note('b', { place: 'rome', readers: ['bob'] }));
      await insert(now, note('c', { place: 'rome', readers: ['bob'] }), note('d', { readers: ['bob'], labels: ['x'], rank: 7 }));
      await old.transaction('write', async (tx) => {
        const a = await tx.get('note', 'a');
        assert.ok(a);
        await tx.update('note', { ...a, version: 2, place: 'rome', readers: [] }, 1);
        await tx.delete('note', 'c');
      });
      assert.deepEqual(
        [await ids(now, stringField('place'), 'rome'), await ids(now, undefined, 'bob')],
        [
          ['a', 'b'],
          ['b', 'd'],
        ],
      );
      const labelled = (await old.transaction('read', (tx) => tx.list('note', { where: has('labels', 'x') }))).map(({ id }) => id);
      assert.deepEqual(labelled, ['d'], 'and the newer one fills what it has retired');
      for (const store of [old, now]) assert.deepEqual(await faults(store), []);
      assert.deepEqual(await old.check?.(), { pending: [], isAhead: true });
      await Promise.all([old.close(), now.close()]);
    });

    test("it keeps running in a host's transaction, too, from its first write", async () => {
      await using place = await newPlace();
      const storage = place.storage({ migrations: before });
      const old = await storage.open(noteSchema);
      const now = await place.storage({ migrations: expanded }).open(next);
      await storage.db.transaction().execute((host) => old.join(host).insert('note', note('a', { place: 'rome', readers: ['ann'] })));
      assert.deepEqual([await ids(now, stringField('place'), 'rome'), await ids(now, undefined, 'ann')], [['a'], ['a']]);
      await Promise.all([old.close(), now.close()]);
    });

    test('it may also be started then, and ends with the release that drops what it uses', async () => {
      await using place = await newPlace();
      await place.storage({ migrations: expanded }).migrate();
      const old = await place.storage({ migrations: before }).open(noteSchema);
      const now = await place.storage({ migrations: expanded }).open(next);
      await insert(old, note('a', { readers: ['ann'] }));
      await place.storage({ migrations: contracted }).migrate();
      await insert(now, note('b', { readers: ['ann'] }));
      await assert.rejects(insert(old, note('c')), StoreSchemaMismatch);
      await assert.rejects(place.storage({ migrations: before }).open(noteSchema), StoreSchemaMismatch);
      assert.deepEqual(await ids(now, undefined, 'ann'), ['a', 'b']);
      assert.deepEqual(await faults(now), []);
      await Promise.all([old.close(), now.close()]);
    });

    test('what only drops can wait: the store opens without it, and says so until it was run, by whatever means', async () => {
      await using place = await newPlace();
      await place.storage({ migrations: expanded }).migrate();
      const waiting = { migrations: contracted, migrate: false } as const;
      const store = await place.storage(waiting).open(next);
      await insert(store, note('a', { labels: ['x'] }));
      assert.deepEqual(await store.check?.(), { pending: ['3-drop-what-was-retired'], isAhead: false });
      await place.execute(exportMigrations(engine === 'sqlite' ? sqlite : postgres, { migrations: contracted, from: 2 }));
      assert.deepEqual(await store.check?.(), { pending: [], isAhead: false });
      await insert(store, note('b', { labels: ['x'] }));
      assert.equal(await store.transaction('read', (tx) => tx.count('note', ALL)), 2);
      assert.deepEqual((await place.storage(waiting).plan()).pending, []);
      await store.close();
    });

    test('a controller of the older release serves, and its health warns of the newer one', async () => {
      await using place = await newPlace();
      const added: Migration = {
        version: own.length + 1,
        name: 'of-the-next-release',
        steps: [
          { do: 'addColumn', kind: 'identity', column: { name: 'nickname', type: 'string', index: true } },
          { do: 'addSet', kind: 'identity', set: 'aliases' },
        ],
      };
      const storage = (options: StoreOptions = {}) => place.storage(options);
      await using app = await openApp(engine, { storage: storage() });
      await storage({ migrations: [...own, added] }).migrate();
      const id = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
      assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { name: 'anna' } })).status, 200);
      const { isHealthy, store, reasons } = await app.controller.health();
      assert.deepEqual(
        [isHealthy, store, reasons.map(({ concerns, severity }) => `${concerns} ${severity}`)],
        [true, 'ready', ['migrations warning']],
      );
      await using another = await openApp(engine, { storage: storage() });
      assert.equal((await another.request('GET', `/identities/${id}`)).body.data.name, 'anna');
    });
  });
}
