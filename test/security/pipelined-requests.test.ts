import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { closeAll, head, start } from '../adapters/http/servings.ts';
import { connect } from '../adapters/http/sockets.ts';
import { until } from '../support/until.ts';
import { M } from '../unit/http/fake-api.ts';

/** Requests that are sent on one connection without waiting for answers: each is small, and its answer may be large. */

after(closeAll);

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => head('GET', `${M}/things/${from + i}`)).join('');

/** A server whose answers are as large as pages of 500, and what it has been asked for. */
const largeAnswers = async () => {
  const asked: number[] = [];
  const serving = await start({
    get: async (_, { id }) => {
      asked.push(Number(id));
      return { id, text: 'x'.repeat(1_000_000) };
    },
  });
  return { serving, asked };
};

const turnsOfEventLoop = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

test('a client that reads no answers is worked for a few times, until its connection is full', async () => {
  const { serving, asked } = await largeAnswers();
  const bare = connect(serving);
  bare.socket.pause();
  bare.write(numbered(0, 400));
  await until(() => asked.length >= 4);
  // What others ask for meanwhile is answered.
  const other = connect(serving);
  other.write(head('GET', `${M}/version`));
  await other.until(/"meta"/);
  await turnsOfEventLoop(1000);
  // Four that wait for room, and what the buffers of the system have taken.
  assert.ok(asked.length < 40, `${asked.length} answers of 1 MB`);
  for (const { socket } of [bare, other]) socket.destroy();
});

test('requests that cannot start are read only up to a limit', async () => {
  const serving = await start({ get: () => new Promise(() => undefined) });
  const sockets: Socket[] = [];
  serving.server.on('connection', (socket: Socket) => void sockets.push(socket));
  const bare = connect(serving);
  const request = head('GET', `${M}/things/1`);
  bare.write(request.repeat(50_000));
  await until(() => (sockets[0]?.bytesRead ?? 0) > 0);
  await turnsOfEventLoop(1000);
  assert.ok((sockets[0]?.bytesRead ?? 0) < 10_000 * request.length);
  bare.socket.destroy();
});

test('all are answered in order to a client that reads them, however many they are', async () => {
  const serving = await start({ get: async (_, { id }) => ({ id }) });
  const bare = connect(serving);
  bare.write(numbered(0, 1000));
  const text = await bare.until(/"id":"999"/);
  assert.deepEqual(
    [...text.matchAll(/"id":"(\d+)"/g)].map(([, id]) => Number(id)),
    Array.from({ length: 1000 }, (_, i) => i),
  );
  bare.socket.destroy();
});

test('what waits when its client is gone is never begun', async () => {
  const { serving, asked } = await largeAnswers();
  const bare = connect(serving);
  bare.socket.pause();
  bare.write(numbered(0, 200));
  await until(() => asked.length >= 4);
  await turnsOfEventLoop(1000);
  const begun = asked.length;
  bare.socket.destroy();
  await until(() => new Promise((resolve) => serving.server.getConnections((_, count) => resolve(count === 0))));
  await turnsOfEventLoop(1000);
  assert.equal(asked.length, begun);
});
