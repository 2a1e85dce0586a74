/** Traces of the messages of routers, as the command line of the reference turns them on and streams them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalsOf } from '../../../src/controller/controller-inside.ts';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { managementMessages } from '../../../src/fabric/control-channel/messages/management.ts';
import type { MessageBody } from '../../../src/fabric/control-channel/messages/message-type.ts';
import { readOnly } from '../../../src/index.ts';
import { until } from '../../support/until.ts';
import { operator } from './operator.ts';
import { letPass, type RouterNetwork, routerNetwork } from './support.ts';

const { togglePipeTraces: toggleRouter, traceEvent } = messages.routers;
const { togglePipeTraces, streamTraces, streamTracesEvent } = managementMessages;

type Toggle = MessageBody<typeof togglePipeTraces>;
const ALL = { enable: true, verbosity: 'all', appRegex: '.*', pipeRegex: '.*' } as const;

/** What a router answers to a toggle. */
type Reports = readonly [success: boolean, text: string] | 'nothing';

/** A router that reports so, and what it was told. */
const traced = async (at: RouterNetwork, name: string, reports: Reports = [true, '']) => {
  const edgeRouter = await at.network.edgeRouter(name);
  const toggles: Toggle[] = [];
  const told = { reports };
  const router = await edgeRouter.dial({
    port: at.port,
    script: {
      [toggleRouter.name]: (frame, to) => {
        toggles.push(togglePipeTraces.decode(frame.body));
        if (told.reports !== 'nothing') to.answer(frame, messages.channel.result, told.reports[1], [header.success.of(told.reports[0])]);
      },
    },
  });
  return Object.assign(told, { id: edgeRouter.id, router, toggles });
};

/** What the last frame says, if it is a result. */
const resultIn = ({ frames }: Awaited<ReturnType<typeof operator>>) => {
  const { type, headers, body } = frames.at(-1) ?? assert.fail('there is no frame');
  assert.equal(type, messages.channel.result.contentType);
  return [headers.get(header.success.key)?.[0], messages.channel.result.decode(body)];
};

const tracesIn = ({ frames }: Awaited<ReturnType<typeof operator>>) =>
  frames.filter(({ type }) => type === streamTracesEvent.contentType).map(({ body }) => streamTracesEvent.decode(body));

const toggled = async (channel: Awaited<ReturnType<typeof operator>>, change: Partial<Toggle> = {}) => {
  const before = channel.frames.length;
  channel.send(togglePipeTraces, { ...ALL, ...change } as typeof ALL); // no test has a number that is not known
  await until(() => channel.frames.length > before);
  return resultIn(channel);
};

/** Follows traces: there is no answer, so another request shows that the stream is open. */
const followed = async (channel: Awaited<ReturnType<typeof operator>>, request: Parameters<typeof streamTraces.encode>[0] = {}) => {
  const before = channel.frames.length;
  channel.send(streamTraces, request);
  channel.send(messages.channel.ping, undefined);
  await until(() => channel.frames.length > before);
  assert.deepEqual(resultIn(channel), [1, '']);
};

/** A message on the channel to the controller, as a router of 1.7.2 reports it. */
const traceOf = (identity: string, change: Partial<MessageBody<typeof traceEvent>> = {}) => ({
  timestamp: 1_795_897_628_699_800_843n,
  identity,
  channel: 'ctrl',
  isRx: true,
  contentType: 2,
  sequence: 216,
  replyFor: 498,
  length: 424,
  decode: '{"__decoder__":"channel","__message__":"Result","success":true}',
  ...change,
});

test('traces are turned on at the routers whose ids an expression finds, and the answer has the reports', async () => {
  await using at = await routerNetwork();
  const report = 'Link fra1.ctrl matched? true. Old trace state: false, New trace state: true\n';
  const [fra1, ams1] = [await traced(at, 'fra1', [true, report]), await traced(at, 'ams1')];
  await using channel = await operator(at);
  const { controllerId } = internalsOf(at.network.controller).core;
  assert.deepEqual(await toggled(channel, { appRegex: fra1.id, pipeRegex: 'ctrl' }), [
    1,
    `App ${controllerId} matched? false\nApp ${fra1.id} matched? true\nApp ${ams1.id} matched? false\n${report}`,
  ]);
  const [toggle] = fra1.toggles;
  assert.deepEqual(toggle, { ...ALL, appRegex: toggle?.appRegex, pipeRegex: 'ctrl' });
  assert.match(fra1.id, new RegExp(toggle?.appRegex ?? ''), 'a router that is asked for another one does not answer');
  assert.equal(ams1.toggles.length, 0);
  assert.deepEqual(await toggled(channel, { enable: false, verbosity: 'none' }), [1, report]);
  assert.equal(ams1.toggles[0]?.enable, false);
  assert.deepEqual(await toggled(channel, { verbosity: 'misses', appRegex: '^none$' }), [
    1,
    [controllerId, fra1.id, ams1.id].map((id) => `App ${id} matched? false\n`).join(''),
  ]);
});

test('an expression that is none is refused in the words of the reference, and a router that refuses is named', async () => {
  await using at = await routerNetwork();
  const { id, toggles } = await traced(at, 'fra1', [false, 'no']);
  await using channel = await operator(at);
  assert.deepEqual(await toggled(channel, { appRegex: '(' }), [
    0,
    "Failed to parse app id regex '(' with error: error parsing regexp: missing closing ): `(`\n",
  ]);
  assert.deepEqual(await toggled(channel, { pipeRegex: 'a{1,1000}' }), [
    0,
    "Failed to parse pipe id regex 'a{1,1000}' with error: a regular expression has at most 512 characters, and 200 repetitions in braces\n",
  ]);
  assert.deepEqual(toggles, []);
  assert.deepEqual(await toggled(channel, { verbosity: 'none' }), [0, `router ${id}: no\n`]);
});

test('routers that do not answer hold up no others, and the reports of many routers together are limited', async () => {
  await using at = await routerNetwork();
  const routers: Awaited<ReturnType<typeof traced>>[] = [];
  for (let i = 0; i < 17; i++) routers.push(await traced(at, `silent${i}`, 'nothing'));
  const last = await traced(at, 'last', [true, 'here\n']);
  await using channel = await operator(at);
  const answered = toggled(channel, { verbosity: 'none' });
  await until(() => last.toggles.length === 1 && routers.every(({ toggles }) => toggles.length === 1));
  await last.router.request(messages.channel.ping, undefined);
  at.network.clock.advance('4s');
  const [success, report] = await answered;
  assert.equal(success, 0);
  assert.match(String(report), /^here$/m);
  assert.equal(String(report).match(/there was no answer for 4 s/g)?.length, 17);

  const { traffic } = internalsOf(at.network.controller).core;
  for (const router of routers) router.reports = [true, 'x'.repeat(100_000)];
  const all = await traffic.toggleTraces({ enable: false, verbosity: 'all', pipeRegex: '' }, () => true);
  assert.deepEqual([all.length, all.reduce((sum, each) => sum + each.report.length, 0)], [18, 1_048_576]);
});

test('traces reach those who follow them as the router has reported them, and a router speaks for itself only', async () => {
  await using at = await routerNetwork();
  const { id, router } = await traced(at, 'fra1');
  await using channel = await operator(at);
  await followed(channel);
  const unknown = { contentType: 1008, replyFor: -1, isRx: false, decode: '' };
  for (const trace of [traceOf(id), traceOf(id, unknown), traceOf('ams1'), traceOf(id, { decode: '{' })]) router.send(traceEvent, trace);
  await until(() => tracesIn(channel).length === 4);
  assert.deepEqual(tracesIn(channel), [traceOf(id), traceOf(id, unknown), traceOf(id), traceOf(id, { decode: '' })]);
});

test('what a router reads in a message shows no token of a client, and only numbers that JSON has', async () => {
  await using at = await routerNetwork();
  const { id, router } = await traced(at, 'fra1');
  await using channel = await operator(at);
  await followed(channel);
  const described = (fields: string) => ({ decode: `{"__message__":"Create Circuit",${fields}}` });
  router.send(traceEvent, traceOf(id, described('"sessionToken":"5b5e","tokens":"5b5e,77f0","fingerprints":"f00d"')));
  router.send(traceEvent, traceOf(id, described('"count":1,"rate":1e999')));
  await until(() => tracesIn(channel).length === 2);
  assert.deepEqual(
    tracesIn(channel).map(({ decode }) => decode),
    [described('"sessionToken":"","tokens":"","fingerprints":"f00d"').decode, described('"count":1').decode],
  );
});

test('traces and reports have no control characters that a terminal obeys', async () => {
  await using at = await routerNetwork();
  const { id, router } = await traced(at, 'fra1', [true, 'matched\u001b[2J\n']);
  await using channel = await operator(at);
  assert.deepEqual(await toggled(channel, { verbosity: 'none' }), [1, 'matched\uFFFD[2J\n']);
  await followed(channel);
  router.send(traceEvent, traceOf(id, { channel: 'ctrl\u0007', decode: '{"a\\u001b":"\\u009b31m"}' }));
  await until(() => tracesIn(channel).length === 1);
  assert.partialDeepStrictEqual(tracesIn(channel), [{ channel: 'ctrl\uFFFD', decode: '{"a\uFFFD":"\uFFFD31m"}' }]);
});

test('a stream has the types of messages that it names, or all others', async () => {
  await using at = await routerNetwork();
  const { id, router } = await traced(at, 'fra1');
  await using including = await operator(at);
  await using excluding = await operator(at, (await (await at.network.administrator('second')).login()).token);
  await followed(including, { isFiltered: true, filterType: 'include', contentTypes: [1005, 1006] });
  await followed(excluding, { isFiltered: true, filterType: 'exclude', contentTypes: [1005, 1006] });
  for (const contentType of [2, 1005, 3, 1006]) router.send(traceEvent, traceOf(id, { contentType }));
  await until(() => tracesIn(including).length === 2 && tracesIn(excluding).length === 2);
  const typesIn = (channel: typeof including) => tracesIn(channel).map(({ contentType }) => contentType);
  assert.deepEqual(
    [typesIn(including), typesIn(excluding)],
    [
      [1005, 1006],
      [2, 3],
    ],
  );
});

test('who may only read operations neither toggles nor follows traces, and an administrator who becomes one of them is cut off', async () => {
  await using at = await routerNetwork();
  const { id, router, toggles } = await traced(at, 'fra1');
  const reader = await at.network.identity('reader');
  await at.network.controller.api.identities.patch({ id: reader.id, body: { permissions: ['ops.read'] } });
  await using channel = await operator(at, (await reader.login()).token);
  assert.deepEqual(await toggled(channel), [0, 'traces are turned on and off by administrators\n']);
  channel.send(streamTraces, {});
  await until(() => channel.frames.length === 2);
  assert.deepEqual(resultIn(channel), [0, 'this caller may not follow events of the kind trace']);
  assert.deepEqual(toggles, []);

  const admin = await at.network.administrator('former');
  await using following = await operator(at, (await admin.login()).token);
  await followed(following);
  await at.network.controller.api.identities.patch({ id: admin.id, body: { isAdmin: false, permissions: ['ops.read'] } });
  await until(() => {
    at.network.clock.advance('5s');
    return !following.isOpen();
  });
  router.send(traceEvent, traceOf(id));
  await router.request(messages.channel.ping, undefined);
  assert.deepEqual(tracesIn(following), []);
});

test('an administrator whom the rule of the host denies all writes toggles no traces, on the channel or by the operation', async () => {
  await using at = await routerNetwork({ authorize: readOnly });
  const { toggles } = await traced(at, 'fra1');
  await using channel = await operator(at);
  assert.deepEqual(await toggled(channel), [0, 'traces are turned on and off by administrators\n']);
  const { networkEvents } = at.network.controller.api;
  await assert.rejects(networkEvents.toggleTraces({ body: ALL }, { actor: 'desk:1' }), { code: 'UNAUTHORIZED' });
  assert.deepEqual(toggles, []);
  const [toggledRouter] = await networkEvents.toggleTraces({ body: ALL });
  assert.partialDeepStrictEqual(toggledRouter, { isSelected: true, success: true, report: '' });
});

test('routers are asked to stop once nobody has followed the traces for five minutes', async () => {
  await using at = await routerNetwork();
  const { router, toggles } = await traced(at, 'fra1');
  await using channel = await operator(at);
  await toggled(channel);
  await followed(channel);
  await letPass(at, router, 6);
  assert.deepEqual(
    toggles.map(({ enable }) => enable),
    [true],
  );
  await channel.close();
  await at.network.settled();
  await letPass(at, router, 6);
  await until(() => toggles.length === 2);
  assert.partialDeepStrictEqual(toggles[1], { enable: false, verbosity: 'none', pipeRegex: '.*' });
});

test('a router that traces unasked, or too much, is asked to stop, and stays connected; followers learn it', async () => {
  await using at = await routerNetwork();
  const { id, router, toggles } = await traced(at, 'fra1');
  router.send(traceEvent, traceOf(id));
  await until(() => toggles.length === 1);
  assert.equal(toggles[0]?.enable, false);
  await using channel = await operator(at);
  await toggled(channel);
  await followed(channel, { isFiltered: true, filterType: 'include', contentTypes: [7] });
  at.network.clock.advance('1m');
  for (let i = 0; i < 5100; i++) router.send(traceEvent, traceOf(id));
  await until(() => toggles.length === 3);
  assert.equal(toggles[2]?.enable, false);
  await until(() => tracesIn(channel).length === 1);
  const [stopped] = tracesIn(channel);
  assert.deepEqual([stopped?.identity, stopped?.channel], [internalsOf(at.network.controller).core.controllerId, id]);
  assert.match(stopped?.decode ?? '', /"it sends more than 500 traces a second"/);
  await router.request(messages.channel.ping, undefined);
  assert.equal(router.signal?.aborted ?? false, false);
});
