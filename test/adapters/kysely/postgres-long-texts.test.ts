import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openApp } from '../../support/app.ts';

const skip = process.env.POSTGRES_URL ? false : 'POSTGRES_URL names no server';

test('a name longer than an index takes is refused with 400, and nothing is written', { skip }, async () => {
  await using app = await openApp('postgres');
  const name = randomBytes(6000).toString('base64'); // not to be compressed below the limit
  const refused = await app.request('POST', '/identities', { body: { name, type: 'User', isAdmin: false } });
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'COULD_NOT_VALIDATE']);
  assert.equal((await app.request('GET', '/identities')).body.meta.pagination.totalCount, 1);
  assert.equal((await app.request('POST', '/identities', { body: { name: 'short', type: 'User', isAdmin: false } })).status, 201);
});
