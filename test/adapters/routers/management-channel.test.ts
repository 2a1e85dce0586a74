/** The management channel, by which command lines of the reference stream events and inspect routers. Frames as recorded of it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { managementChannels } from '../../../adapters/channels/node.ts';
import { serve } from '../../../adapters/http/node.ts';
import { type TestNetwork, type TestNetworkOptions, testNetwork } from '../../../testing/index.ts';
import { until } from '../../support/until.ts';

interface Answer {
  readonly type: number;
  readonly sequence: number;
  readonly headers: ReadonlyMap<number, Buffer>;
  readonly body: Buffer;
}

const frameOf = (
  type: number,
  sequence: number,
  body: Uint8Array | string,
  headers: readonly (readonly [number, Buffer])[] = [],
): Buffer => {
  const bytes = Buffer.from(body);
  const encoded = headers.map(([key, value]) => {
    const head = Buffer.alloc(8);
    head.writeInt32LE(key, 0);
    head.writeInt32LE(value.length, 4);
    return Buffer.concat([head, value]);
  });
  const headerBytes = Buffer.concat(encoded);
  const prefix = Buffer.alloc(20);
  prefix.set([3, 6, 9, 0x0c]);
  for (const [i, value] of [type, sequence, headerBytes.length, bytes.length].entries()) prefix.writeInt32LE(value, 4 + 4 * i);
  return Buffer.concat([prefix, headerBytes, bytes]);
};

const readFrame = (bytes: Buffer): Answer => {
  assert.deepEqual([...bytes.subarray(0, 4)], [3, 6, 9, 0x0c]);
  const [type = 0, sequence = 0, headerLength = 0, bodyLength = 0] = [4, 8, 12, 16].map((at) => bytes.readInt32LE(at));
  assert.equal(bytes.length, 20 + headerLength + bodyLength);
  const headers = new Map<number, Buffer>();
  for (let at = 20; at < 20 + headerLength; ) {
    const length = bytes.readInt32LE(at + 4);
    headers.set(bytes.readInt32LE(at), bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return { type, sequence, headers, body: bytes.subarray(20 + headerLength) };
};

/** The number of the request that a frame answers, whether it succeeded, and the text. */
const resultIn = ({ type, headers, body }: Answer) => [type, headers.get(1)?.readInt32LE(0), headers.get(2)?.readUInt8(0), body.toString()];

const served = async (options: TestNetworkOptions = {}) => {
  const network = await testNetwork(options);
  const channels = managementChannels(network.controller);
  const serving = await serve({ controller: network.controller, channels });
  const { token } = await (await network.administrator('operator')).login();
  return {
    network,
    token,
    serving,
    [Symbol.asyncDispose]: async () => {
      await serving.close(0);
      await network.close();
    },
  };
};
type Served = Awaited<ReturnType<typeof served>>;

/** An open channel: the frames that it has received. */
const connected = async ({ serving }: Pick<Served, 'serving'>, headers: Readonly<Record<string, string>>) => {
  const socket = new WebSocket(`ws://127.0.0.1:${serving.port}/fabric/v1/ws-api`, { headers });
  const answers: Answer[] = [];
  const state = { socket, answers, code: undefined as number | undefined };
  socket.on('message', (data) => answers.push(readFrame(Buffer.from(data as Buffer)))); // as the library gives it
  socket.on('close', (code) => (state.code = code));
  await once(socket, 'open');
  return state;
};

/** The status and the body with which an upgrade is refused. */
const refusal = (
  { serving }: Pick<Served, 'serving'>,
  headers: Readonly<Record<string, string>>,
  path = '/fabric/v1/ws-api',
): Promise<{ readonly status: number | undefined; readonly body: string; readonly headers: object }> =>
  new Promise((resolve, reject) => {
    const asked = request({
      port: serving.port,
      path,
      headers: {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        ...headers,
      },
    });
    asked.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve({ status: 101, body: '', headers: {} });
    });
    asked.on('response', async (response) => {
      const body = (await response.toArray()).join('');
      resolve({ status: response.statusCode, body, headers: response.headers });
    });
    asked.on('error', reject);
    asked.end();
  });

const subscribe = (type: string, options: object | null = null) => JSON.stringify({ format: 'json', subscriptions: [{ type, options }] });

const createService = ({ network }: { readonly network: TestNetwork }, name: string) =>
  network.controller.api.services.create({ body: { name, encryptionRequired: true } });

test('a client subscribes, receives events with their kind in header 10, and several subscriptions add up', async () => {
  await using at = await served();
  const { socket, answers } = await connected(at, { 'zt-session': at.token });
  socket.send(
    frameOf(10040, 1, subscribe('entityChange', { include: ['services'] }), [
      [200, Buffer.from('kept')],
      [100, Buffer.from('not')],
    ]),
  );
  await until(() => answers.length === 1);
  const [subscribed] = answers;
  assert.ok(subscribed);
  assert.deepEqual(resultIn(subscribed), [2, 1, 1, 'success']);
  assert.deepEqual([subscribed.headers.get(200)?.toString(), subscribed.headers.get(100)], ['kept', undefined]);
  socket.send(frameOf(10040, 7, subscribe('entityChange', { include: ['services'] })));
  await until(() => answers.length === 2);
  await createService(at, 'web');
  await until(() => answers.length === 6);
  assert.deepEqual(
    answers.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5, 6],
  );
  const events = answers
    .slice(2)
    .map(({ type, headers, body }) => ({ type, kind: headers.get(10)?.toString(), event: JSON.parse(body.toString()) }));
  assert.ok(events.every(({ type, kind, event }) => type === 10041 && kind === 'entity.change' && event.namespace === 'entityChange'));
  assert.equal(events.filter(({ event }) => event.eventType === 'created' && event.finalState.name === 'web').length, 2);
  socket.terminate();
});

test('wrong requests are answered in the words of the reference, others are ignored, and the channel stays', async () => {
  await using at = await served();
  const { socket, answers } = await connected(at, { 'zt-session': at.token });
  const asked: readonly (readonly [string, boolean, string | RegExp])[] = [
    ['{', false, 'unexpected end of JSON input'],
    ['{"format":"plain","subscriptions":[]}', false, "invalid format ['plain']"],
    ['{"format":"json","subscriptions":[{"type":"nonsense"}]}', true, 'success'],
    ['{"format":"json"}', true, 'success'],
    [
      subscribe('circuit', { include: 'x' }),
      false,
      'invalid include x for fabric.circuits. valid values are [created pathUpdated deleted failed]',
    ],
    [
      subscribe('apiSession', { include: 'refreshed' }),
      false,
      "invalid include refreshed for apiSession. valid values are ['created', 'deleted']",
    ],
    [
      subscribe('entityChange', { include: 'services' }),
      false,
      'invalid value type [string] for entityChange include list, must be string list',
    ],
    [subscribe('metrics', { sourceFilter: '(' }), false, /^error parsing regexp: missing closing \)/],
    [
      subscribe('entityCount', { interval: 'x' }),
      false,
      `invalid duration value for edge.entityCounts interval: 'x': time: invalid duration "x"`,
    ],
    [subscribe('usage', { version: 3 }), true, 'success'],
  ];
  for (const [i, [body]] of asked.entries()) socket.send(frameOf(10040, i + 1, body));
  for (const ignored of [0, 3, 5, 10070, 4711]) socket.send(frameOf(ignored, 90, ''));
  socket.send(frameOf(1, 99, ''));
  await until(() => answers.length === asked.length + 1);
  for (const [i, [, isSuccess, text]] of asked.entries()) {
    const [type, replyFor, success, said] = resultIn(answers[i] as Answer);
    assert.deepEqual([type, replyFor, success], [2, i + 1, isSuccess ? 1 : 0]);
    if (typeof text === 'string') assert.equal(said, text);
    else assert.match(String(said), text);
  }
  assert.deepEqual(resultIn(answers.at(-1) as Answer), [2, 99, 1, '']);
  socket.terminate();
});

test('an inspection is answered with values as text, and a validation that is not one with a reason', async () => {
  await using at = await served();
  const { socket, answers } = await connected(at, { 'zt-session': at.token });
  const text = (number: number, value: string) => Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), Buffer.from(value)]);
  socket.send(frameOf(10048, 1, Buffer.concat([text(1, '.*'), text(2, 'connected-routers')])));
  await until(() => answers.length === 1);
  const [inspected] = answers;
  assert.deepEqual([inspected?.type, inspected?.headers.get(1)?.readInt32LE(0)], [10049, 1]);
  assert.deepEqual([...(inspected?.body.subarray(0, 2) ?? [])], [8, 1], 'success');
  assert.ok(inspected?.body.includes('connected-routers') && inspected.body.includes('[]'));
  socket.send(frameOf(10103, 2, 'no message'));
  await until(() => answers.length === 2);
  assert.deepEqual([answers[1]?.type, answers[1]?.headers.get(1)?.readInt32LE(0)], [10104, 2]);
  assert.ok(answers[1]?.body.includes('failed to unmarshall request: '));
  socket.terminate();
});

test('a client without a session, without a right, or with a session as a bearer gets 401 before the upgrade', async () => {
  await using at = await served();
  const device = await (await at.network.device('somebody')).login();
  const refused = [
    {},
    { 'zt-session': 'unknown' },
    { authorization: `Bearer ${at.token}` },
    { cookie: `zt-session=${at.token}` },
    { 'zt-session': device.token },
  ];
  for (const headers of refused) {
    const { status, body } = await refusal(at, headers);
    assert.equal(status, 401, JSON.stringify(headers));
    const { error, meta } = JSON.parse(body);
    assert.equal(error.code, 'UNAUTHORIZED');
    assert.deepEqual(meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
  }
});

test('an API token opens a channel from its own addresses, as a session token or as a bearer', async () => {
  await using at = await served();
  const { id: identityId } = await at.network.administrator('another');
  const create = async (addressRanges: readonly string[]) => {
    const expiresAt = new Date(at.network.clock.now() + 86_400_000).toISOString();
    return (
      (await at.network.controller.api.apiTokens.create({ body: { identityId, name: 'ci', expiresAt, isAdmin: true, addressRanges } }))
        .secret ?? ''
    );
  };
  const [here, elsewhere] = [await create(['127.0.0.0/8']), await create(['192.0.2.0/24'])];
  for (const headers of [{ 'zt-session': here }, { authorization: `Bearer ${here}` }])
    assert.equal((await refusal(at, headers)).status, 101);
  assert.equal((await refusal(at, { 'zt-session': elsewhere })).status, 401);
});

test('other paths are not upgraded, and the path without an upgrade says what is missing', async () => {
  await using at = await served();
  assert.equal((await refusal(at, { 'zt-session': at.token }, '/fabric/v1/ws-api/')).status, 404);
  const plain = await fetch(`http://127.0.0.1:${at.serving.port}/fabric/v1/ws-api`, { headers: { 'zt-session': at.token } });
  assert.equal(plain.status, 400);
  assert.equal(plain.headers.get('sec-websocket-version'), '13');
  assert.match(await plain.text(), /^Bad Request/);
});

for (const [what, message] of [
  ['a text message', 'text'],
  ['a wrong marker', Buffer.alloc(20)],
  ['a length that does not fit', frameOf(1, 1, 'x').subarray(0, 20)],
  ['half a prefix', Buffer.from([3, 6, 9])],
  ['two frames in one message', Buffer.concat([frameOf(1, 1, ''), frameOf(1, 2, '')])],
] as const)
  test(`${what} cuts the connection, without an answer`, async () => {
    await using at = await served();
    const channel = await connected(at, { 'zt-session': at.token });
    channel.socket.send(message);
    await until(() => channel.code !== undefined);
    assert.deepEqual([channel.code, channel.answers], [1006, []]);
  });

test('the channel ends with the session that opened it', async () => {
  await using at = await served();
  const admin = await at.network.administrator('another');
  const session = await admin.login();
  const [ending, staying] = [await connected(at, { 'zt-session': session.token }), await connected(at, { 'zt-session': at.token })];
  await at.network.controller.api.apiSessions.delete({ id: session.id });
  await until(() => {
    at.network.clock.advance('5s');
    return ending.code !== undefined;
  });
  assert.equal(staying.code, undefined);
  staying.socket.terminate();
});

test('a quarter of the channels is reserved for administrators', async () => {
  await using at = await served({ settings: { maxOpenStreams: 4, maxOpenStreamsPerIdentity: 3 } });
  const { api } = at.network.controller;
  const auditor = async (name: string) => {
    const user = await at.network.identity(name);
    await api.identities.patch({ id: user.id, body: { permissions: ['ops.read'] } });
    return { 'zt-session': (await user.login()).token };
  };
  const [one, other] = [await auditor('one'), await auditor('other')];
  const open = [await connected(at, one), await connected(at, one), await connected(at, one)];
  assert.equal((await refusal(at, other)).status, 503);
  assert.equal((await refusal(at, { 'zt-session': at.token })).status, 101);
  for (const { socket } of open) socket.terminate();
});

test('an identity has a limited number of channels, and of streams in each; places are free again afterwards', async () => {
  await using at = await served({ settings: { maxOpenStreamsPerIdentity: 2 } });
  const open = [await connected(at, { 'zt-session': at.token }), await connected(at, { 'zt-session': at.token })];
  assert.equal((await refusal(at, { 'zt-session': at.token })).status, 429);
  const [first] = open;
  assert.ok(first);
  const many = JSON.stringify({ format: 'json', subscriptions: Array.from({ length: 20 }, () => ({ type: 'circuit' })) });
  for (const sequence of [1, 2]) first.socket.send(frameOf(10040, sequence, many));
  await until(() => first.answers.length === 2);
  assert.deepEqual(first.answers.map(resultIn), [
    [2, 1, 1, 'success'],
    [2, 2, 0, 'this channel already has 32 streams, which is the maximum'],
  ]);
  for (const { socket } of open) socket.terminate();
  await until(async () => (await refusal(at, { 'zt-session': at.token })).status === 101);
});
