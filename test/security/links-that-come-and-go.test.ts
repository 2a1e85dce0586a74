/**
 * Links of one router that come and go cost the others: their circuits waited for paths, for which they paid, until they were disconnected.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { bindBy, dialBy, tokenFor, traffic } from '../adapters/routers/traffic.ts';
import { type DirectRouter, directRouter, frameOf } from '../support/control-channel/direct-router.ts';
import { until } from '../support/until.ts';

const { routerLinks } = messages.links;
const { fault } = messages.circuits;

const report = (router: DirectRouter, to: readonly string[]) =>
  router.send(
    frameOf(
      routerLinks.contentType,
      routerLinks.encode({ links: to.map((destRouterId) => ({ id: `${router.id}-${destRouterId}`, destRouterId, iteration: 1 })) }),
    ),
  );

test('routers that dial keep their connections, however often links of another router come and go', async () => {
  await using at = await traffic();
  const others: DirectRouter[] = [];
  for (let i = 0; i < 80; i++) {
    const other = await directRouter(at.network, await at.network.edgeRouter(`other ${i}`));
    await report(other, [at.fra1.id, ...others.map(({ id }) => id)]);
    others.push(other);
  }
  await bindBy(at, 'terminator');
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const [flapping = assert.fail()] = others;
  for (let i = 0; i < 330; i++) {
    await flapping.send(frameOf(fault.contentType, fault.encode({ subject: 'link', id: `${flapping.id}-${at.fra1.id}`, iteration: 1 })));
    assert.ok((await dialBy(at, { token })).isMade, `dial ${i}`);
    await report(flapping, [at.fra1.id]);
  }
  assert.equal(flapping.end, undefined);
});

test('a router whose link keeps leading to others is disconnected: each time, paths may change', async () => {
  await using at = await traffic();
  const router = await directRouter(at.network, await at.network.edgeRouter('ams1'));
  const links = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: 'link', destRouterId: i % 2 === 0 ? at.fra1.id : 'gone', iteration: 1 }));
  await router.send(frameOf(routerLinks.contentType, routerLinks.encode({ links: links(2000) })));
  await until(async () => (await at.network.controller.api.links.list({})).data.length === 1);
  assert.equal(router.end, undefined);
  await router.send(frameOf(routerLinks.contentType, routerLinks.encode({ links: links(9000) })));
  await until(() => router.end !== undefined);
  assert.match(router.end ?? '', /^it exceeded its budget of \d+ elements at once/);
});
