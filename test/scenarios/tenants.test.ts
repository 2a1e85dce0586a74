import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/index.ts';
import { ADMIN } from '../support/app.ts';
import { frozenClock } from '../support/clock.ts';
import {
  administratorOf,
  byHost,
  clientOf,
  exported,
  isLost,
  newTenant,
  onEveryTenantStore,
  openLost,
  openTenants,
} from '../support/tenants.ts';

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;
const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

onEveryTenantStore('tenants', (newDatabase) => {
  test('are made, listed by name, and found by every process', async () => {
    await using database = newDatabase();
    await using one = await openTenants(database);
    await using two = await openTenants(database);
    const made = await two.overlays.create({ name: 'bravo', administrator: ADMIN });
    assert.deepEqual(made.firstAdministrator, ADMIN);
    await one.overlays.create({ name: 'acme' });
    const names = async (page?: { after?: string; limit?: number }) => (await two.overlays.list(page)).map(({ name }) => name);
    assert.deepEqual([await names(), await names({ limit: 1 }), await names({ after: 'acme' })], [['acme', 'bravo'], ['acme'], ['bravo']]);
    assert.deepEqual(await one.overlays.find('bravo'), { id: made.id, name: 'bravo', createdAt: made.createdAt });
    assert.equal(await one.overlays.find('nobody'), undefined);
    await administratorOf(byHost(one.overlays), 'bravo');
  });

  test('have a name that no other has, and that fits a host name', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    await app.overlays.create({ name: 'acme' });
    for (const name of ['acme', '', 'Acme', 'a.b', '-a', 'a/b', 'ä', 'a'.repeat(64)])
      await assert.rejects(app.overlays.create({ name }), isCode('COULD_NOT_VALIDATE'), name);
    const both = await Promise.allSettled([1, 2].map(() => app.overlays.create({ name: 'bravo' })));
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.deepEqual((await app.overlays.list()).length, 2);
  });

  test('may use the same names, and see nothing of each other', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    const [acme, bravo] = [await newTenant(app.overlays, 'acme'), await newTenant(app.overlays, 'bravo')];
    const id = await acme.create('/identities', ann);
    await bravo.create('/identities', ann);
    assert.equal((await bravo.request('GET', `/identities/${id}`)).status, 404);
    assert.equal((await bravo.request('GET', '/identities', { as: acme.admin })).status, 401);
    const own = await app.overlays.use('acme', ({ api: { identities } }) => identities.list({ filter: 'name = "ann"' }));
    assert.deepEqual(
      own.data.map((identity) => identity.id),
      [id],
    );
  });

  test('are erased in all processes at once: sessions, streams and open controllers end, and nothing is left', async () => {
    await using database = newDatabase();
    await using one = await openTenants(database);
    await using two = await openTenants(database);
    await newTenant(one.overlays, 'bravo');
    const acme = await newTenant(one.overlays, 'acme');
    const elsewhere = await administratorOf(byHost(two.overlays), 'acme');
    for (let i = 0; i < 120; i++) await acme.create('/identities', { ...ann, name: `ann ${i}` });
    const controller = await two.overlays.open('acme');
    assert.equal((await elsewhere.request('GET', '/identities')).status, 200);
    const { id = '' } = (await one.overlays.find('acme')) ?? {};
    const { rows } = await exported(one.overlays, 'bravo');
    assert.ok((await database.leftOf(id)) > 240);

    assert.equal(await one.overlays.erase('acme'), true);
    const never = clientOf(byHost(one.overlays), 'never', acme.admin);
    for (const path of ['/identities', '/current-api-session', '/nowhere', '/oidc/authorize'])
      for (const client of [acme, elsewhere]) {
        const headers = { 'x-request-id': 'the-same' };
        assert.deepEqual(await client.request('GET', path, { headers }), await never.request('GET', path, { headers }));
      }
    await assert.rejects(controller.api.identities.list(), isCode('NOT_FOUND'));
    await assert.rejects(controller.api.identities.create({ body: ann }), isCode('NOT_FOUND'));
    await assert.rejects(one.overlays.open('acme'), isCode('NOT_FOUND'));
    assert.equal(await two.overlays.erase('acme'), false);
    assert.equal(await database.leftOf(id), 0);
    assert.deepEqual((await exported(one.overlays, 'bravo')).rows, rows);
  });

  test('are made anew under the name of an erased one, which they share nothing with', async () => {
    await using database = newDatabase();
    await using one = await openTenants(database);
    await using two = await openTenants(database);
    const before = await newTenant(one.overlays, 'acme');
    const elsewhere = await administratorOf(byHost(two.overlays), 'acme');
    await one.overlays.erase('acme');
    const after = await newTenant(one.overlays, 'acme');
    assert.equal((await before.request('GET', '/identities')).status, 401);
    assert.equal((await after.request('GET', '/identities')).status, 200);
    // The other process learns from the first request that the former one is gone.
    assert.deepEqual(
      [(await elsewhere.request('GET', '/identities')).status, (await elsewhere.request('GET', '/identities')).status],
      [404, 401],
    );
  });

  test('are erased by the next process when one is lost in the middle of it', async () => {
    await using database = newDatabase();
    const clock = frozenClock();
    let isErased = false;
    for (let writes = 1; !isErased; writes += 2) {
      await using one = await openTenants(database, { clock });
      const acme = await newTenant(one.overlays, 'acme');
      const { id = '' } = (await one.overlays.find('acme')) ?? {};
      const lost = await openLost(database, { clock }, writes);
      isErased = (await lost.overlays.erase('acme').catch(isLost)) && (await lost.overlays.list().catch(() => undefined)) !== undefined;
      await lost.overlays.close().catch(isLost);
      // From the first write on, nobody finds it, and from the second on nobody uses it, whatever there is left to do.
      if (writes > 1) assert.equal((await acme.request('GET', '/identities')).status, 404);
      assert.equal(await one.overlays.find('acme'), undefined);

      await using next = await openTenants(database, { clock });
      await next.overlays.tidy();
      assert.equal(await database.leftOf(id), 0, `lost after ${writes} writes`);
    }
  });

  test('are not there when the process is lost that makes them, and leave nothing either', async () => {
    await using database = newDatabase();
    const clock = frozenClock();
    const ids = new Set<string>();
    let isMade = false;
    for (let writes = 1; !isMade; writes++) {
      const lost = await openLost(database, { clock }, writes, (namespace) => ids.add(namespace.replace('tenant/', '')));
      const made = await lost.overlays.create({ name: 'acme' }).catch(isLost);
      isMade = made !== true;
      await lost.overlays.close().catch(isLost);
    }
    ids.delete('tenants');
    await using one = await openTenants(database, { clock });
    const made = await one.overlays.find('acme');
    ids.delete(made?.id ?? '');
    // Another process may still be making them.
    clock.advance('61m');
    await one.overlays.tidy();
    assert.ok(ids.size >= 5);
    for (const id of ids) assert.equal(await database.leftOf(id), 0);
    assert.deepEqual(await one.overlays.list(), [made]);
    assert.equal((await one.overlays.usage('acme')).identities, 1);
  });
});
