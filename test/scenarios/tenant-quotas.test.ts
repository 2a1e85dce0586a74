import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/index.ts';
import { newTenant, onEveryTenantStore, openTenants } from '../support/tenants.ts';

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;
const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

onEveryTenantStore('the quotas of a tenant', (newDatabase) => {
  test('limit identities and services, over HTTP and in process, and not those of others', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database, { quotas: { identities: 3, services: 1 } });
    const acme = await newTenant(app.overlays, 'acme');
    const large = await newTenant(app.overlays, 'large', { quotas: { identities: 4, services: null } });
    for (const tenant of [acme, large]) for (const name of ['ann', 'bob']) await tenant.create('/identities', { ...ann, name });
    const { status, body } = await acme.request('POST', '/identities', { body: { ...ann, name: 'carl' } });
    assert.deepEqual(
      [status, body.error.code, body.error.cause.message],
      [409, 'QUOTA_EXCEEDED', 'this network may have 3 identities at most'],
    );
    await app.overlays.use('acme', async ({ api: { identities, services } }) => {
      await assert.rejects(identities.create({ body: { ...ann, name: 'carl' } }), isCode('QUOTA_EXCEEDED'));
      await services.create({ body: { name: 'one', encryptionRequired: true } });
      await assert.rejects(services.create({ body: { name: 'two', encryptionRequired: true } }), isCode('QUOTA_EXCEEDED'));
      const [first] = (await identities.list({ filter: 'name = "ann"' })).data;
      await identities.delete({ id: first?.id ?? '' });
      await identities.create({ body: { ...ann, name: 'carl' } });
    });
    await large.create('/identities', { ...ann, name: 'carl' });
    for (const name of ['one', 'two']) await large.create('/services', { name, encryptionRequired: true });
  });

  test('are not passed by writes at the same time', async () => {
    await using database = newDatabase();
    await using one = await openTenants(database, { quotas: { identities: 4 } });
    await using two = await openTenants(database, { quotas: { identities: 4 } });
    await one.overlays.create({ name: 'acme' });
    const made = await Promise.allSettled(
      [one, two, one, two, one, two].map(({ overlays }, i) =>
        overlays.use('acme', ({ api: { identities } }) => identities.create({ body: { ...ann, name: `ann ${i}` } })),
      ),
    );
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 3);
  });

  test('hold from the next transaction on in all processes when they are changed', async () => {
    await using database = newDatabase();
    await using one = await openTenants(database);
    await using two = await openTenants(database);
    await one.overlays.create({ name: 'acme' });
    const controller = await two.overlays.open('acme');
    await controller.api.identities.create({ body: ann });
    const usage = await one.overlays.setQuotas('acme', { identities: 2 });
    assert.deepEqual([usage.identities, usage.quotas], [2, { identities: 2 }]);
    await assert.rejects(controller.api.identities.create({ body: { ...ann, name: 'bob' } }), isCode('QUOTA_EXCEEDED'));
    for (const identities of [0, -1, 1.5, Number.NaN]) await assert.rejects(one.overlays.setQuotas('acme', { identities }), TypeError);
  });

  test('limit the bytes of entities: what makes them fewer or smaller, and logins, are always possible', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    const acme = await newTenant(app.overlays, 'acme');
    const { storageBytes: before } = await app.overlays.usage('acme');
    const id = await acme.create('/identities', { ...ann, tags: { note: 'x'.repeat(3000) } });
    const { storageBytes } = await app.overlays.usage('acme');
    assert.ok(storageBytes - before > 3000 && storageBytes - before < 5000, `${storageBytes - before}`);
    await app.overlays.setQuotas('acme', { storageBytes });

    const refused = await acme.request('PATCH', `/identities/${id}`, { body: { tags: { note: 'x'.repeat(3900) } } });
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'QUOTA_EXCEEDED']);
    assert.equal((await acme.request('GET', `/identities/${id}`)).body.data.tags.note.length, 3000);
    assert.equal((await app.overlays.usage('acme')).storageBytes, storageBytes);
    assert.equal((await acme.request('PATCH', `/identities/${id}`, { body: { tags: {} } })).status, 200);
    const note = async (length: number) =>
      (await acme.request('PATCH', `/identities/${id}`, { body: { tags: { note: 'x'.repeat(length) } } })).status;
    assert.deepEqual([await note(3001), await note(3000)], [409, 200], 'up to the last byte');
    await app.overlays.setQuotas('acme', { storageBytes: 1 });
    assert.deepEqual([await note(2999), await note(3000)], [200, 409]);
    assert.equal((await acme.request('DELETE', `/identities/${id}`)).status, 200);
    assert.equal((await app.overlays.usage('acme')).storageBytes, before);
    await app.overlays.setQuotas('acme', { storageBytes: 1 });
    await newTenant(app.overlays, 'other');
    const again = await acme.request('POST', '/authenticate?method=password', {
      as: null,
      body: { username: 'admin', password: 'the-admin-password' },
    });
    assert.equal(again.status, 200);
    assert.equal((await acme.request('DELETE', '/current-api-session', { as: again.body.data.token })).status, 200);
  });

  test('limit the requests of a minute, and tell when the next one is answered', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database, { quotas: { requestsPerMinute: 6 } });
    const acme = await newTenant(app.overlays, 'acme');
    const other = await newTenant(app.overlays, 'other', { quotas: { requestsPerMinute: null } });
    const statuses = async (client: typeof acme, times: number) => {
      const all = [];
      for (let i = 0; i < times; i++) all.push((await client.request('GET', '/identities')).status);
      return all;
    };
    // The login was one.
    assert.deepEqual(await statuses(acme, 6), [200, 200, 200, 200, 200, 429]);
    const { headers, body } = await acme.request('GET', '/identities', { headers: { 'x-request-id': 'mine' } });
    assert.deepEqual([headers['retry-after'], body.error.code, body.error.requestId], ['10', 'RATE_LIMITED', 'mine']);
    assert.deepEqual(await statuses(other, 8), Array(8).fill(200));
    app.clock.advance('10s');
    assert.deepEqual(await statuses(acme, 2), [200, 429]);
    // The host's own code is not limited.
    await app.overlays.use('acme', async ({ api: { identities } }) => {
      for (let i = 0; i < 10; i++) await identities.list();
    });
  });

  test('hold for changes in a transaction of the host', async () => {
    await using database = newDatabase();
    const hooks = {
      inTransaction: async (change: { entity: string; entityId: string; action: string }, { transaction }: { transaction: unknown }) => {
        if (change.entity !== 'service' || change.action !== 'create') return;
        await inner?.api?.identities.create({ body: { ...ann, name: `made with ${change.entityId}` } }, { transaction });
      },
    };
    await using app = await openTenants(database, { hooks });
    await app.overlays.create({ name: 'acme' });
    const inner = await app.overlays.open('acme');
    const create = (name: string) => inner.api.services.create({ body: { name, encryptionRequired: true } });
    await create('one');
    const { storageBytes } = await app.overlays.usage('acme');
    await app.overlays.setQuotas('acme', { identities: 2 });
    await assert.rejects(create('two'), isCode('QUOTA_EXCEEDED'));
    const usage = await app.overlays.usage('acme');
    assert.deepEqual([usage.services, usage.identities, usage.storageBytes], [1, 2, storageBytes]);
  });

  test('hold for what a call leaves: one that creates some and deletes others may do so at the quota, in a batch and in a prune', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database, { quotas: { identities: 3, services: 1 } });
    await app.overlays.create({ name: 'acme' });
    await app.overlays.use('acme', async ({ api }) => {
      await api.identities.create({ body: ann });
      const declared = (person: string, service: string) => ({
        owner: 'test',
        identities: [{ name: person, type: 'User' }],
        services: [{ name: service, encryptionRequired: true }],
      });
      await api.state.apply({ body: { document: declared('bob', 'one') } });
      await api.state.apply({ body: { document: declared('carl', 'two'), prune: true } });
      assert.deepEqual((await api.identities.list({ sort: 'name' })).data.map(({ name }) => name).slice(-2), ['ann', 'carl']);
      assert.deepEqual(
        (await api.services.list()).data.map(({ name }) => name),
        ['two'],
      );
      const [carl] = (await api.identities.list({ filter: 'name = "carl"' })).data;
      const create = { operation: 'identities.create', input: { body: { ...ann, name: 'dora' } } } as const;
      const remove = { operation: 'identities.delete', input: { id: carl?.id ?? '' } } as const;
      await assert.rejects(api.batch.run({ body: { operations: [create] } }), isCode('QUOTA_EXCEEDED'));
      await api.batch.run({ body: { operations: [create, remove] } });
      assert.equal((await api.identities.list({ filter: 'name = "dora"' })).data.length, 1);
    });
    assert.equal((await app.overlays.usage('acme')).identities, 3);
  });
});
