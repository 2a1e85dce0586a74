/** What a rolling upgrade changes under a release that goes on: columns of every type, and sets that come and go. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { oldestBeside } from '../../../adapters/storage/kysely/compatibility.ts';
import { type Migration, nextContraction } from '../../../adapters/storage/kysely/index.ts';
import { equals, type FieldRef, has, type Scalar } from '../../../src/query/predicate.ts';
import { StoreSchemaMismatch } from '../../../src/store/storage/errors.ts';
import type { ColumnSchema, StorageSchema, Store } from '../../../src/store/storage/port.ts';
import { places } from './places.ts';
import { migrationsThrough, note } from './support.ts';

const schema = (columns: readonly ColumnSchema[], sets: readonly string[] = []): StorageSchema => [{ kind: 'note', columns, sets }];
const name: ColumnSchema = { name: 'name', type: 'string', index: 'unique' };
const column = (type: ColumnSchema['type'], index: ColumnSchema['index']): ColumnSchema => ({ name: 'extra', type, index });
const plain = schema([name]);

/** Values of a column of each type, each other than the next. */
const VALUES: Readonly<Record<ColumnSchema['type'], readonly [Scalar, Scalar, Scalar]>> = {
  string: ['one', 'two', ''],
  number: [1, 2.5, 0],
  boolean: [true, false, true],
  date: ['2024-01-01T00:00:00.000Z', '2025-06-30T12:00:00.000Z', '1999-12-31T23:59:59.999Z'],
};
const TYPES = Object.keys(VALUES) as readonly ColumnSchema['type'][]; // its keys

const idsWhere = (store: Store, where: Parameters<typeof equals>[0], value: Scalar) =>
  store.transaction('read', async (tx) => (await tx.list('note', { where: equals(where, value) })).map(({ id }) => id).toSorted());
const idsWith = (store: Store, set: string, value: string) =>
  store.transaction('read', async (tx) => (await tx.list('note', { where: has(set, value) })).map(({ id }) => id).toSorted());
const faults = (store: Store) => store.transaction('read', async (tx) => (await tx.verify('note', { limit: 100 })).faults);
const insert = (store: Store, id: string, fields: Readonly<Record<string, unknown>>) =>
  store.transaction('write', (tx) => tx.insert('note', note(id, fields)));
const change = (store: Store, id: string, fields: Readonly<Record<string, unknown>>) =>
  store.transaction('write', async (tx) => {
    const row = await tx.get('note', id);
    assert.ok(row);
    await tx.update('note', { ...row, ...fields, version: row.version + 1 }, row.version);
  });
const versions = (migrations: readonly Migration[]) => migrations.map((_, i) => migrations.slice(0, i + 1));

for (const { engine, newPlace, skip } of places)
  describe(`a release that keeps running beside a newer one (${engine})`, { skip }, () => {
    const opened = async (...schemas: readonly StorageSchema[]) => {
      const place = await newPlace();
      const releases = versions(migrationsThrough(...schemas));
      const open = (release: number) =>
        place.storage({ migrations: releases[release] ?? assert.fail() }).open(schemas[release] ?? assert.fail());
      return { place, open, releases, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
    };

    for (const type of TYPES)
      for (const index of [true, false] as const)
        test(`fills a column of type ${type} that it does not know${index ? ', and its index' : ''}: with values of this type, and no others`, async () => {
          await using at = await opened(plain, schema([name, column(type, index)]));
          const old = await at.open(0);
          const [first, second, third] = VALUES[type];
          await insert(old, 'before', { extra: first });
          const now = await at.open(1);
          const field: FieldRef = { path: ['extra'], type };
          assert.deepEqual(await idsWhere(now, field, first), ['before']);

          await insert(old, 'inserted', { extra: second });
          await insert(old, 'changed', { extra: second });
          await change(old, 'changed', { extra: first });
          await change(old, 'before', { extra: third });
          const others = TYPES.filter((other) => typeof VALUES[other][0] !== typeof first).map((other) => VALUES[other][0]);
          for (const [i, extra] of [...others, null, ['one'], undefined].entries()) await insert(old, `other ${i}`, { extra });
          assert.deepEqual(await idsWhere(now, field, second), ['inserted']);
          const isFirst = first === third ? ['before', 'changed'] : ['changed'];
          assert.deepEqual(await idsWhere(now, field, first), isFirst);
          await change(old, 'changed', { extra: others[0] });
          assert.deepEqual(await idsWhere(now, field, first), first === third ? ['before'] : []);
          assert.deepEqual(await faults(now), []);
          for (const store of [old, now]) await store.close();
        });

    for (const [from, to] of [
      ['number', 'string'],
      ['boolean', 'number'],
      ['string', 'date'],
    ] as const)
      test(`does not, where a column that it uses was ${from} and is ${to} now: it reads, and writes no more`, async () => {
        await using at = await opened(schema([name, column(from, true)]), schema([name, column(to, true)]));
        const old = await at.open(0);
        const [value] = VALUES[to];
        await insert(old, 'of then', { extra: VALUES[from][0] });
        await insert(old, 'of now', { extra: value });
        const now = await at.open(1);
        assert.deepEqual((await idsWhere(now, { path: ['extra'], type: to }, value)).includes('of now'), true);
        await assert.rejects(insert(old, 'after', { extra: VALUES[from][1] }), StoreSchemaMismatch);
        await assert.rejects(change(old, 'of then', { extra: VALUES[from][1] }), StoreSchemaMismatch);
        assert.equal((await old.transaction('read', (tx) => tx.list('note', { where: { op: 'all' } }))).length, 2);
        await assert.rejects(at.open(0), StoreSchemaMismatch);
        assert.deepEqual(await faults(now), []);
        for (const store of [old, now]) await store.close();
      });

    test('does, where only the index of a column has come or gone', async () => {
      await using at = await opened(schema([name, column('number', true)]), schema([name, column('number', false)]));
      const old = await at.open(0);
      const now = await at.open(1);
      await insert(old, 'a', { extra: 7 });
      await insert(now, 'b', { extra: 7 });
      for (const store of [old, now]) {
        assert.deepEqual(await idsWhere(store, { path: ['extra'], type: 'number' }, 7), ['a', 'b']);
        assert.deepEqual(await faults(store), []);
      }
      for (const store of [old, now]) await store.close();
    });

    test('fills sets that it does not know: each element once, and only texts', async () => {
      await using at = await opened(plain, schema([name], ['readers', 'writers']));
      const old = await at.open(0);
      await insert(old, 'before', { readers: ['ann', 'ann', 7, null, 'bob'] });
      const now = await at.open(1);
      await insert(old, 'inserted', { readers: ['bob', 'bob', true], writers: ['ann'] });
      await change(old, 'before', { readers: ['ann'], writers: 'ann' });
      assert.deepEqual([await idsWith(now, 'readers', 'ann'), await idsWith(now, 'readers', 'bob')], [['before'], ['inserted']]);
      assert.deepEqual(await idsWith(now, 'writers', 'ann'), ['inserted']);
      for (const other of ['7', 'true', 'null', '1']) assert.deepEqual(await idsWith(now, 'readers', other), [], other);
      await old.transaction('write', (tx) => tx.delete('note', 'inserted'));
      assert.deepEqual(await now.transaction('read', (tx) => tx.distinct('note', 'readers')), ['ann']);
      assert.deepEqual(await faults(now), []);
      for (const store of [old, now]) await store.close();
    });

    test('finds by a set that the newer one has retired, until that is dropped', async () => {
      const [before, after] = [schema([name], ['labels', 'readers']), schema([name], ['readers'])];
      await using at = await opened(before, after);
      const old = await at.open(0);
      const now = await at.open(1);
      await insert(now, 'a', { labels: ['x'], readers: ['ann'] });
      await insert(now, 'b', { labels: ['x', 'y'] });
      await change(now, 'b', { labels: ['y'] });
      await insert(now, 'c', { labels: ['x'] });
      await now.transaction('write', (tx) => tx.delete('note', 'c'));
      await insert(old, 'own', { labels: ['x'] });
      assert.deepEqual([await idsWith(old, 'labels', 'x'), await idsWith(old, 'labels', 'y')], [['a', 'own'], ['b']]);
      assert.deepEqual(await faults(old), []);
      const expanded = at.releases[1] ?? [];
      const contraction = nextContraction(expanded, 'drop-labels') ?? assert.fail();
      await at.place.storage({ migrations: [...expanded, contraction] }).migrate();
      await assert.rejects(insert(old, 'd', { labels: ['x'] }), StoreSchemaMismatch);
      await insert(now, 'd', { labels: ['x'], readers: ['ann'] });
      assert.deepEqual(await idsWith(now, 'readers', 'ann'), ['a', 'd']);
      assert.deepEqual(await faults(now), []);
      for (const store of [old, now]) await store.close();
    });

    test('and so do three, of which the second needs no set or column that the first and the third use', async () => {
      const [used, unused] = [schema([name, column('number', true)], ['labels']), plain];
      const releases = [used, unused, used];
      await using at = await opened(...releases);
      const stores = [await at.open(0), await at.open(1)];
      await insert(stores[1] ?? assert.fail(), 'by the second', { labels: ['x'], extra: 1 });
      stores.push(await at.open(2));
      for (const [i, store] of stores.entries()) await insert(store, `by ${i}`, { labels: ['x'], extra: 1 });
      const all = ['by 0', 'by 1', 'by 2', 'by the second'];
      for (const i of [0, 2]) {
        const store = stores[i] ?? assert.fail();
        assert.deepEqual(await idsWith(store, 'labels', 'x'), all);
        assert.deepEqual(await idsWhere(store, { path: ['extra'], type: 'number' }, 1), all);
        assert.deepEqual(await faults(store), []);
      }
      for (const store of stores) await store.close();
    });
  });

test('columns, their types, sets and kinds determine the oldest release that keeps running, and indexes do not', () => {
  const oldest = (...schemas: readonly StorageSchema[]) => oldestBeside(migrationsThrough(...schemas));
  const number = schema([name, column('number', true)], ['labels']);
  assert.equal(oldest(number, schema([name, column('number', false)], ['labels'])), 1);
  assert.equal(oldest(number, schema([name, column('string', true)], ['labels'])), 2);
  assert.equal(oldest(number, plain), 1, 'what is retired is there still');
  assert.equal(oldest(plain, number, schema([name, column('boolean', true)], ['labels'])), 3);
  const dropped = (...schemas: readonly StorageSchema[]) => {
    const migrations = migrationsThrough(...schemas);
    return oldestBeside([...migrations, nextContraction(migrations, 'drop') ?? assert.fail()]);
  };
  assert.equal(dropped(schema([name], ['labels']), plain), 2);
  assert.equal(dropped(schema([name, column('number', true)]), plain), 2);
  assert.equal(dropped(schema([name]), []), 2);
});
