/** The load of routers and links in the last day, from what routers report. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { isApiError } from '../../../src/index.ts';
import { until } from '../../support/until.ts';
import { settled, type Traffic, traffic, withCircuit } from './traffic.ts';

const { metrics } = messages.routers;

type Router = Traffic['router'];

const report = async (router: Router, counts: Readonly<Record<string, bigint>>, latency?: number) => {
  router.send(metrics, {
    meters: new Map(Object.entries(counts).map(([name, count]) => [`${name}.bytesrate`, { count }])),
    ...(latency !== undefined && { histograms: new Map([['link.link.latency', { mean: latency }]]) }),
  });
  await settled(router);
};

test('rates are those between two reports of a router, and a link has its latency, cost and circuits', async () => {
  await using at = await traffic();
  const { ams1 } = await withCircuit(at);
  const { api } = at.network.controller;
  const latest = async () => {
    const { routers, links } = await api.traffic.history({ minutes: 1 });
    return { fra1: routers.find(({ id }) => id === at.fra1.id), ams1: routers.find(({ id }) => id === ams1.id), link: links[0] };
  };
  await report(at.router, { 'ingress.rx': 1000n, 'fabric.tx': 500n, 'link.link.tx': 400n, 'link.link.rx': 100n, 'link.other.rx': 1n });
  await at.network.advance('61s');
  await until(async () => (await latest()).fra1 !== undefined);
  // One report says nothing about rates.
  assert.deepEqual((await latest()).fra1, { id: at.fra1.id, received: [null], sent: [null], circuits: [1] });
  await report(
    at.router,
    { 'ingress.rx': 7000n, 'fabric.rx': 600n, 'fabric.tx': 500n, 'link.link.tx': 6400n, 'link.link.rx': 200n },
    12_000_000,
  );
  await at.network.advance('61s');
  await until(async () => (await latest()).link?.latency[0] === 12);
  const { fra1, ams1: other, link } = await latest();
  const seconds = (bytes: number) => Math.round((bytes / 61) * 100) / 100;
  assert.deepEqual(fra1, { id: at.fra1.id, received: [seconds(6600)], sent: [0], circuits: [1] });
  assert.deepEqual(other, { id: ams1.id, received: [null], sent: [null], circuits: [1] });
  assert.deepEqual(link, { id: 'link', bytes: [seconds(6100)], latency: [12], circuits: [1], cost: [13] });
  // Without further reports, the rate is not told for ever.
  await at.network.advance('6m');
  await until(async () => (await latest()).fra1?.received[0] === null);
  const day = await api.traffic.history({ id: [at.fra1.id] });
  assert.deepEqual([day.routers.length, day.links.length, day.routers[0]?.received.length, day.points], [1, 0, 96, 96]);
  assert.ok(day.routers[0]?.received.some((value) => value !== null));
});

test('spans that are too long, and many points of everything, are refused', async () => {
  await using at = await traffic();
  const { api } = at.network.controller;
  for (const input of [{ minutes: 0 }, { minutes: 1441 }, { points: 2 }, { id: ['a'], points: 1441 }, { id: ['a'], minutes: 5, points: 6 }])
    await assert.rejects(
      api.traffic.history(input),
      (error) => isApiError(error) && error.code === 'COULD_NOT_VALIDATE',
      JSON.stringify(input),
    );
});

test('with trafficHistory 0 nothing is kept, and with 1 one router', async () => {
  for (const trafficHistory of [0, 1]) {
    await using at = await traffic(undefined, 'API session', { settings: { trafficHistory } });
    await withCircuit(at);
    for (let i = 0; i < 3; i++) await at.network.advance('61s');
    const read = async () => (await at.network.controller.api.traffic.history()).routers.length;
    await until(async () => (await read()) === trafficHistory);
    assert.equal(await read(), trafficHistory);
  }
});

test('who may see only some routers sees neither others nor their links', async () => {
  await using at = await traffic();
  const { ams1 } = await withCircuit(at);
  const { controller } = at.network;
  await at.network.advance('61s');
  await until(async () => (await controller.api.traffic.history()).routers.length === 2);
  await controller.api.edgeRouters.patch({ id: ams1.id, body: { roleAttributes: ['mine'] } });
  const { id } = await controller.api.identities.create({
    body: {
      name: 'delegate',
      type: 'User',
      isAdmin: false,
      permissions: ['ops.read'],
      scopedPermissions: { 'router.read': { roleAttributes: ['mine'] } },
    },
  });
  const { routers, links } = await controller.asIdentity(id).traffic.history();
  assert.deepEqual([routers.map((each) => each.id), links], [[ams1.id], []]);
  const { id: reader } = await controller.api.identities.create({
    body: { name: 'operator', type: 'User', isAdmin: false, permissions: ['ops.read'] },
  });
  assert.deepEqual((await controller.asIdentity(reader).traffic.history()).routers, []);
});
