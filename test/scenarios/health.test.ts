import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { ManagementController, probes, StoreUnavailable, webPlatform } from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { beforeTransactions, readOnlyWhile } from '../support/altered-storage.ts';
import { type App, type OpenOptions, onEveryStore } from '../support/app.ts';
import { frozenClock } from '../support/clock.ts';
import { authority, NOW, party, sharedPki } from '../support/pki.ts';
import { newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const DAY = 86_400_000;

const concernsOf = async ({ controller }: Pick<App, 'controller'>) =>
  (await controller.health()).reasons.map(({ concerns, severity }) => `${concerns} ${severity}`);

const ask = async (app: Pick<App, 'controller'>, path: string, { method = 'GET', remoteAddress = '192.0.2.1' } = {}) => {
  const answer = await probes(app.controller).handle({
    method,
    target: path,
    header: () => undefined,
    body: async () => new Uint8Array(),
    remoteAddress,
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(String(answer.body)) };
};

onEveryStore('health', (open, store) => {
  test('a controller without troubles is healthy, without reasons', async () => {
    const app = await open();
    assert.deepEqual(await app.controller.health(), { isHealthy: true, store: 'ready', reasons: [] });
  });

  test('the API tells administrators and those who may read operations what is wrong, and nobody else', async () => {
    const { root } = await sharedPki();
    const signer = await authority('signer', { by: root, pathLength: 0, notAfter: NOW + 10 * DAY });
    const app = await open({ pki: { certificates: signer.cert, anchors: root.cert, key: signer.key } });
    const health = '/edge/management/extensions/v1/health';
    const told = await app.request('GET', health);
    assert.deepEqual(told.body.data, {
      isHealthy: true,
      store: 'ready',
      reasons: [
        {
          concerns: 'certificate',
          severity: 'warning',
          message: `the certificate that signs certificates expires at ${new Date(NOW + 10 * DAY).toISOString()}`,
        },
      ],
    });
    const reader = await app.user({ permissions: ['ops.read'] });
    assert.equal((await app.request('GET', health, { as: await reader.login() })).status, 200);
    const other = await app.user({ permissions: ['service'] });
    assert.equal((await app.request('GET', health, { as: await other.login() })).status, 401);
  });

  test('a database that does not answer is an error, as long as it does not', async () => {
    let isAway = false;
    const storage = beforeTransactions(newStorage(store), () => {
      if (isAway) throw new StoreUnavailable('the connection to 10.1.2.3 was lost');
    });
    const app = await open({ storage });
    isAway = true;
    const health = await app.controller.health();
    assert.deepEqual([health.isHealthy, health.store], [false, 'away']);
    assert.deepEqual(await concernsOf(app), ['database error']);
    assert.ok(!JSON.stringify(health).includes('10.1.2.3'), 'where the database is, is not told');
    isAway = false;
    // A write of the controller's own may have failed meanwhile: that is a warning until one succeeds.
    await app.create('/config-types', { name: 'a' });
    assert.deepEqual(await concernsOf(app), []);
  });

  test('a database that answers and takes no writes is a warning, until one succeeds', async () => {
    let isFull = false;
    const app = await open({ storage: readOnlyWhile(newStorage(store), () => isFull) });
    isFull = true;
    // A write that the controller has begun before may still succeed.
    await until(async () => {
      assert.equal((await app.request('POST', '/config-types', { body: { name: 'a' } })).status, 503);
      return (await concernsOf(app)).length > 0;
    });
    assert.deepEqual(await concernsOf(app), ['database warning']);
    assert.equal((await app.controller.health()).isHealthy, true, 'reads are answered');
    isFull = false;
    await app.create('/config-types', { name: 'a' });
    assert.deepEqual(await concernsOf(app), []);
  });

  test('a certificate that ends within a fortnight is a warning, and an error once it has ended', async () => {
    const { root } = await sharedPki();
    const signer = await authority('signer', { by: root, pathLength: 0, notAfter: NOW + 20 * DAY });
    const server = await party('server', { by: signer, notAfter: NOW + 10 * DAY });
    const app = await open({
      pki: { certificates: signer.cert, anchors: root.cert, key: signer.key },
      serverCertificate: () => server,
    });
    assert.deepEqual(await concernsOf(app), ['certificate warning'], "the server's");
    app.clock.advance('7d');
    assert.deepEqual(await concernsOf(app), ['certificate warning', 'certificate warning']);
    app.clock.advance('14d');
    assert.deepEqual(await concernsOf(app), ['certificate error', 'certificate error']);
  });

  test('a clock that is behind the latest change is a warning', async () => {
    const storage = newStorage(store);
    let now = NOW + 300_000;
    const app = await open({ storage, platform: { clock: { now: () => now } } });
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    assert.deepEqual(await concernsOf(app), []);
    now = NOW;
    const { reasons } = await app.controller.health();
    assert.deepEqual(
      reasons.map(({ message }) => message),
      ['the clock is 300 seconds behind the latest change in the database: this clock, or that of another controller, is wrong'],
    );
  });

  test('a member that could not renew its lease is reported as such', async () => {
    const app = await open({ member: { name: 'one' } });
    assert.deepEqual(await concernsOf(app), []);
    const row = (await app.rows('controller'))[0];
    await app.alter('controller', row?.id ?? '', { onlineUntil: '2026-11-21T09:59:59.000Z' });
    assert.deepEqual(await concernsOf(app), ['lease warning']);
  });

  test('probes tell everybody whether it is ready, and the sentences only to this machine', async () => {
    const { root } = await sharedPki();
    const signer = await authority('signer', { by: root, pathLength: 0, notAfter: NOW - 1 });
    const app = await open({ pki: { certificates: signer.cert, anchors: root.cert, key: signer.key } } satisfies OpenOptions);
    assert.deepEqual((await ask(app, '/health')).body, { status: 'up' });
    const far = await ask(app, '/ready?verbose');
    assert.deepEqual([far.status, far.body], [503, { status: 'unready', reasons: [{ concerns: 'certificate', severity: 'error' }] }]);
    assert.deepEqual([far.headers['cache-control'], far.headers['x-content-type-options']], ['no-store', 'nosniff']);
    for (const remoteAddress of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      assert.match(
        (await ask(app, '/ready', { remoteAddress })).body.reasons[0].message,
        /^the certificate that signs certificates expired at /,
      );
    assert.equal((await ask(app, '/ready', { method: 'POST' })).status, 405);
    assert.equal((await ask(app, '/identities')).status, 404);
    const ready = await open();
    assert.deepEqual(await ask(ready, '/ready').then(({ status, body }) => ({ status, body })), {
      status: 200,
      body: { status: 'ready', reasons: [] },
    });
  });

  test('statistics count what there is, and what waits', async () => {
    const app = await open();
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    const { entities, queues, connectedRouters, roleIndexes } = await app.controller.statistics();
    assert.deepEqual([entities.identity, entities.apiSession, entities.edgeRouter, entities.service], [2, 1, 0, 0]);
    assert.deepEqual(queues.passwordChecks, { running: 0, waiting: 0 });
    assert.equal(connectedRouters, 0);
    assert.deepEqual(roleIndexes, {});
    assert.ok(!('keptSecret' in entities));
    await app.create('/identities', { name: 'bob', type: 'User', isAdmin: false });
    assert.equal((await app.controller.statistics()).entities.identity, 2, 'counted a moment ago');
    app.clock.advance('5s');
    assert.equal((await app.controller.statistics()).entities.identity, 3);
  });
});

test('an address that was never set is reported by the log once, and by health', async () => {
  const warned: string[] = [];
  const logger = { error: assert.fail, warn: (message: string) => void warned.push(message), info: () => undefined };
  const controller = await ManagementController.open({
    storage: memoryStorage(),
    platform: webPlatform({ clock: frozenClock(), passwords: fastPasswordHasher(), logger }),
  });
  assert.deepEqual(await concernsOf({ controller }), ['address warning']);
  assert.equal((await controller.health()).isHealthy, true);
  assert.deepEqual(
    warned.map((message) => message.split(':')[0]),
    ['settings.address is not set'],
  );
  await controller.close();
});
