import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { newSecretKey } from '../../src/index.ts';
import { ADMIN, SECRET_KEY } from '../support/app.ts';
import { administratorOf, byHost, exported, newTenant, onEveryTenantStore, openTenants } from '../support/tenants.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
const M = '/edge/management/v1';

onEveryTenantStore('the life of a tenant', (newDatabase) => {
  test('an export becomes another tenant, with a key of its own, while the first keeps running', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    const acme = await newTenant(app.overlays, 'acme');
    const id = await acme.create('/identities', { ...ann, enrollment: { ott: true } });
    const jwt = async (name: string) =>
      app.overlays.use(name, async ({ api: { identities } }) => (await identities.get({ id })).enrollment.ott?.jwt);
    const { snapshot, secretKey } = await exported(app.overlays, 'acme');
    const made = await app.overlays.create({ name: 'bravo', from: { snapshot: [snapshot], secretKey } });
    assert.equal(made.firstAdministrator, undefined);
    assert.equal(await jwt('bravo'), await jwt('acme'));
    const copy = await exported(app.overlays, 'bravo');
    assert.notEqual(copy.secretKey, secretKey);
    const keysIn = (text: string) => [...new Set([...text.matchAll(/"v1\.([0-9a-f]{8})\./g)].map(([, key]) => key))];
    const [own = '', ...others] = keysIn(snapshot);
    assert.ok(own !== '' && others.length === 0 && keysIn(copy.snapshot).length === 1 && !keysIn(copy.snapshot).includes(own));
    // The sessions of the export are among its data.
    const bravo = await administratorOf(byHost(app.overlays), 'bravo');
    await bravo.request('DELETE', `/identities/${id}`);
    assert.equal((await acme.request('GET', `/identities/${id}`)).status, 200);
  });

  test('an export that is damaged, too large, or without its key makes no tenant', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    await newTenant(app.overlays, 'acme');
    const { snapshot, secretKey } = await exported(app.overlays, 'acme');
    const from = { snapshot: [snapshot], secretKey };
    for (const options of [
      { from: { ...from, snapshot: [snapshot.slice(0, -100)] } },
      { from: { ...from, secretKey: newSecretKey() } },
      { from, quotas: { storageBytes: 100 } },
    ])
      await assert.rejects(app.overlays.create({ name: 'bravo', ...options }));
    assert.deepEqual((await app.overlays.list()).length, 1);
    await app.overlays.create({ name: 'bravo', from });
  });

  test('what is sealed in the export of an erased tenant can be read with no key that is left', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    await newTenant(app.overlays, 'acme');
    const { snapshot } = await exported(app.overlays, 'acme');
    await app.overlays.erase('acme');
    await assert.rejects(app.overlays.create({ name: 'acme', from: { snapshot: [snapshot], secretKey: SECRET_KEY } }), /secretKey/);
  });

  test('the key of the host is replaced without touching the tenants', async () => {
    await using database = newDatabase();
    const next = newSecretKey();
    {
      await using app = await openTenants(database);
      await newTenant(app.overlays, 'acme');
    }
    {
      await using app = await openTenants(database, { secretKey: [next, SECRET_KEY] });
      assert.deepEqual(await app.overlays.reseal(), { entities: { tenant: 1 } });
    }
    await assert.rejects(openTenants(database), /a different secretKey/);
    await using app = await openTenants(database, { secretKey: next });
    await administratorOf(byHost(app.overlays), 'acme');
  });

  test('tenants are opened when they are used, and closed when they were not for a while, or others are', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database, { maxOpen: 2, idleMinutes: 5 });
    const { overlays, clock } = app;
    for (const name of ['a', 'b', 'c']) await overlays.create({ name });
    assert.deepEqual(overlays.opened, { open: 0, inUse: 0 });
    const held = await overlays.open('a');
    for (const name of ['b', 'c', 'b']) await overlays.use(name, ({ api: { identities } }) => identities.list());
    assert.deepEqual(overlays.opened, { open: 2, inUse: 1 });
    await clock.advanceInSteps('5m', () => new Promise((resolve) => setImmediate(resolve)));
    assert.deepEqual(overlays.opened, { open: 1, inUse: 1 });
    await held.api.identities.create({ body: ann });
    await held.close();
    await clock.advanceInSteps('8m', () => new Promise((resolve) => setImmediate(resolve)));
    assert.deepEqual(overlays.opened, { open: 0, inUse: 0 });
    await overlays.use('a', async ({ api: { identities } }) => assert.equal((await identities.list()).data.length, 2));
  });

  test('a path chooses a tenant as well as a host name does, over every adapter', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    await newTenant(app.overlays, 'acme');
    const handling = app.overlays.handling(({ path }) => {
      const name = path.split('/')[2] ?? '';
      return { name, mount: `/networks/${name}` };
    });
    const handler = fetchHandler(handling);
    const ask = async (path: string) => {
      const request = new Request(`https://example.com${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ADMIN),
      });
      return (await handler(request)).status;
    };
    const login = `${M}/authenticate?method=password`;
    assert.equal(await ask(`/networks/acme${login}`), 200);
    for (const path of [
      `/networks/bravo${login}`,
      login,
      '/',
      `/networks/acme/../bravo${login}`,
      `/networks/%61cme${login}`,
      `/networks/acmee${login}`,
      `/othernet/acme${login}`,
    ])
      assert.equal(await ask(path), 404, path);
    const byName = fetchHandler(byHost(app.overlays));
    assert.equal((await byName(new Request(`https://acme.example.com${M}/version`))).status, 200);
    assert.equal((await byName(new Request(`https://other.example.com${M}/version`))).status, 404);
  });

  test('tenants answer with the surfaces that the host serves', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    await app.overlays.create({ name: 'acme' });
    const handler = fetchHandler(app.overlays.handling(() => 'acme', { only: ['client'] }));
    const statusOf = async (path: string) => (await handler(new Request(`https://example.com${path}`))).status;
    assert.deepEqual([await statusOf('/edge/client/v1/version'), await statusOf(`${M}/version`)], [200, 404]);
  });

  test('a stream keeps its tenant open, and ends when the tenant is erased', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database, { maxOpen: 1 });
    const acme = await newTenant(app.overlays, 'acme');
    await app.overlays.create({ name: 'bravo' });
    const handling = byHost(app.overlays);
    const headers: Record<string, string> = { 'zt-session': acme.admin, accept: 'text/event-stream' };
    const { status, body } = await handling.handle({
      method: 'GET',
      target: '/edge/management/extensions/v1/changes/follow',
      host: 'acme.example.com',
      header: (name) => headers[name],
      body: async () => new Uint8Array(),
    });
    assert.equal(status, 200);
    const parts = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](); // as the operation is declared
    await parts.next();
    await app.overlays.use('bravo', ({ api: { identities } }) => identities.list());
    assert.equal(app.overlays.opened.inUse, 1);
    const ending = (async () => {
      while (!(await parts.next()).done);
    })().catch(() => undefined);
    await app.overlays.erase('acme');
    await ending;
    assert.equal(app.overlays.opened.inUse, 0);
  });
});
