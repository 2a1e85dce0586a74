import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circuitHeader, header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { isOnline } from './support.ts';
import { bindBy, dialBy, HOST_KEY, KEY, routed, settled, traffic, withSecond } from './traffic.ts';

const { route, unroute, fault } = messages.circuits;
const { routerLinks, verifyRouter, peerStateChanges } = messages.links;

test('routers are introduced to each other, and hear when one goes', async () => {
  await using at = await traffic();
  const { ams1, second } = await withSecond(at);
  const [toFirst, toSecond] = [await at.router.next(peerStateChanges), await second.next(peerStateChanges)];
  assert.deepEqual(peerStateChanges.decode(toFirst.body).changes, [
    {
      id: ams1.id,
      version: 'v1.7.2',
      state: 'healthy',
      listeners: [{ address: `tls:${ams1.id}.test:6000`, protocol: 'tls', costTags: [], groups: ['default'], localBinding: '' }],
    },
  ]);
  assert.deepEqual(
    peerStateChanges.decode(toSecond.body).changes.map(({ id, state }) => [id, state]),
    [[at.fra1.id, 'healthy']],
  );
  second.close();
  const gone = peerStateChanges.decode((await at.router.next(peerStateChanges)).body).changes;
  assert.deepEqual(
    gone.map(({ id, state }) => [id, state]),
    [[ams1.id, 'unhealthy']],
  );
  await at.network.controller.api.edgeRouters.delete({ id: ams1.id });
  const removed = peerStateChanges.decode((await at.router.next(peerStateChanges)).body).changes;
  assert.deepEqual(
    removed.map(({ id, state }) => [id, state]),
    [[ams1.id, 'removed']],
  );
});

test('a router learns whether a certificate is that of another router', async () => {
  await using at = await traffic();
  const { ams1 } = await withSecond(at);
  const { fingerprint = '' } = (await at.network.controller.api.edgeRouters.get({ id: ams1.id })) as { fingerprint?: string };
  const ask = async (routerId: string, fingerprints: readonly string[]) =>
    header.success.in(await at.router.request(verifyRouter, { routerId, fingerprints }));
  assert.match(fingerprint, /^[0-9a-f]{40}$/);
  assert.equal(await ask(ams1.id, [fingerprint, '00']), true);
  assert.equal(await ask(at.fra1.id, [fingerprint]), false);
  assert.equal(await ask('nobody', [fingerprint]), false);
  assert.equal(await ask(ams1.id, []), false);
  await at.network.controller.api.edgeRouters.patch({ id: ams1.id, body: { disabled: true } });
  assert.equal(await ask(ams1.id, [fingerprint]), false);
});

test('a circuit goes over a link, and both routers get their part', async () => {
  await using at = await traffic();
  const { ams1, second, hosting } = await withSecond(at);
  await bindBy(hosting, 'terminator');
  const unreachable = await dialBy(at);
  assert.deepEqual([unreachable.isMade, unreachable.said], [false, `service ${at.serviceId} has no terminators`]);
  at.router.send(routerLinks, { links: [{ id: 'link', destRouterId: ams1.id, linkProtocol: 'tls', iteration: 1 }] });
  await settled(at.router);
  const made = await dialBy(at);
  assert.ok(made.isMade);
  const [last, first] = [route.decode((await second.next(route)).body), route.decode((await at.router.next(route)).body)];
  const ingress = circuitHeader.address.required(made.answer);
  const egress = last.egress?.address ?? '';
  assert.deepEqual(first.forwards, [
    { srcAddress: ingress, dstAddress: 'link', dstType: 'link' },
    { srcAddress: 'link', dstAddress: ingress, dstType: 'start' },
  ]);
  assert.equal(first.egress, undefined);
  assert.deepEqual(last.forwards, [
    { srcAddress: 'link', dstAddress: egress, dstType: 'end' },
    { srcAddress: egress, dstAddress: 'link', dstType: 'link' },
  ]);
  assert.equal(last.egress?.destination, 'terminator');
  assert.deepEqual(circuitHeader.peerData.in(made.answer), new Map([[KEY, HOST_KEY]]));
  at.router.send(fault, { subject: 'ingress', id: made.id });
  for (const router of [at.router, second])
    assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId: made.id, now: false });
});

test('of a link that there is twice the one reported is used no more, and the other end hears of it', async () => {
  await using at = await traffic();
  const { ams1, second, hosting } = await withSecond(at);
  await bindBy(hosting, 'terminator');
  at.router.send(routerLinks, { links: [{ id: 'one', destRouterId: ams1.id, iteration: 2 }] });
  second.send(routerLinks, { links: [{ id: 'two', destRouterId: at.fra1.id, iteration: 1 }] });
  await settled(at.router);
  await settled(second);
  at.router.send(fault, { subject: 'linkDuplicate', id: 'one', iteration: 1 }); // of an iteration that is over
  at.router.send(fault, { subject: 'linkDuplicate', id: 'one', iteration: 2 });
  assert.deepEqual(fault.decode((await second.next(fault)).body), { subject: 'link', id: 'one', iteration: 2 });
  const made = await dialBy(at);
  assert.ok(made.isMade);
  assert.equal(route.decode((await at.router.next(route)).body).forwards[0]?.dstAddress, 'two');
  second.send(fault, { subject: 'link', id: 'two', iteration: 1 });
  for (const router of [at.router, second])
    assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId: made.id, now: true });
});

test('a circuit outlives the loss of a control channel; what ends meanwhile is ended when the router comes again', async () => {
  await using at = await traffic();
  const { ams1, second, hosting } = await withSecond(at);
  await bindBy(hosting, 'terminator');
  at.router.send(routerLinks, { links: [{ id: 'link', destRouterId: ams1.id, iteration: 1 }] });
  await settled(at.router);
  const made = await dialBy(at);
  assert.ok(made.isMade);
  second.close();
  await until(async () => !(await isOnline(at.network, ams1.id)));
  await at.network.controller.api.servicePolicies.delete({ id: at.dialPolicy });
  assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId: made.id, now: true });
  const again = await ams1.dial({ port: at.port, script: routed });
  assert.deepEqual(unroute.decode((await again.next(unroute)).body), { circuitId: made.id, now: true });
});

test('a router on the way that is disabled ends the circuit', async () => {
  await using at = await traffic();
  const { ams1, hosting } = await withSecond(at);
  await bindBy(hosting, 'terminator');
  at.router.send(routerLinks, { links: [{ id: 'link', destRouterId: ams1.id, iteration: 1 }] });
  await settled(at.router);
  const made = await dialBy(at);
  assert.ok(made.isMade);
  await at.network.controller.api.edgeRouters.patch({ id: ams1.id, body: { disabled: true } });
  assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId: made.id, now: true });
});

test('of thousands of links between the same routers a few count, and circuits take the one that was reported first', async () => {
  await using at = await traffic();
  const { ams1, hosting } = await withSecond(at);
  await bindBy(hosting, 'terminator');
  const links = Array.from({ length: 5000 }, (_, i) => ({ id: `link-${i}`, destRouterId: ams1.id, iteration: 1 }));
  at.router.send(routerLinks, { links });
  await until(async () => (await at.network.controller.api.links.list({ limit: 100 })).data.length === 16);
  for (const expected of ['link-0', 'link-1']) {
    assert.ok((await dialBy(at)).isMade);
    assert.equal(route.decode((await at.router.next(route)).body).forwards[0]?.dstAddress, expected);
    at.router.send(fault, { subject: 'link', id: expected, iteration: 1 });
    // Moved to the next one.
    assert.equal(route.decode((await at.router.next(route)).body).forwards[0]?.dstAddress, expected === 'link-0' ? 'link-1' : 'link-2');
  }
});

test('what a router reports about a link has no control characters that a terminal obeys', async () => {
  await using at = await traffic();
  const { ams1 } = await withSecond(at);
  const conns = [{ type: 'x\u0007', localAddr: '\u009b31m', remoteAddr: 'tls:\r' }];
  const link = { id: 'link', destRouterId: ams1.id, linkProtocol: 'tls\u001b[2J', dialAddress: '\u001b]0;x', iteration: 1 };
  at.router.send(routerLinks, { links: [{ ...link, connState: { stateIteration: 1, conns } }] });
  await settled(at.router);
  assert.partialDeepStrictEqual((await at.network.controller.api.links.list({})).data, [
    {
      protocol: 'tls\uFFFD[2J',
      dialAddress: '\uFFFD]0;x',
      connections: [{ type: 'x\uFFFD', source: '\uFFFD31m', dest: 'tls:\uFFFD' }],
    },
  ]);
});
