import assert from 'node:assert/strict';
import { createServer, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { paceHandshakes } from '../../adapters/listening.ts';

/** A server that has seen 20 new connections in one turn of the event loop. */
const crowdedServer = () => {
  const begun: Socket[] = [];
  const server = createServer((socket) => begun.push(socket));
  paceHandshakes(server);
  const sockets = Array.from({ length: 20 }, () => new Socket());
  for (const socket of sockets) server.emit('connection', socket);
  return { server, sockets, begun };
};

describe('handshakes', () => {
  test('of connections that come together begin in turns of the event loop, in their order', async () => {
    const { sockets, begun } = crowdedServer();
    assert.equal(begun.length, 8);
    await nextTurn();
    assert.equal(begun.length, 16);
    await nextTurn();
    assert.deepEqual(begun, sockets);
  });

  test('of later connections wait behind those that are already waiting', async () => {
    const { server, sockets, begun } = crowdedServer();
    await nextTurn();
    const late = new Socket();
    server.emit('connection', late);
    await nextTurn();
    assert.deepEqual(begun, [...sockets, late]);
  });

  test('do not begin on a connection that was lost while it waited', async () => {
    const { sockets, begun } = crowdedServer();
    sockets[12]?.destroy(new Error('read ECONNRESET'));
    await nextTurn();
    await nextTurn();
    await nextTurn();
    assert.deepEqual(
      begun,
      sockets.filter((_, i) => i !== 12),
    );
  });

  test('begin at once when there are few', async () => {
    const { server, begun } = crowdedServer();
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    const alone = new Socket();
    server.emit('connection', alone);
    assert.equal(begun.at(-1), alone);
  });
});
