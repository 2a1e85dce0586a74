import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import type { OperationEvent } from '../../src/index.ts';
import { withTransactions } from '../support/altered-storage.ts';
import { giveToken } from '../support/api-tokens.ts';
import { ADMIN, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';

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
    const statements = async (method: string, path: string, body?: unknown, as = app.admin): Promise<number> => {
      events.length = 0;
      const { status, text } = await app.request(method, path, body === undefined ? { as } : { as, body });
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

  test('a request with an API token that is known: as many as with a session', async () => {
    await using network = await openNetwork();
    const { app } = network;
    const { secret: as } = await giveToken(app, network.ids[3] ?? '', { permissions: [] });
    const owner = await app.user({ permissions: ['identity.read'] });
    const { secret } = await giveToken(app, owner.id, { permissions: ['identity.read'] });
    for (const [token, path, most] of [
      [as, '/current-identity', 2],
      [secret, `/identities/${network.ids[3]}`, 4],
    ] as const) {
      for (let i = 0; i < 3; i++) await app.request('GET', path, { as: token });
      await app.settled();
      assert.ok((await network.statements('GET', path, undefined, token)) <= most, path);
    }
  });

  test('a poll for service updates without news', async () => {
    await using network = await openNetwork();
    const path = `${C}/current-api-session/service-updates`;
    await network.statements('GET', path);
    assert.ok((await network.statements('GET', path)) <= 2);
    await network.app.create('/config-types', { name: 'another' });
    assert.ok((await network.statements('GET', path)) <= 3, 'a change that concerns no list of services');
  });

  test('a change of an entity, with its record in the change log and the policy tests that it might break', async () => {
    await using network = await openNetwork();
    assert.ok((await network.statements('PATCH', `/identities/${network.ids[3]}`, { roleAttributes: ['b'] })) <= 8);
    assert.ok((await network.statements('PATCH', `/identities/${network.ids[4]}`, { roleAttributes: ['c'] })) <= 8);
    const { app } = network;
    const config = await app.create('/config-types', { name: 'another' });
    assert.ok((await network.statements('PATCH', `/config-types/${config}`, { name: 'a third' })) <= 7, 'no policy test can depend on it');
  });
});

test('a call has the priority of its caller once that is known, and runs once', async () => {
  const given: unknown[] = [];
  const storage = withTransactions(memoryStorage(), (store) => async (mode, work, options = {}) => {
    if (!options.priority) return store.transaction(mode, work, options);
    const before = options.priority();
    const result = await store.transaction(mode, work, options);
    given.push([before, options.priority()]);
    return result;
  });
  await using app = await openApp('memory', { storage, secretKey: SECRET_KEY });
  const user = await app.user();
  const as = await user.login();
  const during = async (work: () => Promise<unknown>) => {
    given.length = 0;
    await work();
    return given.slice();
  };
  assert.deepEqual(await during(() => app.request('GET', '/current-identity', { as })), [[undefined, 'ordinary']]);
  assert.deepEqual(await during(() => app.request('GET', '/current-identity')), [[undefined, 'reserved']]);
  const ofLogin = await during(() => app.login(ADMIN.username, ADMIN.password));
  assert.ok(ofLogin.length > 0 && ofLogin.every((each) => isDeepStrictEqual(each, ['reserved', 'reserved'])));
});
