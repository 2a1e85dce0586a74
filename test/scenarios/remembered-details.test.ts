import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { newSharedStorage } from '../support/stores.ts';

const CONTROLLERS = 2;
const ACTIONS = [
  'rename',
  'tag',
  'service',
  'policy',
  'renamePolicy',
  'password',
  'noPassword',
  'enroll',
  'login',
  'logout',
  'off',
  'on',
  'wait',
] as const;

const steps = fc.array(fc.record({ by: fc.nat({ max: CONTROLLERS - 1 }), of: fc.nat({ max: 1 }), does: fc.constantFrom(...ACTIONS) }), {
  minLength: 3,
  maxLength: 14,
});

/** Lists that are compared, by the collection that they are of. */
const LISTS: Readonly<Record<string, (users: readonly User[]) => readonly string[]>> = {
  '/identities': () => ['/identities?limit=100', '/identities?limit=2&offset=1&sort=name', '/identities?roleFilter=%23a1'],
  '/service-policies': (users) => users.map(({ id }) => `/identities/${id}/service-policies`),
  '/auth-policies': () => ['/auth-policies?sort=name'],
};

interface User {
  readonly id: string;
  readonly token: string;
  readonly name: string;
}

onEveryStore('details of entities, which are remembered', (open, store) => {
  test('are always, alone and in lists, those that a controller shows that remembers nothing', async () => {
    const property = fc.asyncProperty(steps, async (random) => {
      await using shared = newSharedStorage(store);
      let waited = 0;
      const opened = async (settings = {}) => {
        const storage = shared.adapter();
        const app = await openApp(store, { storage, settings, secretKey: storage.secretKey ?? SECRET_KEY });
        for (let turn = 0; turn < waited; turn++) await wait(app);
        return app;
      };
      await using first = await opened();
      await using second = await opened();
      await using plain = await opened({ readCacheBytes: 0, roleIndexBytes: 0 });
      const apps: readonly App[] = [first, second];
      const policyId = await first.create(
        '/auth-policies',
        policyBody('other', { extJwt: { allowed: false }, secondary: { requireExtJwtSigner: null } }),
      );
      const serviceId = await first.create('/services', { name: 'web', encryptionRequired: true });
      const roles = { identityRoles: ['#a'], serviceRoles: [`@${serviceId}`] };
      await first.create('/service-policies', { name: 'web', type: 'Dial', semantic: 'AnyOf', ...roles });
      const users: User[] = [];
      for (const name of ['ann', 'bob']) {
        const user = await first.user();
        users.push({ id: user.id, token: await user.login(), name });
      }
      let serial = 0;
      for (const { by, of, does } of random) {
        const [app, user] = [apps[by] as App, users[of] as User]; // as many as there may be
        const path = `/identities/${user.id}`;
        const ask = (method: string, at: string, body: unknown = {}) => app.request(method, at, { body });
        serial++;
        if (does === 'rename') await ask('PATCH', path, { name: `n${serial}`, roleAttributes: [`a${serial % 2}`] });
        if (does === 'tag') await ask('PATCH', path, { tags: { serial: String(serial) }, appData: { serial: String(serial) } });
        if (does === 'service') await ask('PATCH', `/services/${serviceId}`, { name: `s${serial}` });
        if (does === 'policy') await ask('PATCH', path, { authPolicyId: serial % 2 ? policyId : 'default' });
        if (does === 'renamePolicy') await ask('PATCH', `/auth-policies/${policyId}`, { name: `p${serial}` });
        if (does === 'password')
          await ask('POST', '/authenticators', { method: 'updb', identityId: user.id, username: `u${serial}`, password: PASS });
        if (does === 'noPassword') await removed(app, '/authenticators', user.id);
        if (does === 'enroll')
          await ask('POST', '/enrollments', { method: 'ott', identityId: user.id, expiresAt: '2100-01-01T00:00:00.000Z' });
        if (does === 'login')
          await app.request('POST', '/authenticate?method=password', { as: null, body: { username: `u${serial - 1}`, password: PASS } });
        if (does === 'logout') await removed(app, '/api-sessions', user.id);
        if (does === 'off') await ask('POST', `${path}/disable`, { durationMinutes: serial % 2 ? 0 : 10 });
        if (does === 'on') await ask('POST', `${path}/enable`);
        if (does === 'wait') {
          waited++;
          for (const each of [...apps, plain]) await wait(each);
        }
        for (const each of apps)
          for (const [collection, lists] of Object.entries(LISTS)) await assertSame(each, plain, collection, lists(users));
      }
      await using fresh = await opened();
      for (const { id, token } of users) {
        const shown = (await fresh.request('GET', `/identities/${id}`)).body.data;
        for (const each of apps) assert.deepEqual((await each.request('GET', `/identities/${id}`)).body.data, shown);
        const own = async (app: App) => {
          const { status, body } = await app.request('GET', '/current-identity', { as: token });
          return [status, body.data];
        };
        const shownOwn = await own(fresh);
        for (const each of apps) assert.deepEqual(await own(each), shownOwn);
      }
    });
    await fc.assert(property, { numRuns: store === 'memory' ? 20 : 5 });
  });

  test('tell of an API session until it has ended by itself', async () => {
    await using app = await open();
    const user = await app.user();
    const hasApiSession = async () => (await app.request('GET', `/identities/${user.id}`)).body.data.hasApiSession;
    assert.equal(await hasApiSession(), false);
    const as = await user.login();
    assert.deepEqual([await hasApiSession(), await hasApiSession()], [true, true]);
    await wait(app);
    assert.equal(await hasApiSession(), true);
    assert.equal((await app.request('GET', '/current-identity', { as })).body.data.hasApiSession, true);
    await wait(app);
    assert.equal(await hasApiSession(), true, 'it was active 20 minutes ago');
    await wait(app);
    assert.equal(await hasApiSession(), false);
  });
});

const PASS = 'a-good-Passw0rd';
/** Some time, in which the administrator's session is used. */
const wait = async (app: App): Promise<void> => {
  app.clock.advance('20m');
  await app.request('GET', '/current-identity');
  await app.settled();
};

const removed = async (app: App, path: string, identityId: string): Promise<void> => {
  const filter = encodeURIComponent(`identity = "${identityId}"`);
  for (const { id } of (await app.request('GET', `${path}?filter=${filter}`)).body.data ?? []) await app.request('DELETE', `${path}/${id}`);
};

/**
 * Compares lists and details with what a controller shows that remembers nothing, in a list without a limit, of which nobody remembers anything. Asked
 * twice: the second answer may be a remembered one.
 */
const assertSame = async (app: App, plain: App, collection: string, lists: readonly string[]): Promise<void> => {
  const shown = new Map<string, unknown>(
    (await plain.request('GET', `${collection}?limit=-1`)).body.data.map((entity: { id: string }) => [entity.id, entity]),
  );
  for (const list of lists) {
    const expected = (await plain.request('GET', list)).body;
    const data = expected.data.map(({ id }: { id: string }) => shown.get(id));
    for (let i = 0; i < 2; i++) assert.deepEqual((await app.request('GET', list)).body, { ...expected, data }, list);
  }
  for (const [id, entity] of shown)
    for (let i = 0; i < 2; i++) assert.deepEqual((await app.request('GET', `${collection}/${id}`)).body.data, entity);
};
