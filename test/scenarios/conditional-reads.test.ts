/** Reads with `If-None-Match`: who has the answer already gets 304. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

onEveryStore('conditional reads', (open) => {
  test('an entity that a client has already is not sent again', async () => {
    await using app = await open();
    const id = await app.create('/services', { name: 'mail', encryptionRequired: true });
    const path = `/services/${id}`;
    const first = await app.request('GET', path);
    const again = await app.request('GET', path, { headers: { 'if-none-match': `"other", W/${first.headers.etag}` } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', first.headers.etag]);
    await app.request('PATCH', path, { body: { tags: { a: 'b' } } });
    const changed = await app.request('GET', path, { headers: { 'if-none-match': first.headers.etag ?? '' } });
    assert.deepEqual([changed.status, changed.body.data.tags], [200, { a: 'b' }]);
  });

  test('an answer that names other entities changes with their names, although the version stays', async () => {
    await using app = await open();
    const service = await app.create('/services', { name: 'mail', encryptionRequired: true });
    const policy = await app.create('/service-policies', {
      name: 'all',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: [`@${service}`],
    });
    const path = `/service-policies/${policy}`;
    const first = await app.request('GET', path);
    await app.request('PATCH', `/services/${service}`, { body: { name: 'post' } });
    const second = await app.request('GET', path, { headers: { 'if-none-match': first.headers.etag ?? '' } });
    assert.equal(second.status, 200);
    const versionIn = (etag = '') => /\d+/.exec(etag)?.[0];
    assert.equal(versionIn(second.headers.etag), versionIn(first.headers.etag));
  });

  test('a list is sent again only if an entity of the page or their number changed', async () => {
    await using app = await open();
    await app.create('/services', { name: 'mail', encryptionRequired: true });
    const path = '/services?limit=1';
    const etag = (await app.request('GET', path)).headers.etag ?? '';
    assert.equal((await app.request('GET', path, { headers: { 'if-none-match': etag } })).status, 304);
    await app.create('/services', { name: 'web', encryptionRequired: true });
    assert.equal((await app.request('GET', path, { headers: { 'if-none-match': etag } })).status, 200);
  });

  test('a long list has a tag only for a client that asks for one', async () => {
    await using app = await open();
    const names = Array.from({ length: 30 }, (_, i) => `service ${i}`);
    for (const name of names) await app.create('/services', { name, encryptionRequired: true });
    const path = '/services?limit=100';
    const plain = await app.request('GET', path);
    assert.deepEqual([plain.text.length > 16_384, plain.headers.etag], [true, undefined]);
    const asked = await app.request('GET', path, { headers: { 'if-none-match': '"0"' } });
    assert.deepEqual([asked.status, asked.text === plain.text], [200, true]);
    assert.equal((await app.request('GET', path, { headers: { 'if-none-match': asked.headers.etag ?? '' } })).status, 304);
  });

  test('who may not read an entity learns nothing by a condition, and a malformed one is none', async () => {
    await using app = await open();
    const id = await app.create('/services', { name: 'mail', encryptionRequired: true });
    const headers = { 'if-none-match': '*' };
    const token = await (await app.user()).login();
    assert.equal((await app.request('GET', `/services/${id}`, { headers, as: token })).status, 401);
    assert.equal((await app.request('GET', `/services/${id}`, { headers, as: null })).status, 401);
    assert.equal((await app.request('GET', '/services/nope', { headers })).status, 404);
    assert.equal((await app.request('GET', `/services/${id}`, { headers })).status, 304);
    assert.equal((await app.request('GET', `/services/${id}`, { headers: { 'if-none-match': '"' } })).status, 200);
  });
});
