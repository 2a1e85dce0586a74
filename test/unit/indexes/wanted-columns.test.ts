import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldType, Predicate, SortKey } from '../../../src/query/index.ts';
import { WantedColumns } from '../../../src/store/indexes/wanted-columns.ts';

const by = (...path: [string, ...string[]]): SortKey => ({ field: { path, type: 'string' }, descending: false });
const where = (op: 'contains' | 'above', field: string, type: FieldType = 'string'): Predicate =>
  op === 'contains'
    ? { op, field: { path: [field], type }, value: 'a', fold: false }
    : { op: 'compare', field: { path: [field], type }, is: '>', value: 'a' };

test('a column is wanted once it was asked for twice, four of each form at most', () => {
  const columns = new WantedColumns(new Set());
  const ask = (field: string) => columns.count(columns.usefulFor({ where: where('contains', field), sort: [by(field)] }));
  ask('name');
  assert.deepEqual(columns.wanted, { orders: [], texts: [] });
  ask('name');
  assert.deepEqual(columns.wanted, { orders: ['name'], texts: ['name'] });
  for (const field of ['a', 'b', 'c', 'd']) for (let time = 0; time < 3; time++) ask(field);
  const four = ['name', 'a', 'b', 'c'];
  assert.deepEqual(columns.wanted, { orders: four, texts: four });
});

test('no column is made of a field that change records do not show, of one inside another, or for several sort keys', () => {
  const columns = new WantedColumns(new Set(['secret']));
  const none = { orders: [], texts: [] };
  assert.deepEqual(columns.usefulFor({ where: where('contains', 'secret'), sort: [by('secret')] }), none);
  assert.deepEqual(columns.usefulFor({ where: where('above', 'secret') }), none);
  assert.deepEqual(columns.usefulFor({ where: { op: 'all' }, sort: [by('tags', 'site')] }), none);
  assert.deepEqual(columns.usefulFor({ where: { op: 'all' }, sort: [by('name'), by('type')] }), none);
  assert.deepEqual(columns.usefulFor({ where: where('above', 'name'), sort: [by('name')] }), { orders: ['name'], texts: [] });
});

test('none is wanted any more where there is no memory for them', () => {
  const columns = new WantedColumns(new Set());
  const question = { where: where('contains', 'name'), sort: [by('name')] };
  for (let time = 0; time < 2; time++) columns.count(columns.usefulFor(question));
  columns.refuse();
  assert.deepEqual(
    [columns.wanted, columns.usefulFor(question)],
    [
      { orders: [], texts: [] },
      { orders: [], texts: [] },
    ],
  );
});
