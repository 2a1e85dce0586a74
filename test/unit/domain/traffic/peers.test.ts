import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createChannel } from '../../../../src/fabric/control-channel/channel.ts';
import { createFrameReader } from '../../../../src/fabric/control-channel/frame-reader.ts';
import { messages } from '../../../../src/fabric/control-channel/messages/index.ts';
import { announcePeers } from '../../../../src/fabric/links/peers.ts';
import { createListeners } from '../../../../src/store/changelog/listeners.ts';
import { frozenClock } from '../../../support/clock.ts';
import { countTurns } from '../../../support/turns.ts';

const { peerStateChanges } = messages.links;
const ROUTERS = 100;

/** Routers that announcements are sent to, and what each knows of the others. */
const peers = () => {
  const here = new Map<string, ReturnType<typeof newPeer>>();
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const announcements = announcePeers({
    events: createListeners(log),
    connected: { get: (id) => here.get(id), all: () => [...here.values()] },
  });
  let messagesSent = 0;
  const newPeer = (id: string) => {
    const known = new Map<string, string>();
    const reader = createFrameReader({ headers: 1e6, body: 1e8 });
    const channel = createChannel({
      clock: frozenClock(),
      wire: {
        write: (bytes) => {
          for (const { body } of reader.read(bytes)) {
            messagesSent++;
            for (const change of peerStateChanges.decode(body).changes) known.set(change.id, change.state);
          }
        },
        buffered: 0,
        drained: async () => undefined,
        end: () => undefined,
      },
      take: () => () => undefined,
      note: () => undefined,
    });
    return { id, version: 'v1.7.2', linkListeners: [], channel, known };
  };
  return {
    here,
    get messagesSent() {
      return messagesSent;
    },
    join: (id: string) => {
      const peer = newPeer(id);
      here.set(id, peer);
      announcements.onConnect(peer);
    },
    leave: (id: string) => {
      here.get(id)?.channel.close('lost');
      here.delete(id);
      announcements.onDisconnect({ id });
    },
  };
};

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};
const name = (i: number): string => `router-${i}`;

describe('routers that are announced to each other', () => {
  test('know all others, and not themselves, also those that leave and come back', async () => {
    const network = peers();
    for (let i = 0; i < 30; i++) {
      network.join(name(i));
      if (i % 3 === 0) await turns(1);
      if (i % 7 === 6) network.leave(name(i - 3));
      if (i % 14 === 13) network.join(name(i - 3));
    }
    await turns(30);
    for (const { id, known } of network.here.values()) {
      const others = [...network.here.keys()].filter((other) => other !== id);
      assert.deepEqual(
        [...known]
          .filter(([, state]) => state === 'healthy')
          .map(([other]) => other)
          .toSorted(),
        others.toSorted(),
      );
    }
  });

  test('are sent in few messages when many connect, or are lost, together', async () => {
    const network = peers();
    for (let i = 0; i < ROUTERS; i++) {
      network.join(name(i));
      await turns(1);
    }
    await turns(ROUTERS);
    const [first] = network.here.values();
    assert.equal(first?.known.size, ROUTERS - 1);
    assert.ok(network.messagesSent < (ROUTERS * ROUTERS) / 4, `${network.messagesSent} messages for ${ROUTERS} routers`);
    const before = network.messagesSent;
    for (let i = 1; i < ROUTERS; i += 2) network.leave(name(i));
    await turns(ROUTERS);
    const lost = [...(first?.known.values() ?? [])].filter((state) => state === 'unhealthy');
    assert.deepEqual([lost.length, network.messagesSent - before], [ROUTERS / 2, ROUTERS / 2]);
  });

  test('leave others their turns meanwhile', async () => {
    const network = peers();
    for (let i = 0; i < ROUTERS; i++) network.join(name(i));
    using counted = countTurns();
    const [first] = network.here.values();
    while ((first?.known.size ?? 0) < ROUTERS - 1 || network.messagesSent < ROUTERS * 2 - 1) await turns(1);
    assert.ok(counted.turns >= ROUTERS / 50, `${counted.turns} turns`);
  });
});
