/** The sessions that clients create after a restart of the controller, before their routers are back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryDatabase, memoryStorage } from '../../../adapters/storage/memory/index.ts';
import type { ApiError } from '../../../src/contract/errors/index.ts';
import { type TestNetwork, testNetwork } from '../../../testing/index.ts';
import { connectScripted } from '../../../testing/scripted-router.ts';
import { SECRET_KEY } from '../../support/app.ts';
import { frozenClock } from '../../support/clock.ts';
import { newSharedStorage, type SharedStorage, stores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { isOnline, routerNetwork } from './support.ts';

type Shown = readonly { readonly isOnline: boolean; readonly supportedProtocols: unknown }[] | null | undefined;
const shown = (routers: Shown) => routers?.map(({ isOnline, supportedProtocols }) => [isOnline, supportedProtocols]);
const OFFLINE = [[false, {}]];

/** A controller that was started again a minute after a router, a host and a service were created. */
const startedAgain = async (storage: SharedStorage, settings = {}) => {
  const clock = frozenClock();
  const on = () => ({ storage: storage.adapter(), secretKey: SECRET_KEY, clock });
  const before = await routerNetwork(on());
  const fra1 = await before.network.edgeRouter('fra1');
  (await fra1.dial({ port: before.port })).close();
  const host = await before.network.device('host');
  const web = await before.network.service('web');
  await before.network.bind([host], [web]);
  await before.network.route();
  const { token } = await host.login();
  await before[Symbol.asyncDispose]();
  clock.advance('1m');
  const after = await routerNetwork({ ...on(), settings });
  const { certificate, id } = fra1;
  assert.ok(certificate);
  const request = { serviceId: web.id, type: 'Bind' } as const;
  const sessionOf = async ({ controller }: TestNetwork, options = {}) =>
    shown((await controller.as(token).sessions.create({ body: request }, options)).edgeRouters);
  return {
    ...after,
    id,
    token,
    request,
    online: [[true, { tls: `tls://${id.toLowerCase()}.routers.test:3022` }]],
    open: () => routerNetwork(on()),
    openWithoutRouters: () => testNetwork(on()),
    connect: (port = after.port) => connectScripted({ id, certificate, clock }, { port }),
    sessionOf,
    session: () => sessionOf(after.network),
    routers: async () => shown((await after.network.controller.as(token).accessibleServices.getEdgeRouters({ id: web.id })).edgeRouters),
  };
};

/** What a call has answered so far: undefined while it waits. */
const answerOf = <T>(call: Promise<T>) => {
  const answer: { value?: T } = {};
  void call.then((value) => {
    answer.value = value;
  });
  return answer;
};

for (const store of stores)
  describe(`after a restart of the controller, on ${store}`, () => {
    for (const asked of ['session', 'routers'] as const)
      test(`a client that asks before its router is back gets the address of the router (${asked})`, async () => {
        await using storage = newSharedStorage(store);
        await using at = await startedAgain(storage);
        const answer = answerOf(at[asked]());
        await at.network.advance('3s');
        assert.deepEqual(answer, {});
        await at.connect();
        await until(() => isOnline(at.network, at.id));
        await at.network.advance('250ms');
        await until(() => 'value' in answer);
        assert.deepEqual(answer.value, at.online);
      });

    test('a router that connects to another controller is back, too', async () => {
      await using storage = newSharedStorage(store);
      await using at = await startedAgain(storage);
      await using other = await at.open();
      const answer = answerOf(at.session());
      await at.network.settled();
      await at.connect(other.port);
      await until(() => isOnline(other.network, at.id));
      await at.network.advance('2s');
      await until(() => 'value' in answer);
      assert.deepEqual(answer.value, at.online);
    });
  });

describe('a client that asks while no router is back', () => {
  test('gets the answer without an address after ten seconds', async () => {
    await using storage = newSharedStorage('memory');
    await using at = await startedAgain(storage);
    const answer = answerOf(at.session());
    await at.network.advance('9999ms');
    assert.deepEqual(answer, {});
    await at.network.advance('1ms');
    await until(() => 'value' in answer);
    assert.deepEqual(answer.value, OFFLINE);
  });

  test('gets it before the time limit of its request is over', async () => {
    await using storage = newSharedStorage('memory');
    await using at = await startedAgain(storage, { requestTimeoutMs: 5000 });
    const { network, token, request } = at;
    const headers = { 'content-type': 'application/json', 'zt-session': token };
    const url = 'https://127.0.0.1:1280/edge/client/v1/sessions';
    const answer = answerOf(network.fetch(url, { method: 'POST', headers, body: JSON.stringify(request) }));
    await network.advance('3999ms');
    assert.deepEqual(answer, {});
    await network.advance('1ms');
    await until(() => 'value' in answer);
    const body = (await answer.value?.json()) as { data: { edgeRouters: Shown } }; // as the specification has it
    assert.deepEqual([answer.value?.status, shown(body.data.edgeRouters)], [201, OFFLINE]);
  });

  test('waits until fifteen seconds after the start, and not at all after that', async () => {
    await using storage = newSharedStorage('memory');
    await using at = await startedAgain(storage);
    await at.network.advance('10s');
    const answer = answerOf(at.session());
    await at.network.advance('4999ms');
    assert.deepEqual(answer, {});
    await at.network.advance('1ms');
    await until(() => 'value' in answer);
    assert.deepEqual(answer.value, OFFLINE);
    assert.deepEqual([await at.session(), await at.routers()], [OFFLINE, OFFLINE]);
  });

  test('does not wait during a later outage of the router', async () => {
    await using storage = newSharedStorage('memory');
    await using at = await startedAgain(storage);
    const router = await at.connect();
    await until(() => isOnline(at.network, at.id));
    assert.deepEqual(await at.session(), at.online);
    await at.network.advance('15s');
    router.close();
    await until(async () => !(await isOnline(at.network, at.id)));
    assert.deepEqual(await at.session(), OFFLINE);
  });

  test('does not wait for a router that is disabled, has to enroll again, or was created after the start', async () => {
    await using storage = newSharedStorage('memory');
    await using at = await startedAgain(storage);
    const { edgeRouters } = at.network.controller.api;
    await edgeRouters.patch({ id: at.id, body: { disabled: true } });
    assert.deepEqual(await at.session(), OFFLINE);
    await edgeRouters.patch({ id: at.id, body: { disabled: false } });
    await edgeRouters.reEnroll({ id: at.id });
    assert.deepEqual(await at.session(), OFFLINE);
    await edgeRouters.delete({ id: at.id });
    const later = await at.network.edgeRouter('later');
    (await later.connect()).close();
    assert.deepEqual(await at.session(), OFFLINE);
  });

  test('does not wait at a controller to which no router can connect', async () => {
    await using storage = newSharedStorage('memory');
    await using at = await startedAgain(storage);
    await using other = await at.openWithoutRouters();
    assert.deepEqual(await at.sessionOf(other), OFFLINE);
    const answer = answerOf(at.session());
    await at.network.settled();
    assert.deepEqual(answer, {});
    await at.serving.close();
    await until(() => 'value' in answer);
    assert.deepEqual(answer.value, OFFLINE);
  });

  test('waits for nothing in a transaction of the host', async () => {
    const database = memoryDatabase();
    await using at = await startedAgain({ adapter: () => memoryStorage({ database }), async [Symbol.asyncDispose]() {} });
    const host = await database.begin();
    assert.deepEqual(await at.sessionOf(at.network, { transaction: host }), OFFLINE);
    host.commit();
  });

  for (const asked of ['session', 'routers'] as const)
    test(`gets nothing if it has logged out meanwhile (${asked})`, async () => {
      await using storage = newSharedStorage('memory');
      await using at = await startedAgain(storage);
      const refused = assert.rejects(at[asked](), ({ code }: ApiError) => code === 'UNAUTHORIZED');
      await at.network.settled();
      await at.network.controller.as(at.token).currentApiSession.delete({});
      await at.network.advance('10s');
      await refused;
    });

  test('holds nobody up: others read, write and log in meanwhile', async () => {
    await using storage = newSharedStorage('sqlite');
    await using at = await startedAgain(storage);
    const answers = Array.from({ length: 50 }, () => answerOf(at.session()));
    await at.network.settled();
    const ann = await at.network.administrator('ann');
    const { identities } = await ann.login();
    assert.equal((await identities.list({ filter: 'name = "ann"' })).data.length, 1);
    assert.deepEqual(answers, Array(50).fill({}));
    await at.network.advance('10s');
    await until(() => answers.every((answer) => 'value' in answer));
    assert.deepEqual(answers, Array(50).fill({ value: OFFLINE }));
  });
});
