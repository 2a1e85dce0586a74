import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteConflict } from '../../src/storage/errors.ts';
import type { StorageAdapter } from '../../src/storage/port.ts';
import { onEveryStore } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { newStorage } from '../support/stores.ts';

const PAGE = 20;
/** The session takes three, and an identity is told of in another eight. */
const MOST_CALLS = 16;

onEveryStore('what a call asks of the store', (openPlain, store) => {
  const open = async () => {
    const { storage, asked } = counted(newStorage(store));
    const app = await openPlain({ storage });
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
    const ask = (path: string) =>
      asked(async () => {
        const { status, text } = await app.request('GET', path);
        assert.equal(status, 200, text);
      });
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

  test('the activity of a session is written when the answer is there', async () => {
    await using network = await open();
    network.app.clock.advance('1m');
    const calls = await network.ask(`/identities/${network.id}`);
    assert.deepEqual(calls.slice(-3), ['write', 'get apiSession', 'update apiSession']);
    assert.equal((await network.ask(`/identities/${network.id}`)).includes('write'), false);
  });

  test('a writer in the way of writing the activity down does not fail a call that reads, and the next call writes it', async () => {
    const adapter = newStorage(store);
    let isBusy = false;
    const storage: StorageAdapter = {
      open: async (schema) => {
        const real = await adapter.open(schema);
        return {
          transaction: async (mode, work) => {
            if (isBusy && mode === 'write') throw new WriteConflict();
            return real.transaction(mode, work);
          },
          join: (host) => real.join(host),
          close: () => real.close(),
        };
      },
    };
    await using app = await openPlain({ storage });
    const lastActivity = async () => (await app.rows('apiSession')).map((row) => row.lastActivityAt);
    const before = await lastActivity();
    app.clock.advance('1m');
    isBusy = true;
    assert.equal((await app.request('GET', '/identities')).status, 200);
    assert.deepEqual(await lastActivity(), before);
    assert.match(app.log.join(), /the activity of a session was not written down/);
    isBusy = false;
    await app.request('GET', '/identities');
    assert.deepEqual(await lastActivity(), ['2026-11-21T10:01:00.000Z']);
  });
});
