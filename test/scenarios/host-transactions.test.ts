import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/contract/errors/index.ts';
import { beforeTransactions } from '../support/altered-storage.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { newHostedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
const CHANGED_MIND = new Error('the host changed its mind');

onEveryStore("calls in the host's own transaction", (open, store) => {
  const hosted = async () => {
    const { storage, transaction } = newHostedStorage(store);
    const app = await open({ storage });
    const events: string[] = [];
    app.controller.events.on('change', ({ action, entity }) => void events.push(`${action} ${entity}`));
    const rolledBack = async (work: (host: unknown) => Promise<void>) => {
      const outcome = transaction(async (host) => {
        await work(host);
        throw CHANGED_MIND;
      });
      await assert.rejects(outcome, CHANGED_MIND);
    };
    return { app, events, transaction, rolledBack, [Symbol.asyncDispose]: () => app.close() };
  };
  const names = async (app: App) => (await app.controller.api.identities.list({ sort: 'name' })).data.map(({ name }) => name);

  test('what the host rolls back leaves no trace and no event', async () => {
    await using host = await hosted();
    const { app, events, rolledBack } = host;
    const user = await app.user();
    const before = { changes: (await app.rows('change')).length, names: await names(app) };
    events.length = 0;
    await rolledBack(async (transaction) => {
      const { id } = await app.controller.api.identities.create({ body: ann }, { transaction });
      await app.controller.api.authenticators.create(
        { body: { identityId: id, method: 'updb', username: 'annie', password: PASSWORD } },
        { transaction },
      );
      await app.controller.api.identities.delete({ id: user.id }, { transaction });
    });
    await app.controller.publish();
    assert.deepEqual(events, []);
    assert.deepEqual({ changes: (await app.rows('change')).length, names: await names(app) }, before);
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
    assert.equal((await app.login('annie', PASSWORD)).status, 401);
  });

  test('a call in it does not record the activity of its session; the next call outside does', async () => {
    await using host = await hosted();
    const { app, transaction } = host;
    const activity = async () => (await app.rows('apiSession')).map((row) => row.lastActivityAt);
    const before = await activity();
    app.clock.advance('31s');
    const admin = app.controller.as(app.admin);
    await transaction(async (transaction) => {
      await admin.identities.list({}, { transaction });
      await admin.identities.create({ body: ann }, { transaction });
    });
    await app.controller.health();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    assert.deepEqual(await activity(), before);
    await admin.identities.list();
    await until(async () => (await activity()).includes(new Date(app.clock.now()).toISOString()));
  });

  test('a call in it waits for no other transaction, which the store may have no connection for', async () => {
    const { storage, transaction } = newHostedStorage(store);
    let gate = Promise.resolve();
    const gated = beforeTransactions(storage, () => gate);
    await using app = await open({ storage: gated });
    // By then, calls read the change log and the reports of other controllers again.
    app.clock.advance('2s');
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    await transaction(async (transaction) => {
      await app.controller.api.identities.list({}, { transaction });
      await app.controller.as(app.admin).identities.create({ body: ann }, { transaction });
      await app.controller.api.informational.version({}, { transaction });
    }).finally(resolve);
    assert.deepEqual(await names(app), ['Default Admin', 'ann']);
  });

  test('what the host commits is there, and is announced when the host says so', async () => {
    await using host = await hosted();
    const { app, events, transaction } = host;
    await transaction(async (transaction) => {
      const { id } = await app.controller.api.identities.create({ body: ann }, { transaction });
      await app.controller.api.identities.patch({ id, body: { isAdmin: true } }, { transaction });
    });
    assert.deepEqual(events, []);
    assert.deepEqual(await names(app), ['Default Admin', 'ann']);
    await app.controller.publish();
    assert.deepEqual(events, ['create identity', 'update identity']);
    await app.controller.publish();
    assert.equal(events.length, 2);
  });

  test('the next change of the controller announces what the host committed, in order', async () => {
    await using host = await hosted();
    const { app, events, transaction } = host;
    await transaction(async (transaction) => void (await app.controller.api.identities.create({ body: ann }, { transaction })));
    await app.controller.api.configTypes.create({ body: { name: 'a type' } });
    assert.deepEqual(events, ['create identity', 'create configType']);
  });

  test('a call sees what earlier calls of the transaction wrote, and others do not until it is committed', async () => {
    await using host = await hosted();
    const { app, transaction } = host;
    await transaction(async (transaction) => {
      const { id } = await app.controller.api.identities.create({ body: ann }, { transaction });
      assert.equal((await app.controller.api.identities.get({ id }, { transaction })).name, 'ann');
      assert.equal((await app.controller.api.identities.list({}, { transaction })).pagination.totalCount, 2);
      await assert.rejects(
        app.controller.api.identities.create({ body: ann }, { transaction }),
        (error) => error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE',
      );
      await app.controller.api.identities.delete({ id }, { transaction });
      await assert.rejects(
        app.controller.api.identities.get({ id }, { transaction }),
        (error) => error instanceof ApiError && error.code === 'NOT_FOUND',
      );
    });
    assert.deepEqual(await names(app), ['Default Admin']);
  });

  test('a refusal does not end the transaction: what came before and after it is committed', async () => {
    await using host = await hosted();
    const { app, events, transaction } = host;
    await transaction(async (transaction) => {
      await app.controller.api.identities.create({ body: ann }, { transaction });
      await assert.rejects(app.controller.api.identities.create({ body: ann }, { transaction }));
      await app.controller.api.identities.create({ body: { ...ann, name: 'bob' } }, { transaction });
    });
    assert.deepEqual(await names(app), ['Default Admin', 'ann', 'bob']);
    await app.controller.publish();
    assert.deepEqual(events, ['create identity', 'create identity']);
  });

  test('as a session the rights are those that the transaction sees', async () => {
    await using host = await hosted();
    const { app, rolledBack } = host;
    const user = await app.user({ isAdmin: true });
    const own = app.controller.as(await user.login());
    await rolledBack(async (transaction) => {
      await own.identities.create({ body: ann }, { transaction });
      await app.controller.api.identities.patch({ id: user.id, body: { isAdmin: false } }, { transaction });
      await assert.rejects(
        own.identities.create({ body: { ...ann, name: 'bob' } }, { transaction }),
        (error) => error instanceof ApiError && error.status === 401,
      );
    });
    assert.deepEqual(await names(app), ['Default Admin', user.username]);
    await own.identities.create({ body: ann });
  });

  test('a login in a transaction that is rolled back opens nothing', async () => {
    await using host = await hosted();
    const { app, rolledBack } = host;
    const user = await app.user();
    let token = '';
    await rolledBack(async (transaction) => {
      const session = await app.controller.api.authentication.authenticate(
        { method: 'password', body: { username: user.username, password: PASSWORD } },
        { transaction },
      );
      token = session.token ?? '';
      assert.equal((await app.controller.as(token).currentIdentity.get({}, { transaction })).id, user.id);
    });
    assert.equal((await app.request('GET', '/current-identity', { as: token })).status, 401);
  });

  test('an object that is not a transaction of the store is refused', async () => {
    await using host = await hosted();
    const { app } = host;
    for (const transaction of [{}, null, 'transaction', 1])
      await assert.rejects(app.controller.api.identities.create({ body: ann }, { transaction }), TypeError);
    assert.deepEqual(await names(app), ['Default Admin']);
  });
});
