/** One frame of an enrolled router took seconds of processor time, in which nobody else was answered, and hundreds of megabytes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Writer } from '../../src/control-channel/codec/writer.ts';
import { routeHeader } from '../../src/control-channel/header-fields.ts';
import { messages } from '../../src/control-channel/messages/index.ts';
import type { Bounds, RouterMessage } from '../../src/control-channel/messages/message-type.ts';
import { type TestNetwork, testNetwork } from '../../testing/index.ts';
import { bindBy, dialBy, tokenFor, traffic, withSecond } from '../adapters/routers/traffic.ts';
import { directRouter, frameOf } from '../support/control-channel/direct-router.ts';
import { turnCost } from '../support/turn-cost.ts';
import { countTurns } from '../support/turns.ts';
import { until } from '../support/until.ts';

/** What others wait for at most. Milliseconds of processor time */
const MOST_MS = 60;
/** The least of so many counts: the first have code to compile, and each may have garbage of others to collect. */
const TRIES = 3;

const quiet = { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } };

const sent = messages.all.filter(
  (message): message is RouterMessage<unknown, never> => 'bounds' in message && message !== messages.channel.hello,
);

/** As many of some bytes as fit, and as there may be elements. */
const filled = (one: Uint8Array, most: number, bytes: number): Uint8Array => {
  const count = Math.max(0, Math.floor(Math.min(most, bytes / one.length)));
  const all = new Uint8Array(count * one.length);
  for (let i = 0; i < count; i++) all.set(one, i * one.length);
  return all;
};

/** A field that is measured. */
const measured = (number: number, bytes: Uint8Array): Uint8Array => {
  const writer = new Writer();
  writer.tag(number, 2);
  writer.bytes(bytes);
  return writer.finish();
};
const field = (number: number, ...bytes: readonly number[]) => measured(number, Uint8Array.from(bytes));

/** A text `a`, and numbers of ten bytes: the dearest. */
const A = [0x0a, 0x01, 0x61] as const;
const LONGEST = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01] as const;
const PING = frameOf(messages.links.verifyRouter.contentType, new Uint8Array());

/** Bodies that are as long, or have as many elements, as they may; and one element more. Lists of routers are in field 1, maps in field 1 or 2. */
const hostileBodies = ({ bytes, elements }: Bounds): Readonly<Record<string, Uint8Array>> => ({
  'texts in field 1': filled(field(1, 0x61), elements, bytes),
  'messages in field 1': filled(field(1, ...A, 0x12, 0x01, 0x61, 0x18, ...LONGEST), elements / 4, bytes),
  'entries in field 1': filled(field(1, ...A, 0x12, 0x00), elements / 3, bytes),
  'entries in field 2': filled(field(2, ...A, 0x10, ...LONGEST), elements / 3, bytes),
  'entries in field 7': filled(field(7, ...A, 0x12, 0x02, 0x08, 0x01), elements / 4, bytes),
  'one message in field 1': measured(1, filled(field(3, 0x08, ...LONGEST), Math.min(elements, 32_000) / 2 - 1, bytes - 8)),
  'a message in field 7 that comes again and again': filled(field(7), elements, bytes),
  'unknown fields': filled(Uint8Array.of(0xf8, 0x07, ...LONGEST), elements, bytes),
  'an element too many': filled(Uint8Array.of(0xf8, 0x07, 0x01), elements + 1, bytes),
  'a long text': measured(2, filled(Uint8Array.of(0x61), bytes - 8, bytes - 8)),
  'a long text of blanks and letters': measured(2, filled(Uint8Array.of(0x61, 0x20), bytes / 2 - 8, bytes - 16)),
  'a fault of circuits': Buffer.concat([
    Uint8Array.of(0x08, 0x03),
    measured(2, filled(Uint8Array.of(0x61, 0x20), bytes / 2 - 8, bytes - 16)),
  ]),
});

/** What one frame takes of a controller, in its longest turn; and how it ends. */
const costOf = async (network: TestNetwork, name: string, frame: Uint8Array): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && least > MOST_MS; i++) {
    const router = await directRouter(network, await network.edgeRouter(`${name} ${i}`));
    await network.settled();
    using cost = turnCost();
    await router.send(frame);
    await router.send(PING);
    await until(
      () => router.end !== undefined || router.came.some(({ contentType }) => contentType === messages.channel.result.contentType),
    );
    await network.settled();
    least = Math.min(least, cost.longest);
    router.close();
  }
  return least;
};

describe('a router that sends more than it may', () => {
  const { alerts, connectEvents } = messages.routers;
  const floods: Readonly<Record<string, Uint8Array>> = {
    bytes: frameOf(alerts.contentType, new Uint8Array(alerts.bounds.bytes)),
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
      const reason = new RegExp(`^it asks for too much: more than \\d+ ${resource} at once`);
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
    assert.match((await asking('fra2', 250_000)) ?? '', /^it asks for too much: more than \d+ elements at once/);
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
    test(`of type ${message.name} lets others have a turn within ${MOST_MS} ms, whatever it holds`, async () => {
      await using network = await testNetwork({ platform: quiet });
      for (const [name, body] of Object.entries(hostileBodies(message.bounds))) {
        const cost = await costOf(network, `${message.name}, ${name}`, frameOf(message.contentType, body));
        assert.ok(cost <= MOST_MS, `${name}, ${body.length} bytes: ${cost} ms`);
      }
    });
});
