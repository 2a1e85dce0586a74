/**
 * A router may replace its connection for urgent messages as often as it likes. Each replacement once had 64 further messages handled at
 * the same time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptChannel } from '../../src/fabric/control-channel/accept.ts';
import { createBudget } from '../../src/fabric/control-channel/budget.ts';
import type { OwnedChannel, Wire } from '../../src/fabric/control-channel/channel.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { frozenClock } from '../support/clock.ts';
import { frameOf } from '../support/control-channel/direct-router.ts';

const { hello } = messages.channel;
const { alerts } = messages.routers;
const wire = (): Wire & { isEnded: boolean } => ({
  write: () => undefined,
  buffered: 0,
  drained: async () => undefined,
  isEnded: false,
  end() {
    this.isEnded = true;
  },
});

/** A channel, whose messages are never done with. */
const channelOfARouter = async () => {
  const clock = frozenClock();
  const budget = createBudget(clock);
  let owned: OwnedChannel | undefined;
  let handled = 0;
  const connect = async () => {
    const own = wire();
    const { received, signal } = acceptChannel({
      clock,
      wire: own,
      admit: async (_hello, channel) => {
        const joined = owned;
        owned ??= channel;
        return { headers: [], budget, priority: joined ? 'high' : 'default', ...(joined && { joined }) };
      },
      opened: () => undefined,
      take: () => () => {
        handled++;
        return new Promise<void>(() => undefined);
      },
      note: () => undefined,
    });
    await received(frameOf(hello.contentType, new Uint8Array()));
    return { received, signal, wire: own };
  };
  await connect();
  return { connect, handled: () => handled };
};

test('a router that replaces a connection twenty times has 64 messages of it handled, and two connections', async () => {
  const { connect, handled } = await channelOfARouter();
  const many = Buffer.concat(Array.from({ length: 100 }, () => frameOf(alerts.contentType, new Uint8Array())));
  const all = [];
  for (let i = 0; i < 20; i++) {
    const connection = await connect();
    all.push(connection);
    void connection.received(many);
    await new Promise(setImmediate);
  }
  assert.equal(handled(), 64);
  assert.deepEqual(
    all.map((each) => each.wire.isEnded),
    [...Array.from({ length: 19 }, () => true), false],
  );
});
