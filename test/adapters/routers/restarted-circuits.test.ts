import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { Row, Transaction } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { connectScripted, type ScriptedRouter } from '../../../testing/scripted-router.ts';
import { newSharedStorage, type SharedStorage, stores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { mesh } from './mesh.ts';
import { on, restarted } from './restarted.ts';
import { type RouterNetwork, routerNetwork } from './support.ts';
import { bindBy, CLIENT_KEY, dialBy, KEY, routed, settled, type Traffic, traffic } from './traffic.ts';

const { unroute, createTunnelCircuit, createTunnelCircuitResponse, circuitConfirmation, fault } = messages.circuits;

const inStore = async <T>(storage: SharedStorage, work: (tx: Transaction) => Promise<T>): Promise<T> => {
  const store = await storage.adapter().open(storageSchema);
  return store.transaction('write', work).finally(() => store.close());
};
const records = async (tx: Transaction): Promise<readonly Row[]> =>
  (await tx.list('lease', { where: { op: 'all' } })).filter(({ id }) => id.startsWith('circuit/'));

/** Circuits that the store has a record of. */
const recordedCircuits = async (storage: SharedStorage): Promise<readonly string[]> =>
  (await inStore(storage, records)).map(({ id }) => id.slice(id.lastIndexOf('/') + 1));

/** A client talks to a host over a circuit that was made a while ago. */
const talking = async (at: Traffic, storage: SharedStorage): Promise<string> => {
  assert.equal((await bindBy(at, 'terminator')).result, 'success');
  const made = await dialBy(at);
  assert.ok(made.isMade, made.said);
  await recordedSince(at, storage, made.id);
  return made.id;
};
const recordedSince = async ({ network }: Traffic, storage: SharedStorage, circuitId: string) => {
  await network.advance('1s');
  await until(async () => (await recordedCircuits(storage)).includes(circuitId));
};
const nextUnroute = async (router: ScriptedRouter) => unroute.decode((await router.next(unroute)).body);

for (const store of stores)
  for (const by of ['API session', 'OpenID Connect'] as const)
    test(`after the controller was killed, a dial policy that is deleted ends a circuit that began before, at once (${by}, ${store})`, async () => {
      await using storage = newSharedStorage(store);
      await using at = await traffic(routed, by, on(storage));
      const circuitId = await talking(at, storage);
      await using next = await restarted(at, storage);
      const { router } = await next.again();
      await next.network.controller.api.servicePolicies.delete({ id: at.dialPolicy });
      assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
      await next.network.advance('1s');
      await until(async () => (await recordedCircuits(storage)).length === 0);
    });

test('a circuit of the tunneler of a router ends with its policy likewise', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  await at.network.controller.api.edgeRouters.patch({ id: at.fra1.id, body: { isTunnelerEnabled: true } });
  const { id: policy } = await at.network.dial([at.fra1], [{ id: at.serviceId, name: 'web' }]);
  await bindBy(at, 'terminator');
  const asked = { serviceName: 'web', peerData: new Map([[KEY, CLIENT_KEY]]) };
  const { circuitId } = createTunnelCircuitResponse.decode((await at.router.request(createTunnelCircuit, asked)).body);
  await recordedSince(at, storage, circuitId);
  await using next = await restarted(at, storage);
  const { router } = await next.again();
  await next.network.controller.api.servicePolicies.delete({ id: policy });
  assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
});

test('a circuit whose right was lost while no controller was there ends when its router comes again', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'OpenID Connect', on(storage));
  const circuitId = await talking(at, storage);
  await using next = await restarted(at, storage);
  await next.network.controller.api.servicePolicies.delete({ id: at.dialPolicy });
  assert.deepEqual(await nextUnroute((await next.again()).router), { circuitId, now: true });
});

test('so does one whose terminator was deleted meanwhile', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'OpenID Connect', on(storage));
  const circuitId = await talking(at, storage);
  await using next = await restarted(at, storage);
  await next.network.controller.api.terminators.delete({ id: 'terminator' });
  assert.deepEqual(await nextUnroute((await next.again()).router), { circuitId, now: true });
});

test('circuits are carried on, shown, and known to their routers after a restart, also one that closed the controller in order', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'OpenID Connect', on(storage));
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade, made.said);
  const shown = async ({ controller }: RouterNetwork['network']) => (await controller.api.circuits.list({})).data;
  const before = await shown(at.network);
  await using next = await restarted(at, storage);
  await at.network.close();
  const { router } = await next.again();
  assert.deepEqual(await shown(next.network), before);
  router.send(circuitConfirmation, { circuitIds: [made.id, 'unknown'] });
  assert.equal((await nextUnroute(router)).circuitId, 'unknown');
  router.send(fault, { subject: 'ingress', id: made.id });
  assert.deepEqual(await nextUnroute(router), { circuitId: made.id, now: false });
  assert.deepEqual(await shown(next.network), []);
});

test('a router that was itself started anew has no circuits any more', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'OpenID Connect', on(storage));
  const circuitId = await talking(at, storage);
  await using next = await restarted(at, storage, routed, true);
  assert.deepEqual(await nextUnroute((await next.again()).router), { circuitId, now: true });
});

test('a router that does not come again within five minutes is given up after a restart, too', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  const circuitId = await talking(at, storage);
  await using next = await restarted(at, storage);
  await (await next.network.edgeRouter('other')).dial({ port: next.port });
  next.network.clock.advance('5m');
  assert.deepEqual(await nextUnroute((await next.again()).router), { circuitId, now: true });
});

test('a circuit that has ended is not recorded any more, and one that ends soon never was', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'OpenID Connect', on(storage));
  const circuitId = await talking(at, storage);
  const short = await dialBy(at);
  assert.ok(short.isMade, short.said);
  at.router.send(fault, { subject: 'ingress', id: short.id });
  await settled(at.router);
  await at.network.advance('1s');
  assert.deepEqual(await recordedCircuits(storage), [circuitId]);
  at.router.send(fault, { subject: 'egress', id: circuitId });
  await settled(at.router);
  await at.network.advance('1s');
  await until(async () => (await recordedCircuits(storage)).length === 0);
});

test('a circuit that has gone another way is restored on that way', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await mesh(on(storage));
  const par = await at.join('par1');
  await at.link('direct', at.fra, at.ams);
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  const circuitId = await at.circuit();
  await recordedSince(at, storage, circuitId);
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  await until(async () => (await at.network.controller.api.circuits.list({})).data[0]?.path?.nodes?.length === 3);
  await at.network.advance('1s');
  await using next = await restarted(at, storage);
  await next.again();
  await next.network.controller.api.servicePolicies.delete({ id: at.dialPolicy });
  const { certificate } = par.of;
  assert.ok(certificate);
  const place = { id: par.id, certificate, clock: next.network.clock };
  const again = await connectScripted(place, { port: next.port, lastConnectionId: 'before' });
  assert.deepEqual(await nextUnroute(again), { circuitId, now: true });
});

test('records that no controller would have written are passed over, and those of controllers that there are no more are removed', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'OpenID Connect', on(storage));
  const circuitId = await talking(at, storage);
  await inStore(storage, async (tx) => {
    for (const row of await records(tx))
      for (const [id, told] of [
        [`${row.id}-strange`, { path: 'nowhere' }],
        ['circuit/gone/one', row.told],
        ['circuit/member/one', row.told],
      ] as const)
        await tx.insert('lease', { ...row, id, told });
  });
  await using member = await routerNetwork({ oidc: true, ...on(storage), member: { name: 'member' } });
  assert.equal((await member.network.controller.api.controllers.list({})).data.length, 1);
  await using next = await restarted(at, storage);
  await next.again();
  assert.deepEqual((await recordedCircuits(storage)).toSorted(), [circuitId, `${circuitId}-strange`, 'one'].toSorted());
  assert.deepEqual(
    (await next.network.controller.api.circuits.list({})).data.map(({ id }) => id),
    [circuitId],
  );
});
