import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageError, StoreBusy, StoreUnavailable } from '../../src/store/storage/errors.ts';
import { beforeTransactions } from '../support/altered-storage.ts';
import { onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { aRouterCertificate } from '../support/routers.ts';
import { newStorage } from '../support/stores.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

onEveryStore('a store that fails', (open, store) => {
  const failing = async () => {
    let fault: Error | undefined;
    const storage = beforeTransactions(newStorage(store), () => {
      if (fault) throw fault;
    });
    const logged: { level: string; message: string; details: Readonly<Record<string, unknown>> }[] = [];
    const at =
      (level: string) =>
      (message: string, details: Readonly<Record<string, unknown>> = {}) =>
        void logged.push({ level, message, details });
    const app = await open({ storage, platform: { logger: { error: at('error'), warn: at('warn'), info: at('info') } } });
    return { app, logged, fail: (error: Error | undefined) => void (fault = error), [Symbol.asyncDispose]: () => app.close() };
  };

  test('an outage is logged once, with the request, and then every ten seconds with how often it was', async () => {
    await using network = await failing();
    const { app, logged, fail } = network;
    fail(new StoreUnavailable('the database is unavailable: ECONNREFUSED'));
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const refused = await app.request(i % 2 ? 'GET' : 'POST', '/identities', { body: ann });
      assertRefused(refused, 503, 'SERVER_UNAVAILABLE');
      assert.equal(refused.headers['retry-after'], '5');
      assert.doesNotMatch(refused.text, /ECONNREFUSED/);
      ids.push(refused.body.error.requestId);
    }
    const outages = () =>
      logged.filter(({ message }) => message === 'the database is unavailable: calls are answered with 503 until it responds');
    assert.deepEqual(
      outages().map(({ level, details }) => [level, details.requestId]),
      [['error', ids[0]]],
    );
    assert.match(String(outages()[0]?.details.error), /ECONNREFUSED/);
    app.clock.advance('9999ms');
    await app.request('GET', '/identities');
    assert.equal(outages().length, 1);
    app.clock.advance('1ms');
    await assert.rejects(app.controller.api.identities.list(), { code: 'SERVER_UNAVAILABLE', retryAfter: 5 });
    assert.deepEqual([outages().length, outages()[1]?.details.failedSince], [2, 5]);
    fail(undefined);
    assert.equal((await app.request('GET', '/identities')).status, 200);
  });

  test('an outage leaves one line in the log, whether calls come over HTTP, in process, with a session, or from the host of routers', async () => {
    await using network = await failing();
    const { app, logged, fail } = network;
    const { certificates } = await aRouterCertificate(app);
    const connection = await app.controller.presence.connect({ certificates });
    const as = app.controller.as(app.admin);
    const away = { name: 'ApiError', code: 'SERVER_UNAVAILABLE', status: 503, retryAfter: 5 };
    await app.settled();
    logged.length = 0;
    fail(new StoreUnavailable('the database is unavailable: ECONNREFUSED'));
    for (const call of [
      () => app.controller.api.identities.list(),
      () => app.controller.api.identities.create({ body: ann }),
      () => as.identities.list(),
      () => as.identities.create({ body: ann }),
      () => app.controller.api.authentication.authenticate({ method: 'password', body: { username: 'someone', password: 'a password' } }),
      () => connection.identityConnected('ann'),
      () => connection.interfaces([]),
      () => app.controller.presence.connect({ certificates }),
    ])
      await assert.rejects(call(), away);
    assertRefused(await app.request('GET', '/identities'), 503, 'SERVER_UNAVAILABLE');
    assertRefused(await app.request('POST', '/identities', { body: ann }), 503, 'SERVER_UNAVAILABLE');
    await app.settled();
    assert.deepEqual(
      logged.map(({ level, message }) => [level, message]),
      [['error', 'the database is unavailable: calls are answered with 503 until it responds']],
    );
    assert.equal(logged[0]?.details.operationId, 'listIdentities');
    fail(undefined);
    await connection.sync('SYNC_DONE');
    connection.close();
  });

  test('what else the store refuses is 500 over HTTP and in process, and the log alone says why', async () => {
    await using network = await failing();
    const { app, logged, fail } = network;
    fail(new StorageError('disk full: /data/controller.db'));
    const refused = await app.request('POST', '/identities', { body: ann });
    assertRefused(refused, 500, 'UNHANDLED');
    assert.doesNotMatch(refused.text, /disk full/);
    await assert.rejects(app.controller.api.identities.create({ body: ann }), { name: 'ApiError', code: 'UNHANDLED', cause: undefined });
    assert.deepEqual(
      logged.filter(({ level }) => level === 'error').map(({ message, details }) => [message, String(details.error)]),
      [['unexpected error of the database: the call was answered with 500', 'StorageError: disk full: /data/controller.db']],
    );
  });

  test('a database that another writer holds is 503 with a time to come back, and no conflict with another request', async () => {
    await using network = await failing();
    const { app, fail } = network;
    fail(new StoreBusy('the database is locked by another writer'));
    const refused = await app.request('POST', '/identities', { body: ann });
    assertRefused(refused, 503, 'SERVER_UNAVAILABLE');
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.match(refused.body.error.cause.message, /nothing was written/);
    fail(undefined);
    await app.create('/identities', ann);
  });
});
