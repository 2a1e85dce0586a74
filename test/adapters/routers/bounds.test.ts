import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame } from '../../../src/fabric/control-channel/frame.ts';
import { createFrameReader } from '../../../src/fabric/control-channel/frame-reader.ts';
import { circuitHeader, type Header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { textOf } from '../../../src/fabric/control-channel/primitives.ts';
import { until } from '../../support/until.ts';
import { mesh } from './mesh.ts';
import { routerNetwork } from './support.ts';
import { bindBy, CLIENT_KEY, KEY, settled, type Traffic, tokenFor, traffic } from './traffic.ts';

const { ping } = messages.channel;
const { createCircuit, createCircuitV1, refused, route } = messages.circuits;
const { routerLinks } = messages.links;

/** Asks for circuits, as many as that: what is answered, each time. */
const dialOften = (router: Pick<Traffic['router'], 'request'>, apiSessionToken: string, token: string, count: number, bytes = 0) => {
  const data = Array.from({ length: Math.ceil(bytes / 8192) }, (_, i) => [2000 + i, new Uint8Array(8192)] as const);
  const headers = [
    circuitHeader.sessionToken.of(token),
    circuitHeader.apiSessionToken.of(apiSessionToken),
    circuitHeader.peerData.of(new Map([[KEY, CLIENT_KEY] as const, ...data])),
  ];
  const answers = Array.from({ length: count }, () => router.request(createCircuit, '', { headers, milliseconds: 60_000 }));
  return answers.map(async (answer) => textOf((await answer).body));
};

test('a router has a thousand circuits under way at most; what it asks for beyond is refused at once', async () => {
  await using at = await traffic({});
  await bindBy(at, 'terminator');
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const answers = dialOften(at.router, at.dialing.token, token, 1001);
  assert.equal(await answers.at(-1), 'too many circuits are being set up');
  for (let i = 0; i < 1000; i++) await at.router.next(route);
  // Once these have failed, there is room again.
  at.network.clock.advance('10s');
  assert.deepEqual(
    new Set(await Promise.all(answers.slice(0, -1))),
    new Set([`service ${at.serviceId} could not be reached: there was no answer for 10 s`]),
  );
  const [again] = dialOften(at.router, at.dialing.token, token, 1);
  await at.router.next(route);
  at.network.clock.advance('10s');
  assert.match((await again) ?? '', /no answer/);
});

test('what a router asks for and does not read fills no memory: it is read no more until it reads again', async () => {
  await using at = await routerNetwork();
  const router = await (await at.network.edgeRouter('fra1')).dial({ port: at.port });
  router.pause();
  // An answer has this header, too: all of them would be more than may wait for a router.
  const header: Header = [128, new Uint8Array(65_000)];
  const COUNT = 1500;
  assert.ok(COUNT * header[1].length > 67_108_864);
  const answers: Promise<unknown>[] = [];
  /** @returns once all requests are sent, or the controller has read none of them for `patience` turns of a millisecond. */
  const sendAll = async (patience: number) => {
    for (let idle = 0; idle < patience && answers.length < COUNT; idle++) {
      for (; router.kept < 1_000_000 && answers.length < COUNT; idle = 0)
        answers.push(router.request(ping, undefined, { headers: [header] }));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  await sendAll(100);
  assert.ok(answers.length < COUNT);
  router.resume();
  await sendAll(Number.POSITIVE_INFINITY);
  assert.equal((await Promise.all(answers)).length, COUNT);
});

test('a router that does not read what the controller must tell it is cut off, alone', async () => {
  await using at = await mesh();
  const mad = await at.join('mad1');
  await at.link('direct', at.fra, at.ams);
  await at.link('other', mad, at.ams);
  at.ams.pause();
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const answers = [at.fra, mad].flatMap((router) => dialOften(router, at.dialing.token, token, 650, 57_344));
  await until(() => at.log().includes('info: the connection of a router has ended (it reads too slowly)'));
  for (const router of [at.fra, mad]) await settled(router);
  const gone = `service ${at.serviceId} could not be reached: a router on the path has disconnected`;
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([gone, `service ${at.serviceId} has no terminators`]));
});

test('what was announced takes no room before it comes', () => {
  const announced = encodeFrame({ contentType: 1007, sequence: 1, headers: new Map(), body: new Uint8Array(8_388_608) }).slice(0, 20);
  const readers = Array.from({ length: 1000 }, () => createFrameReader({ headers: 65_536, body: 8_388_608 }));
  const before = process.memoryUsage().arrayBuffers;
  for (const reader of readers) assert.deepEqual([...reader.read(announced)], []);
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken < 1000 * 65_536, `${taken} bytes for 1000 announcements of 8 MiB`);
});

test('links with ids that are too long are ignored', async () => {
  await using at = await mesh();
  at.fra.send(routerLinks, {
    links: [
      { id: 'x'.repeat(257), destRouterId: at.ams.id },
      { id: 'y', destRouterId: 'z'.repeat(257) },
    ],
  });
  await settled(at.fra);
  await assert.rejects(at.circuit(), /has no terminators/);
});

test('what goes to who is dialed has a bounded size, however it comes', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const sessionToken = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const peerData = new Map([[KEY, new Uint8Array(70_000)]]);
  const answer = await at.router.request(createCircuitV1, { sessionToken, apiSessionToken: at.dialing.token, peerData });
  assert.equal(refused.decode(answer.body), 'the peer data is too large');
});
