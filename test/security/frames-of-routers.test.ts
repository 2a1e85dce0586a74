/** One frame of an enrolled router took seconds of processor time, in which nobody else was answered, and hundreds of megabytes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Writer } from '../../src/control-channel/codec/writer.ts';
import { messages } from '../../src/control-channel/messages/index.ts';
import type { Bounds, RouterMessage } from '../../src/control-channel/messages/message-type.ts';
import { type TestNetwork, testNetwork } from '../../testing/index.ts';
import { directRouter, frameOf } from '../support/control-channel/direct-router.ts';
import { turnCost } from '../support/turn-cost.ts';
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
  const count = Math.floor(Math.min(most, bytes / one.length));
  const all = new Uint8Array(count * one.length);
  for (let i = 0; i < count; i++) all.set(one, i * one.length);
  return all;
};

/** A field that is measured. */
const measured = (number: number, bytes: Uint8Array): Uint8Array => {
  const writer = new Writer();
  writer.tag(number, 2);
  writer.measured(bytes);
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
  'one message in field 1': field(1, ...filled(field(3, 0x08, ...LONGEST), Math.min(elements, 30_000) / 2, Math.min(bytes, 65_536))),
  'a message in field 7 that comes again and again': filled(field(7), elements, bytes),
  'unknown fields': filled(Uint8Array.of(0xf8, 0x07, ...LONGEST), elements, bytes),
  'an element too many': filled(Uint8Array.of(0xf8, 0x07, 0x01), elements + 1, bytes),
  'a long text': measured(2, filled(Uint8Array.of(0x61), bytes - 8, bytes - 8)),
  'a long text of blanks and letters': measured(2, filled(Uint8Array.of(0x61, 0x20), bytes / 2 - 8, bytes - 16)),
  'a fault of circuits': Uint8Array.of(0x08, 0x03, ...measured(2, filled(Uint8Array.of(0x61, 0x20), bytes / 2 - 8, bytes - 16))),
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
