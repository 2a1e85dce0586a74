import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManagementController } from '../../src/controller/controller.ts';
import type { ControllerOptions } from '../../src/controller/opening/options.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { ADMIN, onEveryStore, SECRET_KEY } from '../support/app.ts';
import { newStorage } from '../support/stores.ts';

/** Another controller on a store. */
const openOn = (storage: StorageAdapter, administrator?: ControllerOptions['administrator']) =>
  ManagementController.open({
    secretKey: SECRET_KEY,
    settings: { address: 'https://127.0.0.1:1280' },
    platform: webPlatform({ passwords: fastPasswordHasher() }),
    storage,
    ...(administrator ? { administrator } : {}),
  });

onEveryStore('the first administrator', (open, store) => {
  test('the credentials of a new network are returned once, and open it', async () => {
    const storage = newStorage(store);
    await using app = await open({ storage, administrator: {} });
    const { username, password } = app.controller.firstAdministrator ?? assert.fail('no credentials');
    assert.equal(username, 'admin');
    assert.equal((await app.login(username, password)).status, 200);
    const again = await openOn(storage);
    assert.equal(again.firstAdministrator, undefined);
  });

  test('without a given password it is random, long, and another one for every network', async () => {
    const passwords = new Set<string>();
    for (let i = 0; i < 3; i++) {
      await using app = await open({ administrator: {} });
      const password = app.controller.firstAdministrator?.password ?? '';
      assert.match(password, /^[0-9A-Za-z]{22}$/);
      passwords.add(password);
    }
    assert.equal(passwords.size, 3);
  });

  test('a new network lets nobody in by a default password', async () => {
    await using app = await open({ administrator: {} });
    for (const password of ['admin', 'password', 'admin123', 'changeme', 'Default Admin', 'undefined', ADMIN.password]) {
      assert.equal((await app.login('admin', password)).status, 401);
    }
  });

  test('username, password and name may be given', async () => {
    await using app = await open({ administrator: { username: 'root', password: 'a given password', name: 'The Boss' } });
    assert.deepEqual(app.controller.firstAdministrator, { username: 'root', password: 'a given password' });
    const { data } = (await app.request('GET', '/current-identity')).body;
    assert.deepEqual([data.name, data.isAdmin, data.isDefaultAdmin], ['The Boss', true, true]);
  });

  test('on a network that has an administrator, given credentials are without effect', async () => {
    const storage = newStorage(store);
    await using app = await open({ storage });
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    const again = await openOn(storage, { username: 'intruder', password: 'my own password' });
    assert.equal(again.firstAdministrator, undefined);
    assert.equal((await app.login('intruder', 'my own password')).status, 401);
    assert.equal((await app.login(ADMIN.username, ADMIN.password)).status, 200);
    assert.equal((await app.rows('identity')).length, 2);
  });

  test('of controllers that open a new network at once, one makes it', async () => {
    const storage = newStorage(store);
    const opened = await Promise.all([1, 2, 3].map((i) => openOn(storage, { username: 'admin', password: `password ${i}` })));
    assert.equal(opened.filter(({ firstAdministrator }) => firstAdministrator).length, 1);
    const [first] = opened;
    assert.equal((await first?.api?.identities.list())?.pagination.totalCount, 1);
    assert.equal((await first?.api?.configTypes.list())?.pagination.totalCount, 10);
  });

  test('what an administrator deleted or changed of the first things stays so', async () => {
    const storage = newStorage(store);
    await using app = await open({ storage });
    await app.request('DELETE', '/config-types/proxy.v1');
    await app.request('PATCH', '/auth-policies/default', { body: { primary: { updb: { minPasswordLength: 12 } } } });
    const again = await openOn(storage);
    assert.equal((await again.api.configTypes.list({ filter: 'id = "proxy.v1"' })).pagination.totalCount, 0);
    assert.equal((await again.api.authPolicies.get({ id: 'default' })).primary.updb.minPasswordLength, 12);
  });

  test('credentials out of their limits, and settings out of bounds, are refused at once', async () => {
    for (const administrator of [
      { username: 'abc' },
      { username: 'a'.repeat(101) },
      { password: 'abcd' },
      { password: 'a'.repeat(101) },
      { password: '' },
      { name: '' },
      { name: 'Bob' },
      { name: 'a'.repeat(101) },
    ]) {
      await assert.rejects(open({ administrator }), TypeError);
    }
    for (const settings of [
      { sessionTimeoutMinutes: 0 },
      { routerNames: ['two words'] },
      { maxBodyBytes: -1 },
      { maxQueuedWrites: Number.NaN },
      { address: 'localhost' },
      { address: 'https://host/path/' },
      { address: 'https://host/path?query' },
    ]) {
      await assert.rejects(open({ settings }), TypeError);
    }
  });

  test('a session opens one network and no other', async () => {
    await using one = await open();
    await using two = await open();
    assert.equal((await two.request('GET', '/identities', { as: one.admin })).status, 401);
  });
});
