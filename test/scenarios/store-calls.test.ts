import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteConflict } from '../../src/store/storage/errors.ts';
import { beforeTransactions, withTransactions } from '../support/altered-storage.ts';
import { onEveryStore } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const PAGE = 20;
/** The session takes three, and an identity is told of in another eight. */
const MOST_CALLS = 16;

onEveryStore('what a call asks of the store', (openPlain, store) => {
  const open = async () => {
    const { storage, asked } = counted(newStorage(store));
    // Without the provider, which looks after its logins once a minute, and without role indexes, which are scanned in the background.
    const app = await openPlain({ storage, oidc: false, settings: { roleIndexBytes: 0 } });
    for (let i = 0; i < PAGE; i++)
      await app.create('/identities', { name: `i${i}`, type: 'Device', isAdmin: false, roleAttributes: ['a', `b${i}`] });
    const serviceId = await app.create('/services', { name: 's', encryptionRequired: true, roleAttributes: ['a'] });
    for (let i = 0; i < PAGE; i++)
      await app.create('/service-policies', {
        name: `p${i}`,
        type: 'Dial',
        semantic: 'AllOf',
        identityRoles: ['#a', `#b${i}`],
        serviceRoles: ['#a'],
      });
    const [{ id }] = (await app.request('GET', '/identities?filter=name="i0"')).body.data;
    const ask = async (path: string) => {
      // Nothing is in memory but the session, and when grants end, which is read again after changes were missed.
      await app.forget();
      await app.request('GET', '/current-api-session');
      await app.settled();
      return asked(async () => {
        const { status, text } = await app.request('GET', path);
        assert.equal(status, 200, text);
      });
    };
    return { app, id, serviceId, ask, asked, [Symbol.asyncDispose]: () => app.close() };
  };

  test('a GET of a session is one transaction, from the session to the answer', async () => {
    await using network = await open();
    for (const path of ['/identities', `/identities/${network.id}`, `/services/${network.serviceId}/identities`, '/current-identity']) {
      const calls = await network.ask(path);
      assert.deepEqual(
        calls.filter((call) => call === 'read' || call === 'write'),
        ['read'],
        path,
      );
    }
  });

  test('a GET that was answered before reads only the revision of the store', async () => {
    await using network = await open();
    await network.app.forget();
    const paths = ['/identities', `/identities/${network.id}`, `/services/${network.serviceId}`, '/current-identity', '/version'];
    for (const path of [...paths, ...paths]) await network.app.request('GET', path);
    for (const path of paths) {
      const calls = await network.asked(() => network.app.request('GET', path));
      assert.deepEqual(calls, path === '/version' ? [] : ['read', 'revision'], path);
    }
  });

  test('a page of many costs as many calls as a page of two', async () => {
    await using network = await open();
    for (const path of ['/identities', '/service-policies', `/services/${network.serviceId}/identities`]) {
      const two = await network.ask(`${path}?limit=2`);
      assert.deepEqual(await network.ask(`${path}?limit=10`), two, path);
    }
  });

  test('a page of routers costs as many calls as one of two, with their enrollments and their presence', async () => {
    await using network = await open();
    for (let i = 0; i < 5; i++) await network.app.create('/edge-routers', { name: `edge ${i}` });
    for (let i = 0; i < 5; i++) await network.app.create('/routers', { name: `plain ${i}` });
    for (const [path, filter] of [
      ['/edge-routers', 'online = false'],
      ['/routers', 'name contains "plain"'],
      ['/enrollments', 'edgeRouter != null'],
    ] as const) {
      const ask = (limit: number) => network.ask(`${path}?limit=${limit}&filter=${encodeURIComponent(filter)}`);
      assert.deepEqual(await ask(4), await ask(2), path);
    }
  });

  test('an entity, policy advice and lists across policies take a few calls, and as many when there are more policies', async () => {
    await using network = await open();
    const { app, id, serviceId } = network;
    const paths = [
      `/identities/${id}`,
      `/identities/${id}/policy-advice/${serviceId}`,
      `/services/${serviceId}/identities`,
      `/identities/${id}/services`,
    ];
    const before = [];
    for (const path of paths) before.push(await network.ask(path));
    for (const calls of before) assert.ok(calls.length <= MOST_CALLS, calls.join(', '));
    for (let i = 0; i < PAGE; i++)
      await app.create('/service-policies', {
        name: `more-${i}`,
        type: 'Dial',
        semantic: 'AllOf',
        identityRoles: [`#b${i}`],
        serviceRoles: ['#a'],
      });
    for (const [i, path] of paths.entries()) assert.deepEqual(await network.ask(path), before[i], path);
  });

  test('the activity of a session is written down when the answer is there, once for all calls that come meanwhile', async () => {
    await using network = await open();
    network.app.clock.advance('1m');
    const calls = await network.asked(async () => {
      const path = `/identities/${network.id}`;
      for (const { status } of await Promise.all([1, 2, 3].map(() => network.app.request('GET', path)))) assert.equal(status, 200);
      await until(
        async () => (await network.app.rows('apiSession'))[0]?.lastActivityAt === new Date(network.app.clock.now()).toISOString(),
      );
    });
    assert.equal(calls.filter((call) => call === 'update apiSession').length, 1);
    assert.equal((await network.ask(`/identities/${network.id}`)).includes('write'), false);
  });

  test('a call that reads is answered while another writer holds the database, and its session lives on by it', async () => {
    const adapter = newStorage(store);
    const { promise: free, resolve: release } = Promise.withResolvers<void>();
    let isHeld = false;
    let lastWritten: unknown;
    const storage = withTransactions(adapter, (store) => async (mode, work) => {
      if (isHeld && mode === 'write') await free;
      const result = await store.transaction(mode, work);
      const rows = await store.transaction('read', (tx) => tx.list('apiSession', { where: { op: 'all' } }));
      lastWritten = rows[0]?.lastActivityAt;
      return result;
    });
    const app = await openPlain({ storage });
    isHeld = true;
    for (const minutes of ['29m', '29m', '29m']) {
      app.clock.advance(minutes);
      assert.equal((await app.request('GET', '/current-identity')).status, 200);
    }
    app.clock.advance('30m');
    assert.equal((await app.request('GET', '/current-identity')).status, 401, 'it ends by idling nevertheless');
    isHeld = false;
    release();
    await app.close();
    assert.equal(lastWritten, '2026-11-21T11:27:00.000Z', 'what is still to be written down is, before the store is closed');
  });

  test('a writer in the way of writing the activity down does not fail a call that reads, and the next call writes it', async () => {
    const adapter = newStorage(store);
    let isBusy = false;
    const storage = beforeTransactions(adapter, (mode) => {
      if (isBusy && mode === 'write') throw new WriteConflict();
    });
    await using app = await openPlain({ storage });
    const lastActivity = async () => (await app.rows('apiSession')).map((row) => row.lastActivityAt);
    const before = await lastActivity();
    app.clock.advance('1m');
    isBusy = true;
    assert.equal((await app.request('GET', '/identities')).status, 200);
    assert.deepEqual(await lastActivity(), before);
    await until(() =>
      app.log.join().includes('could not store the last activity of API sessions; the next call of each session stores it again'),
    );
    assert.deepEqual(await lastActivity(), before);
    isBusy = false;
    await app.request('GET', '/identities');
    await until(async () => (await lastActivity())[0] === '2026-11-21T10:01:00.000Z');
  });
});
