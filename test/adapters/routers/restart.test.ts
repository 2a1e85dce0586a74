import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { circuitHeader, routeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { newSharedStorage, stores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { on, restarted } from './restarted.ts';
import { isOnline } from './support.ts';
import { bindBy, dialBy, HOST_KEY, KEY, routed, type Traffic, traffic } from './traffic.ts';

const { route, routeResult } = messages.circuits;
const { sessionRemoved } = messages.sessions;
const { validateTerminators, validateTerminatorsResponse, createTunnelTerminator } = messages.terminators;

for (const store of stores)
  describe(`a controller that was killed and started again, on ${store}`, () => {
    for (const by of ['API session', 'OpenID Connect'] as const)
      test(`knows at once what its routers host: who dials gets the key of the host (${by})`, async () => {
        await using storage = newSharedStorage(store);
        await using at = await traffic(routed, by, on(storage));
        assert.equal((await bindBy(at, 'terminator')).result, 'success');
        await using next = await restarted(at, storage);
        const made = await dialBy(await next.again(), { token: next.token });
        assert.equal(made.isMade, true, made.said);
        assert.deepEqual(circuitHeader.peerData.in(made.answer), new Map([[KEY, HOST_KEY]]));
      });

    test('has one terminator when its router creates it anew, with what the host says now', async () => {
      await using storage = newSharedStorage(store);
      await using at = await traffic(routed, 'API session', on(storage));
      await bindBy(at, 'terminator');
      const [before] = (await at.network.controller.api.terminators.list({})).data;
      await using next = await restarted(at, storage);
      const back = await next.again();
      assert.equal((await bindBy(back, 'terminator')).result, 'success');
      const other = new Map([[KEY, Uint8Array.of(7)]]);
      const session = (await back.hosting.sessions.create({ body: { serviceId: at.serviceId, type: 'Bind' } })).token;
      assert.equal((await bindBy(back, 'terminator', session, { peerData: other })).result, 'success');
      const { data } = await next.network.controller.api.terminators.list({});
      assert.deepEqual([data.length, data[0]?.createdAt], [1, before?.createdAt]);
      const dialed = async (by: Traffic) => circuitHeader.peerData.in((await dialBy(by, { token: next.token })).answer);
      assert.deepEqual(await dialed(back), other);
      back.router.close();
      await until(async () => !(await isOnline(next.network, at.fra1.id)));
      assert.deepEqual(await dialed(await next.again()), other);
    });

    test('hosts nothing for which the right was lost meanwhile, and tells its router', async () => {
      await using storage = newSharedStorage(store);
      await using at = await traffic(routed, 'API session', on(storage));
      await bindBy(at, 'terminator');
      await using next = await restarted(at, storage);
      await next.network.controller.api.servicePolicies.delete({ id: at.bindPolicy });
      const back = await next.again();
      assert.equal(sessionRemoved.decode((await back.router.next(sessionRemoved)).body).ids.length, 1);
      await until(async () => (await next.network.controller.api.terminators.list({})).data.length === 0);
      assert.equal((await dialBy(back, { token: next.token })).said, `service ${at.serviceId} has no terminators`);
    });

    test('has the instance of a service and its secret still', async () => {
      await using storage = newSharedStorage(store);
      await using at = await traffic(routed, 'API session', on(storage));
      const one = { instanceId: 'one', instanceSecret: Uint8Array.of(1, 2, 3) };
      await bindBy(at, 'terminator', undefined, one);
      await using next = await restarted(at, storage);
      const back = await next.again();
      assert.equal((await dialBy(back, { token: next.token })).isMade, false);
      assert.equal((await dialBy(back, { token: next.token, instanceId: 'one' })).isMade, true);
      assert.equal((await bindBy(back, 'beside', undefined, one)).result, 'success');
      const stolen = await bindBy(back, 'stolen', undefined, { ...one, instanceSecret: Uint8Array.of(3, 2, 1) });
      assert.deepEqual([stolen.result, stolen.msg], ['otherFailure', 'this instance of the service is hosted with another secret']);
    });
  });

test('a router that was itself started anew hosts nothing before it says so', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  await bindBy(at, 'terminator');
  await using next = await restarted(at, storage, routed, true);
  const back = await next.again();
  await until(() => isOnline(next.network, at.fra1.id));
  assert.equal((await dialBy(back, { token: next.token })).said, `service ${at.serviceId} has no terminators`);
});

test('what a router does not create anew is asked about after a minute, also what could be dialed until then', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  for (const address of ['again', 'gone']) await bindBy(at, address);
  const asked: string[] = [];
  await using next = await restarted(at, storage, {
    ...routed,
    [validateTerminators.name]: (frame, to) => {
      const { terminators } = validateTerminators.decode(frame.body);
      asked.push(...terminators.map(({ id }) => id));
      to.answer(frame, validateTerminatorsResponse, { states: new Map(terminators.map(({ id }) => [id, { valid: false }])) });
    },
  });
  const back = await next.again();
  await bindBy(back, 'again');
  await next.network.advance('60s');
  await until(async () => (await next.network.controller.api.terminators.list({})).data.length === 1);
  assert.deepEqual(asked, ['gone']);
});

test('a terminator that its router says there is not is gone', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  await bindBy(at, 'terminator');
  await using next = await restarted(at, storage, {
    [route.name]: (frame, router) => {
      const { circuitId, attempt } = route.decode(frame.body);
      const outcome = [routeHeader.attempt.of(attempt), routeHeader.success.of(false), routeHeader.error.of('unknown')];
      router.answer(frame, routeResult, circuitId, [...outcome, routeHeader.errorCode.of(1)]);
    },
  });
  const back = await next.again();
  assert.equal((await dialBy(back, { token: next.token })).said, `service ${at.serviceId} could not be reached: unknown`);
  assert.deepEqual((await next.network.controller.api.terminators.list({})).data, []);
  assert.equal((await dialBy(back, { token: next.token })).said, `service ${at.serviceId} has no terminators`);
});

test('a terminator keeps no more than it needs', async () => {
  await using at = await traffic();
  const refusals: Readonly<Record<string, Parameters<typeof bindBy>[3]>> = {
    'the peer data is too large': { peerData: new Map([[KEY, new Uint8Array(20_000)]]) },
    'the instance id must have at most 4096 characters': { instanceId: 'x'.repeat(5000) },
    'the secret of an instance must have at most 4096 bytes': { instanceSecret: new Uint8Array(5000) },
    'the cost must be at most 65535': { cost: 65_536 },
  };
  for (const [said, change] of Object.entries(refusals)) {
    const { result, msg } = await bindBy(at, 'terminator', undefined, change);
    assert.deepEqual([result, msg], ['otherFailure', said]);
  }
  assert.deepEqual((await at.network.controller.api.terminators.list({})).data, []);
});

test('what a router hosts by its own tunneler is known, too, as long as it may', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  await at.network.controller.api.edgeRouters.patch({ id: at.fra1.id, body: { isTunnelerEnabled: true } });
  const { id: policy } = await at.network.bind([at.fra1], [{ id: at.serviceId, name: 'web' }]);
  await at.router.request(createTunnelTerminator, { serviceId: at.serviceId, address: 'terminator' });
  await using next = await restarted(at, storage);
  const back = await next.again();
  assert.equal((await dialBy(back, { token: next.token })).isMade, true);
  back.router.close();
  await until(async () => !(await isOnline(next.network, at.fra1.id)));
  await next.network.controller.api.servicePolicies.delete({ id: policy });
  const again = await next.again();
  assert.equal((await dialBy(again, { token: next.token })).said, `service ${at.serviceId} has no terminators`);
  await until(async () => (await next.network.controller.api.terminators.list({})).data.length === 0);
});
