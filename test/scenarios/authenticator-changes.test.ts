import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { aPerson } from '../support/identities.ts';
import { assertRefused } from '../support/refusals.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ==\n-----END CERTIFICATE-----\n';

const read = async (app: App, id: string) => (await app.request('GET', `/authenticators/${id}`)).body.data;

onEveryStore('changes of authenticators', (open) => {
  test('replace sets username and password', proves(73, 74, 319), async () => {
    await using app = await open();
    const user = await app.user();
    const path = `/authenticators/${user.authenticatorId}`;
    assert.deepEqual((await app.request('PUT', path, { body: { username: 'renamed', password: 'another password' } })).body.data, {});
    assert.equal((await app.login('renamed', 'another password')).status, 200);
    assertRefused(await app.login(user.username, PASSWORD), 401, 'INVALID_AUTH');
  });

  test('a patch changes username, password or tags, each alone, and null changes nothing', proves(76, 319), async () => {
    await using app = await open();
    const user = await app.user();
    const patch = (body: object) => app.request('PATCH', `/authenticators/${user.authenticatorId}`, { body });
    await patch({ username: 'renamed', password: null });
    assert.equal((await app.login('renamed', PASSWORD)).status, 200);
    await patch({ password: 'another password', username: null, tags: null });
    assert.equal((await app.login('renamed', 'another password')).status, 200);
    await patch({ tags: { a: 'b' } });
    assert.deepEqual((await read(app, user.authenticatorId)).tags, { a: 'b' });
    assert.deepEqual(await app.trail(() => patch({ username: null, password: null, tags: null })), []);
  });

  test('method and identity never change', async () => {
    await using app = await open();
    const user = await app.user();
    const other = await aPerson(app);
    const change = { identityId: other, method: 'cert', certPem: PEM };
    assert.deepEqual(await app.trail(() => app.request('PATCH', `/authenticators/${user.authenticatorId}`, { body: change })), []);
    await app.request('PUT', `/authenticators/${user.authenticatorId}`, {
      body: { ...change, username: user.username, password: PASSWORD },
    });
    const { identityId, method, certPem } = await read(app, user.authenticatorId);
    assert.deepEqual({ identityId, method, certPem }, { identityId: user.id, method: 'updb', certPem: undefined });
  });

  test('running sessions survive a change of password, and end with the authenticator', proves(122, 319, 342), async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    await app.request('PATCH', `/authenticators/${user.authenticatorId}`, { body: { password: 'another password' } });
    assert.equal((await app.request('GET', '/current-identity', { as })).status, 200);
    assert.deepEqual((await app.request('DELETE', `/authenticators/${user.authenticatorId}`)).body.data, {});
    assertRefused(await app.request('GET', '/current-identity', { as }), 401, 'UNAUTHORIZED');
    assertRefused(await app.login(user.username, 'another password'), 401, 'INVALID_AUTH');
    const { authenticators, hasApiSession } = (await app.request('GET', `/identities/${user.id}`)).body.data;
    assert.deepEqual([authenticators, hasApiSession], [{}, false]);
  });
});
