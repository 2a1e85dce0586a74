import assert from 'node:assert/strict';
import { test } from 'node:test';
import tlsOfNode from 'node:tls';
import { encodeFrame } from '../../../src/fabric/control-channel/frame.ts';
import { earlierHelloHeader, header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { linkListeners } from '../../../src/fabric/control-channel/messages/links.ts';
import { connectScripted } from '../../../testing/scripted-router.ts';
import { frozenClock } from '../../support/clock.ts';
import { directRouter } from '../../support/control-channel/direct-router.ts';
import { until } from '../../support/until.ts';
import { selfSigned } from '../http/certificates.ts';
import { isOnline, routerNetwork } from './support.ts';

const { result, hello } = messages.channel;
const { routerInterfaces, connectEvents, metrics } = messages.routers;

test('a router that connects is online as soon as it has said how it is reached', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const fra1 = await network.edgeRouter('fra1');
  const router = await fra1.dial({ port, listeners: [{ protocol: 'tls', hostname: 'fra1.routers.example', port: 3022 }] });
  await until(() => isOnline(network, fra1.id));
  const shown = await network.controller.api.edgeRouters.get({ id: fra1.id });
  assert.partialDeepStrictEqual(shown, {
    hostname: 'fra1.routers.example',
    supportedProtocols: { tls: 'tls://fra1.routers.example:3022' },
    syncStatus: 'SYNC_DONE',
    versionInfo: { version: 'v1.7.2', os: 'linux', arch: 'amd64' },
  });
  assert.deepEqual(earlierHelloHeader.capabilities.in(router.welcome), [1, 2, 3, 4, 6]);
  assert.match(header.version.required(router.welcome), /^v2\.0\.3\|overlay-controller /);
  router.close();
  await until(async () => !(await isOnline(network, fra1.id)));
  await until(() => at.log().includes('info: the connection of a router has ended (the connection was lost)'));
});

test('the version and the listeners that a router reports have no control characters that a terminal obeys', async () => {
  await using at = await routerNetwork();
  const fra1 = await at.network.edgeRouter('fra1');
  const listeners = linkListeners.encode({ listeners: [{ address: 'tls:\u001b[2J', protocol: '\u0007' }] });
  const version = header.version.of('v1.7.2|r\u001b[2J|2026\u0007|linux|\u009b31m');
  const router = await directRouter(at.network, fra1, [version, earlierHelloHeader.listeners.of(listeners)]);
  const { listenerAddresses } = await at.network.controller.api.fabricRouters.get({ id: fra1.id });
  assert.deepEqual(listenerAddresses, [{ address: 'tls:\uFFFD[2J', protocol: '\uFFFD' }]);
  assert.deepEqual((await at.network.controller.api.edgeRouters.get({ id: fra1.id })).versionInfo, {
    version: 'v1.7.2',
    revision: 'r\uFFFD[2J',
    buildDate: '2026\uFFFD',
    os: 'linux',
    arch: '\uFFFD31m',
  });
  router.close();
});

test('it reports interfaces and the identities that it carries', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const { controller } = network;
  const [ann, ben] = [await network.identity('ann'), await network.identity('ben')];
  const fra1 = await network.edgeRouter('fra1');
  const router = await fra1.dial({ port });
  const answer = await router.request(routerInterfaces, {
    interfaces: [
      { name: 'eth0', hardwareAddress: '02:00:00:00:00:01', mtu: 1500n, index: 2n, flags: 0b110011n, addresses: ['10.1.0.7/16'] },
    ],
  });
  assert.equal(header.success.in(answer), true);
  const { interfaces } = await controller.api.edgeRouters.get({ id: fra1.id });
  assert.partialDeepStrictEqual(interfaces, [
    { name: 'eth0', mtu: 1500, index: 2, isUp: true, isBroadcast: true, isLoopback: false, isMulticast: true, isRunning: true },
  ]);
  const refused = await router.request(routerInterfaces, { interfaces: [{ name: 'eth\n0' }] });
  assert.deepEqual([header.success.in(refused), result.decode(refused.body)], [false, 'must not contain control characters']);

  const statusOf = async (id: string) => (await controller.api.identities.get({ id })).edgeRouterConnectionStatus;
  router.send(connectEvents, { events: [ann, ben].map(({ id }) => ({ identityId: id, isConnected: true })) });
  router.send(connectEvents, { events: [{ identityId: 'nobody', isConnected: true }, { identityId: ben.id }] });
  await until(async () => (await statusOf(ann.id)) === 'online' && (await statusOf(ben.id)) === 'offline');
  router.send(connectEvents, { fullState: true, events: [{ identityId: ben.id, isConnected: true }] });
  await until(async () => (await statusOf(ann.id)) === 'offline' && (await statusOf(ben.id)) === 'online');
  router.close();
  await until(async () => (await statusOf(ben.id)) === 'unknown');
});

test('a router that is disabled, deleted, or must enroll again is cut off at once', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const { edgeRouters } = network.controller.api;
  const cuts: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'the router is disabled': (id) => edgeRouters.patch({ id, body: { disabled: true } }),
    'the router was deleted': (id) => edgeRouters.delete({ id }),
    'the router must enroll again': (id) => edgeRouters.reEnroll({ id }),
  };
  for (const [reason, cut] of Object.entries(cuts)) {
    const { id, dial } = await network.edgeRouter(reason);
    const router = await dial({ port });
    await cut(id);
    await until(() => router.signal.aborted);
    assert.ok(at.log().includes(`info: the connection of a router has ended (${reason})`), reason);
  }
});

test('a refused connection gets the reason, and one line is logged', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const { edgeRouters } = network.controller.api;
  const [fra1, fra2] = [await network.edgeRouter('fra1'), await network.edgeRouter('fra2')];
  const refused = async (dialing: Promise<unknown>, reason: string) => {
    network.recorded.clear();
    // The same line is logged once in ten seconds.
    network.clock.advance('10s');
    await assert.rejects(dialing, { message: reason });
    await until(() => at.log().length > 0);
    assert.deepEqual(at.log(), [`warn: a router was refused (${reason})`]);
  };
  await refused(fra1.dial({ port, claimedId: fra2.id }), 'the certificate is that of another router');
  await refused(fra1.dial({ port, version: 'v3.0.0' }), "routers of version 'v3.0.0' are not supported");
  await edgeRouters.patch({ id: fra1.id, body: { disabled: true } });
  await refused(fra1.dial({ port }), 'the router is disabled');
  await edgeRouters.patch({ id: fra1.id, body: { disabled: false } });
  const { certificate } = fra1;
  assert.ok(certificate);
  await edgeRouters.reEnroll({ id: fra1.id });
  const NOT_CURRENT = 'the certificate is not the current one of a router';
  await refused(dialWith({ port, id: fra1.id, cert: certificate.chain, key: certificate.key }), NOT_CURRENT);
  const device = await network.device('laptop');
  await refused(dialWith({ port, id: fra1.id, cert: device.certificate.chain, key: device.certificate.key }), NOT_CURRENT);
  const stranger = selfSigned(fra1.id);
  await refused(dialWith({ port, id: fra1.id, ...stranger }), NOT_CURRENT);
  const other = await network.edgeRouter('expired');
  (await other.dial({ port })).close();
  await until(() => at.log().some((line) => line.includes('has ended')));
  assert.ok(other.certificate);
  const { chain, key } = other.certificate;
  network.clock.suspend('400d');
  await refused(dialWith({ port, id: other.id, cert: chain, key }), NOT_CURRENT);
});

test('a second connection of a router is refused during a minute, and then replaces the first', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const fra1 = await network.edgeRouter('fra1');
  const first = await fra1.dial({ port });
  await assert.rejects(fra1.dial({ port }), { message: 'the router connected less than 60 s ago' });
  assert.equal(first.signal.aborted, false);
  await until(() => isOnline(network, fra1.id));
  network.clock.advance('30s');
  await first.request(messages.channel.ping, undefined); // heartbeats were answered meanwhile
  network.clock.advance('30s');
  const second = await fra1.dial({ port });
  await until(() => first.signal.aborted);
  await until(() => isOnline(network, fra1.id));
  assert.equal(second.signal.aborted, false);
});

test('a router that was lost connects again at once', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const fra1 = await network.edgeRouter('fra1');
  for (let i = 0; i < 3; i++) {
    const router = await fra1.dial({ port });
    await until(() => isOnline(network, fra1.id));
    router.close();
    await until(async () => !(await isOnline(network, fra1.id)));
  }
});

test('a router that does not say how it is reached is asked three times, and stays connected', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const fra1 = await network.edgeRouter('fra1');
  let asked = 0;
  const router = await fra1.dial({ port, script: { ServerHello: () => void asked++ } });
  for (let i = 1; i <= 3; i++) {
    await until(() => asked === i);
    network.clock.advance('5s');
  }
  await until(() => at.log().some((line) => line.startsWith('warn: a router has not reported its listeners')));
  const { syncStatus, isOnline: online } = await network.controller.api.edgeRouters.get({ id: fra1.id });
  assert.deepEqual([syncStatus, online, router.signal.aborted], ['SYNC_HELLO_TIMEOUT', false, false]);
});

test('what one router does wrong ends its connection alone', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const good = await (await network.edgeRouter('good')).dial({ port });
  const faults: readonly (readonly [Uint8Array, string])[] = [
    [Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'the bytes received are not a frame'],
    [frame(metrics.contentType, { body: new Uint8Array(9_000_000) }).subarray(0, 20), 'a frame of type 1007 has a body of 9000000 bytes'],
    [frame(connectEvents.contentType, { body: Uint8Array.of(0x0a, 0x7f) }), 'a field is longer than its message'],
    [frame(hello.contentType, {}), 'it sent a second hello'],
  ];
  for (const [i, [bytes, reason]] of faults.entries()) {
    const bad = await (await network.edgeRouter(`bad ${i}`)).dial({ port });
    bad.write(bytes);
    await until(() => bad.signal.aborted);
    await until(() => at.log().includes(`info: the connection of a router has ended (${reason})`));
  }
  assert.equal(header.success.in(await good.request(messages.channel.ping, undefined)), true);
});

test('messages of unknown types are ignored, and logged once', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const router = await (await network.edgeRouter('fra1')).dial({ port });
  for (let i = 0; i < 100; i++) router.write(frame(4711 + (i % 40), {}));
  assert.equal(header.success.in(await router.request(messages.channel.ping, undefined)), true);
  assert.equal(at.log().filter((line) => line.endsWith('a router sent a message of an unknown type, which is ignored')).length, 16);
});

test('half a frame, and a connection without a hello, end after five seconds', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const fra1 = await network.edgeRouter('fra1');
  (await fra1.dial({ port })).close();
  assert.ok(fra1.certificate);
  for (const sent of [new Uint8Array(), frame(hello.contentType, {}).subarray(0, 10)]) {
    const socket = await connected({ port, cert: fra1.certificate.chain, key: fra1.certificate.key });
    socket.write(sent);
    await until(() => {
      network.clock.advance('5s');
      return socket.closed;
    });
  }
});

test('a connection without a certificate, or for another protocol, is closed at once', async () => {
  await using at = await routerNetwork();
  const { port } = at;
  for (let i = 0; i < 5; i++) {
    const bare = await connected({ port });
    await new Promise((resolve) => bare.once('close', resolve));
  }
  const lines = () => at.log().filter((line) => line === 'warn: a connection to the control port without a client certificate was closed');
  // Logged once for all within ten seconds.
  assert.equal(lines().length, 1);
  const noProtocol = await connected({ port, ...selfSigned('x'), ALPNProtocols: undefined });
  await new Promise((resolve) => noProtocol.once('close', resolve));
  await assert.rejects(connected({ port, ...selfSigned('x'), ALPNProtocols: ['h2'] }), /alert/);
});

const frame = (contentType: number, { body = new Uint8Array() }: { readonly body?: Uint8Array }): Uint8Array =>
  encodeFrame({ contentType, sequence: 1, headers: new Map(), body });

const connected = (options: tlsOfNode.ConnectionOptions): Promise<tlsOfNode.TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = tlsOfNode.connect({ host: '127.0.0.1', ALPNProtocols: ['ziti-ctrl'], rejectUnauthorized: false, ...options }, () =>
      resolve(socket),
    );
    socket.on('error', reject).resume();
  });

/** Says hello as anyone may. @throws Error with what was answered */
const dialWith = ({ port, id, cert, key }: { readonly port: number; readonly id: string; readonly cert: string; readonly key: string }) =>
  connectScripted({ id, certificate: { chain: cert, key }, clock: frozenClock() }, { port });
