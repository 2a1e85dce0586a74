/** Upgrades to the management channel: of strangers, of browsers at pages of others, and those that never become a channel. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { managementChannels } from '../../adapters/channels/node.ts';
import { serve, type UpgradeHandler } from '../../adapters/http/node.ts';
import { deferredChannels } from '../../server/management-channels.ts';
import { internalsOf } from '../../src/controller/controller-inside.ts';
import type { ManagementController } from '../../src/index.ts';
import { type TestNetwork, testNetwork } from '../../testing/index.ts';
import { until } from '../support/until.ts';

const served = async (channelsOf: (network: TestNetwork) => UpgradeHandler = ({ controller }) => managementChannels(controller)) => {
  const network = await testNetwork();
  const serving = await serve({ controller: network.controller, channels: channelsOf(network) });
  const { token } = await (await network.administrator('operator')).login();
  const close = async () => {
    await serving.close(0);
    await network.close();
  };
  return { network, token, serving, port: serving.port, [Symbol.asyncDispose]: close };
};

const KEY = 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==';

/** A connection with a request for an upgrade, and the text that it has received. */
const asking = (port: number, ...headers: readonly string[]) => {
  const socket = connect(port, '127.0.0.1');
  const state = { socket, text: '', isClosed: false };
  socket.on('data', (bytes) => (state.text += bytes.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (state.isClosed = true));
  const all = ['host: controller', 'connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13', ...headers];
  socket.write(`GET /fabric/v1/ws-api HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`);
  return state;
};

test('a stranger that resets its connection while the server starts does not end the process, and delays no one', async () => {
  const { promise, resolve } = Promise.withResolvers<ManagementController>();
  await using at = await served(() => deferredChannels(promise, []));
  let read = 0;
  at.serving.server.on('upgrade', () => read++);
  // Without a listener for errors of the connection, the error would fail this test, as it would end the server.
  const stranger = asking(at.port, KEY);
  const operator = asking(at.port, KEY, `zt-session: ${at.token}`);
  const connections = () =>
    new Promise<number>((found, fail) => at.serving.server.getConnections((error, count) => (error ? fail(error) : found(count))));
  await until(() => read === 2);
  stranger.socket.resetAndDestroy();
  await until(async () => (await connections()) === 1);
  resolve(at.network.controller);
  await until(() => operator.text.startsWith('HTTP/1.1 101'));
  operator.socket.destroy();
});

test('what a browser sends for a page of another site opens no channel: only headers that pages cannot set are credentials', async () => {
  await using at = await served();
  const origin = 'origin: https://page.example';
  for (const header of [
    `cookie: zt-session=${at.token}`,
    `sec-websocket-protocol: ${at.token}`,
    `authorization: Basic ${btoa(`:${at.token}`)}`,
  ]) {
    const refused = asking(at.port, KEY, origin, header);
    await until(() => refused.isClosed);
    assert.match(refused.text, /^HTTP\/1\.1 401 /, header);
  }
});

test('an upgrade that fails after the login leaves no listener and takes no place', async () => {
  await using at = await served();
  const { networkEvents } = internalsOf(at.network.controller).core;
  for (let i = 0; i < 25; i++) {
    const failed = asking(at.port, `zt-session: ${at.token}`);
    await until(() => failed.isClosed);
    assert.match(failed.text, /^HTTP\/1\.1 400 /);
  }
  await until(() => !networkEvents.isHeard('cluster'));
});

test('a client that does not read its answers cannot make the controller hold many large requests', async () => {
  await using at = await served();
  const socket = new WebSocket(`ws://127.0.0.1:${at.port}/fabric/v1/ws-api`, { headers: { 'zt-session': at.token } });
  await once(socket, 'open');
  socket.pause();
  // The answer repeats the header, so that answers soon fill the buffers of the connection.
  const header = 65_000;
  const frame = Buffer.alloc(1_000_000);
  frame.set([3, 6, 9, 0x0c, 1]);
  frame.writeInt32LE(header + 8, 12);
  frame.writeInt32LE(frame.length - 28 - header, 16);
  frame.writeInt32LE(200, 20);
  frame.writeInt32LE(header, 24);
  for (let i = 0; i < 99; i++) socket.send(frame, () => undefined);
  const { networkEvents } = internalsOf(at.network.controller).core;
  await until(() => !networkEvents.isHeard('cluster'));
  socket.terminate();
});
