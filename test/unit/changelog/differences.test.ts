import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differingFields } from '../../../src/store/changelog/differences.ts';

test('fields differ that were set, changed or removed, those of the earlier state first, and nothing is like null and like an empty list', () => {
  const before = { id: '1', version: 1, name: 'a', tags: {}, roleAttributes: ['x'], gone: 1, same: [{ b: 1 }] };
  const after = { id: '1', version: 2, name: 'b', roleAttributes: ['x', 'y'], same: [{ b: 1 }], new: true, none: null };
  assert.deepEqual(differingFields(before, after), ['name', 'roleAttributes', 'gone', 'new']);
  assert.deepEqual(differingFields({}, after), ['name', 'roleAttributes', 'same', 'new']);
  assert.deepEqual(differingFields(before, {}), ['name', 'roleAttributes', 'gone', 'same']);
});
