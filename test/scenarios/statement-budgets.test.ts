import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { createSemaphore } from '../../src/concurrency/semaphore.ts';
import type { OperationEvent } from '../../src/index.ts';
import type { StorageAdapter } from '../../src/storage/port.ts';
import { onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { newStorage } from '../support/stores.ts';

const C = '/edge/client/v1';

onEveryStore('statements of a call by a session that is known', (open) => {
  const openNetwork = async () => {
    const events: OperationEvent[] = [];
    const app = await open({ observe: (event) => void (event.type === 'operation' && events.push(event)) });
    const ids: string[] = [];
    for (let i = 0; i < 30; i++)
      ids.push(await app.create('/identities', { name: `i${i}`, type: 'Device', isAdmin: false, roleAttributes: ['a'] }));
    const serviceId = await app.create('/services', { name: 's', encryptionRequired: true, roleAttributes: ['a'] });
    const roles = { identityRoles: ['#a'], serviceRoles: ['#a'] };
    await app.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AllOf', ...roles });
    // From here on the session, its identity and its policy are known.
    assert.equal((await app.request('GET', '/current-identity')).status, 200);
    const statements = async (method: string, path: string, body?: unknown): Promise<number> => {
      events.length = 0;
      const { status, text } = await app.request(method, path, body === undefined ? {} : { body });
      assert.equal(status, 200, text);
      return events[0]?.statements ?? Number.NaN;
    };
    return { app, ids, serviceId, statements, [Symbol.asyncDispose]: () => app.close() };
  };

  test('an entity that was not read before: its row, and what hangs on it', async () => {
    await using network = await openNetwork();
    assert.ok((await network.statements('GET', `/services/${network.serviceId}`)) <= 3);
    assert.ok((await network.statements('GET', `/identities/${network.ids[3]}`)) <= 3);
  });

  test('an entity that was read before, however often its session is used', async () => {
    await using network = await openNetwork();
    for (const path of [`/identities/${network.ids[3]}`, '/current-identity']) {
      await network.statements('GET', path);
      assert.ok((await network.statements('GET', path)) <= 2, path);
    }
  });

  test('a page: its rows, their number, and what hangs on them', async () => {
    await using network = await openNetwork();
    assert.ok((await network.statements('GET', '/services')) <= 4);
    assert.ok((await network.statements('GET', '/identities')) <= 4);
    assert.ok((await network.statements('GET', '/identities?filter=isAdmin=false&sort=name')) <= 4);
    assert.ok((await network.statements('GET', '/service-policies')) <= 4);
  });

  test('a poll for service updates without news', async () => {
    await using network = await openNetwork();
    const path = `${C}/current-api-session/service-updates`;
    await network.statements('GET', path);
    assert.ok((await network.statements('GET', path)) <= 2);
    await network.app.create('/config-types', { name: 'another' });
    assert.ok((await network.statements('GET', path)) <= 3, 'a change that concerns no list of services');
  });

  test('a change of an entity, with its record in the change log', async () => {
    await using network = await openNetwork();
    assert.ok((await network.statements('PATCH', `/identities/${network.ids[3]}`, { roleAttributes: ['b'] })) <= 7);
    assert.ok((await network.statements('PATCH', `/identities/${network.ids[4]}`, { roleAttributes: ['c'] })) <= 7);
  });
});

test('reads of ordinary sessions that wait for connections begin once, when the sessions are known', async () => {
  let begun = 0;
  const adapter = memoryStorage();
  const storage: StorageAdapter = {
    open: async (schema) => {
      const store = await adapter.open(schema);
      return {
        places: createSemaphore(1),
        transaction: (...args) => {
          begun++;
          return store.transaction(...args);
        },
        join: (host) => store.join(host),
        close: () => store.close(),
      };
    },
  };
  await using app = await openApp('memory', { storage, secretKey: SECRET_KEY });
  const as = await (await app.user()).login();
  const readAtOnce = async () => {
    begun = 0;
    const answers = await Promise.all(Array.from({ length: 4 }, () => app.request('GET', '/current-identity', { as })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    return begun;
  };
  assert.ok((await readAtOnce()) > 4, 'at first, who it is that calls is found out in the transaction');
  await app.settled();
  assert.equal(await readAtOnce(), 4);
});

onEveryStore('places for reads', (open, store) => {
  test('an ordinary session gives its place back after every call, though nothing is remembered of it', async () => {
    const adapter = newStorage(store);
    const storage: StorageAdapter = {
      open: async (schema) => {
        const opened = await adapter.open(schema);
        return {
          places: createSemaphore(1),
          beginsLate: opened.beginsLate === true,
          transaction: (...args) => opened.transaction(...args),
          join: (host) => opened.join(host),
          close: () => opened.close(),
        };
      },
    };
    await using app = await open({ storage, settings: { readCacheBytes: 0, requestTimeoutMs: 5000 } });
    const as = await (await app.user()).login();
    const request = async (method: string, path: string, body?: unknown) =>
      (await app.request(method, path, { as, ...(body === undefined ? {} : { body }) })).status;
    for (let turn = 0; turn < 3; turn++) {
      assert.equal(await request('GET', '/current-identity'), 200);
      assert.equal(await request('POST', `${C}/sessions`, { serviceId: 'none', type: 'Dial' }), 404);
      assert.equal(await request('GET', '/identities/none'), 401);
    }
  });
});
