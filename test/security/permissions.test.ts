import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSIONS, permissionsFor } from '../../src/api/permissions.ts';
import { entries } from '../../src/domain/entries.ts';
import { openApp } from '../support/app.ts';
import { allows, names, needed } from './permissions-table.ts';
import { bodyOf } from './rights-bodies.ts';
import { forbidden } from './rights-table.ts';

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

/** The answer to a delegate that has the right and names what does not exist, or writes what it may not. */
const isPast = (status: number, body: { error?: { cause?: { code?: string } } }): boolean =>
  status !== 401 || body.error?.cause?.code === 'UNHANDLED';

test('each permission opens the operations that it names, and no other', async () => {
  await using app = await openApp('memory');
  for (const name of names) {
    const token = await (await app.user({ permissions: [name] })).login();
    for (const { api, method, path, needs = '' } of needed) {
      const body = bodyOf(method, path);
      const sent = typeof body === 'string' ? { raw: body, headers: { 'content-type': 'text/plain' } } : { body };
      const answer = await app.request(method, `${PREFIXES[api]}${path.replaceAll(/\{\w+\}/g, 'no-such-id')}`, { ...sent, as: token });
      const why = `${name}: ${method} ${path}: ${answer.status} ${answer.text}`;
      if (allows(name, needs)) assert.ok(isPast(answer.status, answer.body) && answer.status < 500 && answer.status !== 403, why);
      else assert.equal(answer.status, forbidden.includes(`${method} ${path}`) ? 403 : 401, why);
    }
  }
});
