/** One frame of an enrolled router took seconds of processor time, in which nobody else was answered, and hundreds of megabytes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newRow } from '../../src/call/resources/merge.ts';
import { identity } from '../../src/contract/api/kinds.ts';
import { internalsOf } from '../../src/controller/controller-inside.ts';
import { routeHeader } from '../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { type TestNetwork, type TestRouter, testNetwork } from '../../testing/index.ts';
import { bindBy, dialBy, tokenFor, traffic, withSecond } from '../adapters/routers/traffic.ts';
import { directRouter, frameOf } from '../support/control-channel/direct-router.ts';
import { field, filled, hostileBodies, sent } from '../support/control-channel/hostile-bodies.ts';
import { type Meter, openMeter } from '../support/cost.ts';
import { countTurns } from '../support/turns.ts';
import { until } from '../support/until.ts';

/** What others wait for at most. */
const MOST_STEPS = 1_000_000;

const quiet = { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } };

const PING = frameOf(messages.links.verifyRouter.contentType, new Uint8Array());

/** What one frame of a router takes of a controller. */
const costOf = async (network: TestNetwork, edgeRouter: TestRouter, meter: Meter, frame: Uint8Array): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < meter.tries && least > meter.most; i++) {
    // Then the router has its whole budget again.
    network.clock.advance('10m');
    const router = await directRouter(network, edgeRouter);
    await network.settled();
    const cost = await meter.of(async () => {
      await router.send(frame);
      await router.send(PING);
      await until(
        () => router.end !== undefined || router.came.some(({ contentType }) => contentType === messages.channel.result.contentType),
      );
      await network.settled();
    });
    least = Math.min(least, cost);
    router.close();
  }
  return least;
};

describe('a router that sends more than it may', () => {
  const { alerts, connectEvents } = messages.routers;
  const floods: Readonly<Record<string, Uint8Array>> = {
    bytes: frameOf(alerts.contentType, alerts.encode({ alerts: [{ message: 'x'.repeat(alerts.bounds.bytes - 64) }] })),
    elements: frameOf(
      connectEvents.contentType,
      filled(field(1, 0x10, 0x01), connectEvents.bounds.elements / 2, connectEvents.bounds.bytes),
    ),
    milliseconds: frameOf(messages.enrollment.extendEnrollment.contentType, new Uint8Array()),
  };
  for (const [resource, frame] of Object.entries(floods))
    test(`in ${resource} is cut off, and logged, also when it comes again at once`, async () => {
      await using network = await testNetwork({ platform: quiet });
      const fra1 = await network.edgeRouter('fra1');
      const flood = async (most: number) => {
        const router = await directRouter(network, fra1);
        for (let i = 0; i < most && router.end === undefined; i++) {
          await router.send(frame);
          await network.settled();
        }
        router.close();
        return router.end;
      };
      const reason = new RegExp(`^it exceeded its budget of \\d+ ${resource} at once`);
      assert.match((await flood(10_000)) ?? '', reason);
      const { level, message, details } =
        network.recorded.log.find((line) => line.message.includes('exceeded its budget')) ?? assert.fail('nothing was logged');
      assert.deepEqual([level, message, details?.routerId], ['warn', 'a router exceeded its budget, and was disconnected', fra1.id]);
      assert.match(String(details?.reason), reason);
      assert.match((await flood(1)) ?? '', reason);
      network.clock.advance('10m');
      assert.equal(await flood(1), 'the connection was lost');
    });

  test('by asking about circuits that do not exist is cut off: each is answered with a message', async () => {
    await using network = await testNetwork({ platform: quiet });
    const { circuitConfirmation } = messages.circuits;
    const asking = async (name: string, count: number) => {
      const router = await directRouter(network, await network.edgeRouter(name));
      await router.send(
        frameOf(circuitConfirmation.contentType, circuitConfirmation.encode({ circuitIds: Array<string>(count).fill('gone') })),
      );
      await until(() => router.end !== undefined || router.came.length >= count);
      return router.end;
    };
    assert.equal(await asking('fra1', 10_000), undefined);
    assert.match((await asking('fra2', 250_000)) ?? '', /^it exceeded its budget of \d+ elements at once/);
  });

  test('holds up nobody else', async () => {
    await using network = await testNetwork({ platform: quiet });
    const other = await directRouter(network, await network.edgeRouter('other'));
    const flooding = await directRouter(network, await network.edgeRouter('flooding'));
    for (let i = 0; i < 100 && flooding.end === undefined; i++) await flooding.send(floods.elements ?? assert.fail());
    assert.ok(flooding.end);
    await other.send(frameOf(messages.channel.ping.contentType, new Uint8Array()));
    assert.equal(other.end, undefined);
  });
});

test('terminators that are removed by one frame are removed with turns for others', async () => {
  await using at = await traffic();
  const ids = Array.from({ length: 200 }, (_, i) => `terminator-${i}`);
  const token = await tokenFor(at.hosting, at.serviceId, 'Bind');
  for (const id of ids) assert.equal((await bindBy(at, id, token)).result, 'success');
  using others = countTurns();
  await at.router.request(messages.terminators.removeTerminators, { terminatorIds: ids });
  assert.ok(others.turns >= 200 / 25, `${others.turns} turns`);
  assert.deepEqual((await at.network.controller.api.terminators.list({})).data, []);
});

test('a hundred thousand connections in one report are published with turns for others', async () => {
  await using at = await traffic();
  const { identityId } = at.dialing;
  let [told, mostTold] = [0, 0];
  at.network.controller.networkEvents.on('connect', () => void told++);
  using others = countTurns();
  let turns = others.turns;
  at.network.controller.networkEvents.on('connect', () => {
    if (others.turns !== turns) [turns, told] = [others.turns, 0];
    mostTold = Math.max(mostTold, told);
  });
  const connectTimes = Array.from({ length: 7000 }, (_, i) => ({
    connectTime: BigInt(i + 1),
    srcAddr: '10.0.0.1:1',
    dstAddr: '10.0.0.2:2',
  }));
  const events = Array(14).fill({ identityId, isConnected: true, connectTimes });
  at.router.send(messages.routers.connectEvents, { events });
  await at.router.request(messages.channel.ping, undefined);
  await until(() => turns > 1);
  assert.ok(mostTold <= 2000, `${mostTold} without a turn`);
});

test('the identities of a router that is gone are published with turns for others', async () => {
  await using at = await traffic();
  const { core } = internalsOf(at.network.controller);
  const ids = await core.background.run({ actor: 'system', requestId: 'test' }, (job) =>
    job.write(async (entities) => {
      const made: string[] = [];
      for (let i = 0; i < 3000; i++)
        made.push((await entities.insert(identity, newRow(identity, { name: `identity ${i}`, isAdmin: false }, { typeId: 'Default' }))).id);
      return made;
    }),
  );
  const [online, unknown] = [new Set<string>(), new Set<string>()];
  using others = countTurns();
  let [turns, told, mostTold] = [0, 0, 0];
  at.network.controller.networkEvents.on('sdk', ({ event_type, identity_id }) => {
    (event_type === 'sdk-online' ? online : unknown).add(identity_id);
    if (others.turns !== turns) [turns, told] = [others.turns, 0];
    mostTold = Math.max(mostTold, ++told);
  });
  at.router.send(messages.routers.connectEvents, { events: ids.map((identityId) => ({ identityId, isConnected: true })) });
  await until(() => online.size === ids.length);
  at.router.close();
  await until(() => unknown.size === ids.length);
  assert.ok(mostTold <= 1000, `${mostTold} without a turn`);
});

test('a router that answers a route with what cannot be read is cut off, and not the one that has asked for the circuit', async () => {
  await using at = await traffic();
  const { ams1, hosting, second } = await withSecond(at, {
    [messages.circuits.route.name]: (frame, router) =>
      router.answer(frame, messages.circuits.routeResult, '', [[routeHeader.success.key, new Uint8Array(3)]]),
  });
  await bindBy(hosting, 'terminator');
  at.router.send(messages.links.routerLinks, { links: [{ id: 'link', destRouterId: ams1.id }] });
  const made = await dialBy(at);
  assert.deepEqual([made.isMade, at.router.signal.aborted], [false, false]);
  await until(() => second.signal.aborted);
});

describe('a frame of a router', () => {
  for (const message of sent)
    test(`of type ${message.name} takes few steps, whatever it holds`, async () => {
      await using network = await testNetwork({ platform: quiet });
      let edgeRouter = await network.edgeRouter('fra1');
      await using meter = await openMeter(MOST_STEPS);
      for (const [name, body] of Object.entries(hostileBodies(message.bounds))) {
        const cost = await costOf(network, edgeRouter, meter, frameOf(message.contentType, body));
        assert.ok(cost <= meter.most, `${name}, ${body.length} bytes: ${cost} ${meter.unit}`);
        // This message deletes its router.
        if (message === messages.routers.decommissionRouter) edgeRouter = await network.edgeRouter(name);
      }
    });
});
