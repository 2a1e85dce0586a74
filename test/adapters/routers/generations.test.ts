/** Routers of the lines 1.7 and 2.0 say hello in different ways, and want different answers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFrameReader } from '../../../src/fabric/control-channel/frame-reader.ts';
import { earlierHelloHeader, header, helloHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { textOf } from '../../../src/fabric/control-channel/primitives.ts';
import { testNetwork } from '../../../testing/index.ts';
import { directRouter } from '../../support/control-channel/direct-router.ts';
import { fromHex, hellos } from '../../support/control-channel/recorded.ts';
import { until } from '../../support/until.ts';
import { mesh } from './mesh.ts';
import { isOnline, routerNetwork } from './support.ts';
import { bindBy, dialBy, settled, traffic } from './traffic.ts';

const [earlier, later, again] = hellos.map(({ frame }) => {
  const [hello] = createFrameReader({ headers: 16_384, body: 4192 }).read(fromHex(frame));
  return [...(hello ?? assert.fail('no frame')).headers];
});
const { routerLinks, peerStateChanges } = messages.links;
const { subscribeToDataModel, dataState } = messages.dataModel;

describe('the hello of a router', () => {
  const answered = async (hello = earlier) => {
    await using network = await testNetwork();
    const router = await directRouter(network, await network.edgeRouter('fra1'), hello);
    const [welcome = assert.fail('no answer')] = router.came;
    const { data } = await network.controller.api.fabricRouters.list({ filter: 'name = "fra1"' });
    const [edgeRouter] = (await network.controller.api.edgeRouters.list({ filter: 'name = "fra1"' })).data;
    return { welcome, listeners: data[0]?.listenerAddresses, version: edgeRouter?.version, capabilities: edgeRouter?.capabilities };
  };
  const CAPABILITIES = [1, 2, 3, 4, 6];
  const LISTENERS = [{ address: 'tls:127.0.0.1:6001', protocol: 'tls' }];

  test('of the line 1.7 is answered with capabilities, and nothing of groups', async () => {
    const { welcome, listeners, version, capabilities } = await answered(earlier);
    assert.deepEqual(listeners, LISTENERS);
    assert.deepEqual([version, capabilities], ['v1.7.2', undefined]);
    assert.deepEqual(earlierHelloHeader.capabilities.in(welcome), CAPABILITIES);
    assert.deepEqual(
      [...welcome.headers.keys()].toSorted((a, b) => a - b),
      [0, 1, 2, 4, 8, 12, 1002],
    );
  });

  test('of the line 2.0 is answered as the first of a group: its type comes back, with a secret', async () => {
    const { welcome, listeners, version, capabilities } = await answered(later);
    assert.deepEqual(listeners, LISTENERS);
    assert.deepEqual([version, capabilities], ['v2.0.3', ['MULTI_CHANNEL']]);
    assert.deepEqual(helloHeader.capabilities.in(welcome), [1, 2, 3, 4, 5, 6]);
    assert.equal(header.isGrouped.in(welcome), true);
    assert.equal(header.underlayType.in(welcome), 'ctrl.default');
    assert.match(textOf(helloHeader.groupSecret.required(welcome)), /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  test('of one that connects again has its own secret, which is not mistaken for a list of listeners', async () => {
    const { welcome, listeners } = await answered(again);
    assert.deepEqual(listeners, LISTENERS);
    assert.equal(textOf(helloHeader.groupSecret.required(welcome)), '0f5d6a5e-9d2b-4d0c-8b1a-3f6f1e2d4c5b');
  });

  test('may have many listeners: up to 16,384 bytes of headers, and no more', async () => {
    await using at = await routerNetwork();
    const listing = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ protocol: 'tls', address: `tls:listener-${i}.fra1.example:6000` }));
    const fra1 = await at.network.edgeRouter('fra1');
    const router = await fra1.dial({ port: at.port, version: 'v2.0.3', linkListeners: listing(300) });
    await until(() => isOnline(at.network, fra1.id));
    const { data } = await at.network.controller.api.fabricRouters.list({});
    assert.equal(data[0]?.listenerAddresses?.length, 300);
    router.close();
    await until(async () => !(await isOnline(at.network, fra1.id)));
    await assert.rejects(fra1.dial({ port: at.port, version: 'v2.0.3', linkListeners: listing(400) }));
  });
});

test('routers of both lines carry a circuit together', async () => {
  await using at = await mesh();
  const mad = await at.join('mad1', undefined, 'v2.0.3');
  at.ams.close();
  await until(async () => !(await isOnline(at.network, at.ams.id)));
  await bindBy({ ...at, router: mad }, 'by-the-later');
  await at.link('link', at.fra, mad);
  const made = await dialBy(at);
  assert.ok(made.isMade, made.said);
  const { changes } = peerStateChanges.decode((await mad.next(peerStateChanges)).body);
  assert.deepEqual(
    changes.map(({ id, state }) => [id, state]).toSorted(),
    [
      [at.fra.id, 'healthy'],
      [at.ams.id, 'healthy'],
    ].toSorted(),
  );
});

test('a report that names all links of a router has the others forgotten, whenever it comes', async () => {
  await using at = await mesh();
  const reported = async (links: readonly string[], fullRefresh = false) => {
    at.fra.send(routerLinks, { links: links.map((id) => ({ id, destRouterId: at.ams.id, iteration: 1 })), fullRefresh });
    await settled(at.fra);
    return (await at.network.controller.api.links.list({})).data.map(({ id }) => id).toSorted();
  };
  assert.deepEqual(await reported(['one', 'two']), ['one', 'two']);
  assert.deepEqual(await reported(['three']), ['one', 'three', 'two']);
  assert.deepEqual(await reported(['two'], true), ['two']);
  assert.deepEqual(await reported([], true), []);
});

test('a revocation says what it is of, and of an identity which tokens', async () => {
  await using at = await traffic(undefined, 'OpenID Connect');
  const { revocations } = at.network.controller.api;
  at.network.clock.advance('1500ms');
  await revocations.create({ body: { id: at.client.id, type: 'IDENTITY' } });
  await revocations.create({ body: { id: at.hosting.id, type: 'API_SESSION' } });
  const { createdAt } = await revocations.get({ id: at.client.id });
  at.router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300 });
  const { events } = dataState.decode((await at.router.next(dataState)).body);
  const told = new Map(events.flatMap(({ revocation }) => (revocation ? [[revocation.id, revocation]] : [])));
  const ofIdentity = told.get(at.client.id);
  assert.equal(ofIdentity?.type, 'IDENTITY');
  const { seconds = 0n, nanos = 0 } = ofIdentity?.issuedBefore ?? {};
  assert.equal(new Date(Number(seconds) * 1000 + nanos / 1e6).toISOString(), createdAt);
  const ofSession = told.get(at.hosting.id);
  assert.deepEqual([ofSession?.type, ofSession?.issuedBefore], ['API_SESSION', undefined]);
});
