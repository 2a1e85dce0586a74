/** Routers of the 2.x line open a second connection for urgent messages. Both form one channel. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '../../../src/fabric/control-channel/frame.ts';
import { header, helloHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { textOf, utf8 } from '../../../src/fabric/control-channel/primitives.ts';
import { inspectRouters } from '../../../src/routers.ts';
import { type TestNetworkOptions, testNetwork } from '../../../testing/index.ts';
import { type DirectRouter, frameOf } from '../../support/control-channel/direct-router.ts';
import { type GroupHeaders, openGroup } from '../../support/control-channel/underlays.ts';
import { until } from '../../support/until.ts';

const { ping, result } = messages.channel;
const { circuitConfirmation, unroute } = messages.circuits;
const { inspectRequest } = messages.routers;
const quiet: TestNetworkOptions = { platform: { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } } };

const grouped = async (headers: GroupHeaders = {}) => {
  const network = await testNetwork(quiet);
  const fra1 = await network.edgeRouter('fra1');
  await fra1.connect();
  fra1.disconnect();
  const isConnected = async () => (await network.controller.api.fabricRouters.get({ id: fra1.id })).connected;
  const open = (change: GroupHeaders = headers) => openGroup(network, fra1, change);
  return { network, fra1, open, isConnected, group: await open(), [Symbol.asyncDispose]: () => network.close() };
};

/** What a connection gets while others do something, by type. */
const got = ({ came }: DirectRouter, { contentType }: { readonly contentType: number }): readonly Frame[] =>
  came.filter((frame) => frame.contentType === contentType);
const unknown = (id: string) => frameOf(circuitConfirmation.contentType, circuitConfirmation.encode({ circuitIds: [id] }));
const unrouted = (connection: DirectRouter) => got(connection, unroute).map(({ body }) => unroute.decode(body).circuitId);

test('urgent messages take the second connection, whichever asked for them; all others take the first', async () => {
  await using at = await grouped();
  const { first, join } = at.group;
  await first.send(unknown('before'));
  await until(() => unrouted(first).length === 1);
  const second = await join();
  assert.deepEqual([header.success.in(second.came[0] ?? assert.fail()), second.end], [true, undefined]);
  await first.send(unknown('by the first'));
  await second.send(unknown('by the second'));
  await until(() => unrouted(second).length === 2);
  assert.deepEqual([unrouted(first), unrouted(second)], [['before'], ['by the first', 'by the second']]);
  await second.send(frameOf(ping.contentType, new Uint8Array()));
  void inspectRouters(at.network.controller, { values: ['links'] });
  await until(() => got(first, inspectRequest).length === 1);
  assert.deepEqual([got(second, inspectRequest).length, got(second, result).length], [0, 1]);
});

test('a channel lasts while one of its connections does, which then carries everything', async () => {
  await using at = await grouped();
  const { first, join } = at.group;
  const second = await join();
  second.close();
  await first.send(unknown('one'));
  await until(() => unrouted(first).length === 1);
  const third = await join();
  first.close();
  assert.ok(await at.isConnected());
  await third.send(unknown('two'));
  void inspectRouters(at.network.controller, { values: ['links'] });
  await until(() => unrouted(third).length === 1 && got(third, inspectRequest).length === 1);
  const again = await join({ type: 'ctrl.default' });
  void inspectRouters(at.network.controller, { values: ['links'] });
  await until(() => got(again, inspectRequest).length === 1);
  third.close();
  assert.ok(await at.isConnected());
  again.close();
  await until(async () => !(await at.isConnected()));
  assert.equal((await join()).end, 'the hello joins a group of connections that is not open here');
});

test('a router that has lost all connections begins again with its secret and a new id, with the urgent one first if it likes', async () => {
  await using at = await grouped();
  const { id, secret, first, welcome } = at.group;
  assert.match(textOf(helloHeader.groupSecret.required(welcome)), /^[0-9a-f-]{36}$/);
  // The controller has not noticed yet that the connection was lost.
  const back = await at.open({ type: 'ctrl.high', id: `${id}-1`, secret });
  assert.deepEqual([back.id, back.secret, back.first.end], [`${id}-1`, secret, undefined]);
  assert.equal(first.end, 'the router has connected again');
  assert.ok(await at.isConnected());
  await back.first.send(unknown('one'));
  await until(() => unrouted(back.first).length === 1);
  const joined = await back.join({ type: 'ctrl.default' });
  void inspectRouters(at.network.controller, { values: ['links'] });
  await until(() => got(joined, inspectRequest).length === 1);
  await joined.send(unknown('two'));
  await until(() => unrouted(back.first).length === 2);
  assert.deepEqual([unrouted(joined), got(back.first, inspectRequest).length], [[], 0]);
});

test('another process with the certificate of a router does not replace one that has just connected', async () => {
  await using at = await grouped();
  const other = await at.open({ secret: utf8('another') });
  assert.equal(other.first.end, 'the router connected less than 60 s ago');
  assert.equal(at.group.first.end, undefined);
});

test('what one connection does wrong ends the channel with both', async () => {
  await using at = await grouped();
  const second = await at.group.join();
  await second.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  assert.deepEqual([at.group.first.end, second.end], ['the bytes received are not a frame', 'the bytes received are not a frame']);
});
