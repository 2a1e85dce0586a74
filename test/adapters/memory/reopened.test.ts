import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryDatabase, memoryStorage } from '../../../adapters/storage/memory/index.ts';
import type { StorageSchema } from '../../../src/store/storage/port.ts';
import { group, idsOf, note, read, save, schema } from '../../conformance/storage/sample.ts';

const indexedBy = (name: 'order'): StorageSchema =>
  schema.map((kind) => ({ ...kind, columns: kind.columns.map((column) => (column.name === name ? { ...column, index: true } : column)) }));

test('a database that is opened again under another schema keeps every row, and finds it by the new index', async () => {
  const database = memoryDatabase();
  const before = await memoryStorage({ database }).open(schema);
  await save(before, note('a', { order: 3, labels: ['x'] }), note('b', { order: 1 }), note('c', { order: 2, labels: ['x'] }));
  await before.transaction('write', (tx) => tx.insert('noteGroup', group('g', ['a'])));
  await before.close();
  const after = await memoryStorage({ database }).open(indexedBy('order'));
  const order = { path: ['order'], type: 'number' } as const;
  const found = await read(after, async (tx) => [
    idsOf(await tx.list('note', { where: { op: 'all' }, sort: [{ field: order, descending: false }] })),
    idsOf(await tx.list('note', { where: { op: 'compare', field: order, is: '>=', value: 2 } })),
    await tx.distinct('note', 'labels'),
    idsOf(await tx.list('noteGroup', { where: { op: 'all' } })),
  ]);
  assert.deepEqual(found, [['b', 'c', 'a'], ['a', 'c'], ['x'], ['g']]);
});
