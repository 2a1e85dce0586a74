import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { type Mesh, type MeshRouter, mesh } from './mesh.ts';
import { settled } from './traffic.ts';

const { metrics } = messages.routers;
const { route } = messages.circuits;
const { routerLinks } = messages.links;

/** The router reports what it has measured, in milliseconds. */
const report = async (router: MeshRouter, measured: Readonly<Record<string, number>>) => {
  const histograms = new Map(Object.entries(measured).map(([name, milliseconds]) => [name, { mean: milliseconds * 1_000_000 }]));
  router.send(metrics, { histograms });
  await settled(router);
};

const shown = async ({ network }: Mesh, id: string) => {
  const { sourceLatency, destLatency, cost } = await network.controller.api.links.get({ id });
  return [sourceLatency, destLatency, cost];
};

/** Two ways: a direct link, and one over a third router. */
const twoWays = async () => {
  const at = await mesh();
  const par = await at.join('par1');
  await at.link('direct', at.fra, at.ams);
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  const first = async () => {
    await at.circuit();
    return route.decode((await at.fra.next(route)).body).forwards[0]?.dstAddress;
  };
  return { ...at, par, first };
};

test('both ends of a link report its latency, with the time in their queues, and it costs 1 per millisecond', async () => {
  await using at = await twoWays();
  assert.deepEqual(await shown(at, 'direct'), [0, 0, 1]);
  await report(at.fra, { 'link.direct.latency': 10.5, 'link.direct.queue_time': 0.4 });
  await report(at.ams, { 'link.direct.latency': 7.9, 'link.rx.msgsize': 3 });
  assert.deepEqual(await shown(at, 'direct'), [10_900_000, 7_900_000, 18]);
  await at.network.controller.api.links.patch({ id: 'direct', body: { staticCost: 100 } });
  assert.deepEqual(await shown(at, 'direct'), [10_900_000, 7_900_000, 117]);
});

test('circuits take the way with the lowest latency', async () => {
  await using at = await twoWays();
  assert.equal(await at.first(), 'direct');
  await report(at.fra, { 'link.direct.latency': 40, 'link.to par.latency': 5 });
  assert.equal(await at.first(), 'to par');
  await report(at.par, { 'link.from par.latency': 50 });
  assert.equal(await at.first(), 'direct');
});

test('the latency of a link stays when it is dialed again, and small changes are ignored', async () => {
  await using at = await twoWays();
  await report(at.fra, { 'link.direct.latency': 20 });
  at.fra.send(routerLinks, { links: [{ id: 'direct', destRouterId: at.ams.id, linkProtocol: 'tls', iteration: 2 }] });
  await settled(at.fra);
  await report(at.fra, { 'link.direct.latency': 21.9 });
  assert.deepEqual(await shown(at, 'direct'), [20_000_000, 0, 21]);
  await report(at.fra, { 'link.direct.latency': 22 });
  assert.deepEqual(await shown(at, 'direct'), [22_000_000, 0, 23]);
});

test('a router measures its own ends only, and nothing that is not a time', async () => {
  await using at = await twoWays();
  await report(at.par, { 'link.direct.latency': 1000 });
  for (const wrong of [-1, Number.NaN, Number.NEGATIVE_INFINITY]) await report(at.ams, { 'link.direct.latency': wrong });
  assert.deepEqual(await shown(at, 'direct'), [0, 0, 1]);
  await report(at.ams, { 'link.direct.latency': Number.POSITIVE_INFINITY });
  assert.deepEqual(await shown(at, 'direct'), [0, 60_000_000_000, 60_001]);
});
