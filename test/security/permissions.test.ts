import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSIONS, permissionsFor } from '../../src/api/permissions.ts';
import { entries } from '../../src/domain/entries.ts';
import { allows, names, needed } from './permissions-table.ts';

const PREFIXES = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  extensions: '/edge/management/extensions/v1',
  fabric: '/fabric/v1',
} as const;

test('the permissions are the published ones', () => {
  assert.deepEqual([...PERMISSIONS], [...names].toSorted());
});

test('every operation that takes a right declares the permissions that the published table names for it', () => {
  for (const { api, method, path, needs } of needed) {
    assert.ok(needs, `${api} ${method} ${path} is missing in the table`);
    const entry = entries.find(
      ({ operation }) =>
        operation.method === method && operation.path === path && operation.surfaces.some(({ prefix }) => prefix === PREFIXES[api]),
    );
    assert.ok(entry);
    const expected = names.filter((name) => allows(name, needs));
    assert.deepEqual([...permissionsFor(entry.operation)].toSorted(), expected.toSorted(), `${method} ${path}`);
  }
});
