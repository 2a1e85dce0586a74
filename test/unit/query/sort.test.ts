import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilterError, readFilter, readSort, SortError } from '../../../src/query/index.ts';
import { ask, people } from './sample.ts';

const keys = (sort: string): readonly string[] =>
  readSort(sort, people).map(({ field, descending }) => `${descending ? '-' : ''}${field.path.join('.')}`);

test('a sort names fields, ascending unless told otherwise', () => {
  assert.deepEqual(keys('isAdmin DESC,name , age asc'), ['-isAdmin', 'name', 'age']);
  assert.deepEqual(keys(' address.city '), ['address.city']);
});

test('keys that decide nothing are dropped', () => {
  assert.deepEqual(keys('id desc, name, age'), ['-id']);
  assert.deepEqual(keys('name, id, age'), ['name', 'id']);
  assert.deepEqual(keys('name, name desc, age'), ['name', 'age']);
});

test('sets, tags, secrets and unknown names cannot be sorted by', () => {
  for (const sort of ['roles', 'hobbies', 'tags', 'tags.site', 'token', 'password', 'bogus', 'NAME', 'constructor']) {
    assert.throws(() => readSort(sort, people), SortError, sort);
    assert.throws(() => readFilter(`true sort by ${sort}`, people), FilterError, sort);
  }
});

test('a sort that cannot be read is a SortError that says why', () => {
  // biome-ignore format: a list
  for (const sort of ['', ' ', 'name sideways', 'name desc asc', 'name,', ',name', 'name age', 'sort by name', 'name limit 1', '1', 'name;age']) assert.throws(() => readSort(sort, people), SortError, sort);
  assert.throws(() => readSort('name sideways', people), {
    message: "expected the end, ',', 'asc' or 'desc', found 'sideways', at position 6",
  });
});

test('null comes first, false before true, text by code point, and desc reverses all of it', () => {
  // biome-ignore format: a list
  const orders = { 'sort by name': 'dacb', 'sort by name desc': 'bcad', 'sort by age': 'cdba', 'sort by age desc': 'abcd', 'sort by isAdmin': 'dbca', 'sort by isAdmin desc, name desc': 'abcd', 'sort by isSystem, id desc': 'dcba', 'sort by seenAt desc': 'bacd', 'name != null sort by id desc': 'cba' };
  for (const [filter, letters] of Object.entries(orders))
    assert.equal(
      ask(filter)
        .map((id) => String(id)[0])
        .join(''),
      letters,
      filter,
    );
});
