/**
 * The capabilities that are announced to routers are those that are built: each has its behaviour here, so that none can be announced
 * without.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controllerCapability, earlierHelloHeader, helloHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { openGroup } from '../../support/control-channel/underlays.ts';
import { mesh } from './mesh.ts';
import { bindBy, dialBy, settled, type Traffic, tokenFor, traffic } from './traffic.ts';

const { subscribeToDataModel, dataState } = messages.dataModel;
const { routerLinks } = messages.links;

type Capability = keyof typeof controllerCapability;

/** Each fails unless the controller does what it announces. */
const behaviours: Readonly<Record<Capability, (at: Traffic) => Promise<void>>> = {
  createTerminatorV2: async (at) => assert.equal((await bindBy(at, 'terminator')).result, 'success'),
  createCircuitV2: async (at) => {
    await bindBy(at, 'terminator');
    assert.ok((await dialBy(at)).isMade);
  },
  dataModel: async ({ router }) => {
    router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300 });
    assert.ok(dataState.decode((await router.next(dataState)).body).events.length > 0);
  },
  dialerReportsLinks: async () => {
    await using at = await mesh();
    at.fra.send(routerLinks, { links: [{ id: 'reported once', destRouterId: at.ams.id, iteration: 1 }] });
    await settled(at.fra);
    const { data } = await at.network.controller.api.links.list({});
    assert.deepEqual(
      data.map(({ id, sourceRouter, destRouter }) => [id, sourceRouter?.id, destRouter?.id]),
      [['reported once', at.fra.id, at.ams.id]],
    );
  },
  groupedChannel: async ({ network }) => {
    const ams1 = await network.edgeRouter('ams1');
    await ams1.connect();
    ams1.disconnect();
    const { first, join } = await openGroup(network, ams1);
    assert.deepEqual([(await join()).end, first.end], [undefined, undefined]);
  },
  signedSessions: async (at) => assert.equal((await tokenFor(at.dialing, at.serviceId, 'Dial')).split('.').length, 3),
};

for (const [name, behaviour] of Object.entries(behaviours))
  test(`the capability ${name} is what the controller does`, async () => {
    await using at = await traffic();
    await behaviour(at);
  });

test('the announced mask is made of the table, for routers of both lines', async () => {
  await using at = await traffic();
  const bits = Object.values(controllerCapability).toSorted((a, b) => a - b);
  const { welcome } = await openGroupOf(at);
  for (const { capabilities } of [helloHeader, earlierHelloHeader]) {
    assert.deepEqual(capabilities.in(welcome), bits);
    assert.deepEqual(
      capabilities.in(at.router.welcome),
      bits.filter((bit) => bit !== controllerCapability.groupedChannel),
    );
  }
});

const openGroupOf = async ({ network }: Traffic) => {
  const ams1 = await network.edgeRouter('ams1');
  await ams1.connect();
  ams1.disconnect();
  const { first } = await openGroup(network, ams1);
  return { welcome: first.came[0] ?? assert.fail('no answer') };
};
