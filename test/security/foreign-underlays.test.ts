/**
 * A channel may consist of several connections. One that does not belong to it could read its messages, or send some in the name of its
 * router.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { header, helloHeader, routerCapability } from '../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { type TestNetworkOptions, testNetwork } from '../../testing/index.ts';
import { directConnection, frameOf } from '../support/control-channel/direct-router.ts';
import { groupHello, openGroup } from '../support/control-channel/underlays.ts';
import { until } from '../support/until.ts';

const { ping, result } = messages.channel;
const quiet: TestNetworkOptions = { platform: { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } } };
const NOT_OPEN = 'the hello joins a group of connections that is not open here';

/** Two enrolled routers, of which the first has a group. */
const twoRouters = async () => {
  const network = await testNetwork(quiet);
  const [fra1, ams1] = [await network.edgeRouter('fra1'), await network.edgeRouter('ams1')];
  for (const router of [fra1, ams1]) {
    await router.connect();
    router.disconnect();
  }
  return { network, fra1, ams1, group: await openGroup(network, fra1), [Symbol.asyncDispose]: () => network.close() };
};
/** True if a connection is served. */
const isServed = async ({ came, send }: Awaited<ReturnType<typeof directConnection>>): Promise<boolean> => {
  const before = came.length;
  await send(frameOf(ping.contentType, new Uint8Array()));
  return came.slice(before).some(({ contentType }) => contentType === result.contentType);
};

describe('a connection is refused, with one line, and the channel of the router stays open,', () => {
  test('if it joins with another secret, another id, or as another router', async () => {
    await using at = await twoRouters();
    const { group, ams1, fra1, network } = at;
    const other = await openGroup(network, ams1);
    const attempts: Readonly<Record<string, Parameters<typeof group.join>[0]>> = {
      'another secret': { secret: 'guessed' },
      'the secret of another router': { secret: other.secret },
      'an unknown id': { id: 'unknown' },
      'the id of another router': { id: other.id },
      'the group of another router': { id: other.id, secret: other.secret },
      'the certificate of another router': { as: ams1 },
      'the certificate of another router, in the name of the first': { as: ams1, claimedId: fra1.id },
      'the name of another router': { claimedId: ams1.id },
    };
    for (const [attempt, change] of Object.entries(attempts)) {
      const joining = await group.join(change);
      assert.equal(joining.end, NOT_OPEN, attempt);
      assert.deepEqual(
        joining.came.map((frame) => [header.success.in(frame), result.decode(frame.body)]),
        [[false, NOT_OPEN]],
        attempt,
      );
      for (const { first } of [group, other]) assert.ok(await isServed(first), attempt);
    }
    const refusals = network.recorded.log.filter(({ message }) => message === 'a router was refused');
    // The same line is logged once in ten seconds.
    assert.deepEqual(
      refusals.map(({ details }) => details?.reason),
      [NOT_OPEN],
    );
    assert.equal((await group.join()).end, undefined);
  });

  test('if its router is disabled, whose channel ends as well', async () => {
    await using at = await twoRouters();
    await at.network.controller.api.edgeRouters.patch({ id: at.fra1.id, body: { disabled: true } });
    assert.equal(at.group.first.end, 'the router is disabled');
    assert.equal((await at.group.join()).end, NOT_OPEN);
  });

  const endings: Readonly<
    Record<string, readonly [end: (at: Awaited<ReturnType<typeof twoRouters>>) => Promise<unknown>, reason: string]>
  > = {
    deleted: [({ network, fra1 }) => network.controller.api.edgeRouters.delete({ id: fra1.id }), 'the router was deleted'],
    'to enroll again': [
      ({ network, fra1 }) => network.controller.api.edgeRouters.reEnroll({ id: fra1.id }),
      'the router must enroll again',
    ],
  };
  for (const [how, [end, reason]] of Object.entries(endings))
    test(`if its router is ${how}, whose connections all end`, async () => {
      await using at = await twoRouters();
      const urgent = await at.group.join();
      at.group.first.close();
      const third = await at.group.join({ type: 'ctrl.default' });
      await end(at);
      await until(() => urgent.end !== undefined);
      assert.deepEqual([urgent.end, third.end, (await at.group.join()).end], [reason, reason, NOT_OPEN]);
    });

  test('if its hello contradicts itself', async () => {
    await using at = await twoRouters();
    const { network, ams1, group } = at;
    const LACKS = 'the hello joins a group of connections, but lacks its id (header 0) or its secret (header 10)';
    const endOf = async (hello: Parameters<typeof directConnection>[2]) => (await directConnection(network, ams1, hello)).end;
    assert.equal(await endOf(groupHello({ type: 'ctrl.high' })), LACKS);
    assert.equal(await endOf(groupHello({ id: group.id })), LACKS);
    assert.equal(await endOf(groupHello({ secret: group.secret })), LACKS);
    assert.equal(await endOf(groupHello({ id: '', secret: '' })), LACKS);
    const version = header.version.of('v2.0.3');
    const ungrouped = [version, helloHeader.isFirstOfGroup.of(true), helloHeader.capabilities.of([routerCapability.multiChannel])];
    assert.equal(await endOf(ungrouped), 'the hello begins a group of connections (header 11), but is not grouped (header 9)');
    assert.equal(await endOf([version, [header.isGrouped.key, Uint8Array.of(1, 1)]]), 'a header has 2 bytes instead of 1');
    assert.ok(await isServed(group.first));
  });

  test('if its hello is too long', async () => {
    await using at = await twoRouters();
    const { network, ams1, group } = at;
    const endOf = async (hello: Parameters<typeof directConnection>[2]) => (await directConnection(network, ams1, hello)).end;
    const padded = (bytes: number) => groupHello({ isFirst: true, type: 'x'.repeat(bytes) });
    const frame = frameOf(0, new Uint8Array(), padded(0));
    const rest = frame.length - 20;
    assert.match((await endOf(padded(16_385 - rest))) ?? '', /^a frame of type 0 has 16385 bytes of headers/);
    assert.equal(await endOf(padded(16_384 - rest)), undefined);
    assert.ok(await isServed(group.first));
  });
});
