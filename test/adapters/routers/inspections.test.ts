/** Inspections over the fabric API, as `ziti fabric inspect` asks for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectRouters } from '../../../adapters/routers/node.ts';
import { createClient } from '../../../client/index.ts';
import { internalsOf } from '../../../src/controller/controller-inside.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { shownJson, shownTexts } from '../../../src/fabric/view/shown-to-operators.ts';
import { until } from '../../support/until.ts';
import { fabricApi } from './fabric-api.ts';
import { type RouterNetwork, routerNetwork } from './support.ts';
import { bindBy, dialBy, traffic } from './traffic.ts';

const { inspectRequest, inspectResponse, connectEvents } = messages.routers;
const { subscribeToDataModel, dataState } = messages.dataModel;
const { createTunnelTerminator } = messages.terminators;

/** A router that answers each inspection so. */
const answering = async (at: RouterNetwork, name: string, answer: Parameters<typeof inspectResponse.encode>[0]) => {
  const router = await at.network.edgeRouter(name);
  let asked = 0;
  await router.dial({
    port: at.port,
    script: {
      [inspectRequest.name]: (frame, to) => {
        asked++;
        to.answer(frame, inspectResponse, answer);
      },
    },
  });
  return { id: router.id, asked: () => asked };
};

/** Counts turns of the event loop until it is stopped. */
const countTurns = () => {
  let [count, isOver] = [0, false];
  const countTurn = (): void => {
    count++;
    if (!isOver) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  return {
    stop: (): number => {
      isOver = true;
      return count;
    },
  };
};

test('an administrator asks the routers whose ids an expression finds; what is JSON comes as JSON, without an envelope', async () => {
  await using at = await routerNetwork();
  await using api = await fabricApi(at.network);
  const said = ['{"links":[1]}', '[]', '7', 'goroutine 1 [running]', 'null', '', `${'['.repeat(101)}${']'.repeat(101)}`];
  const values = said.map((value, i) => ({ name: `v${i}`, value }));
  const one = await answering(at, 'one', { success: true, values });
  const two = await answering(at, 'two', { success: false, errors: ['no such value'] });
  const inspect = (appRegex: string) => api.call('POST', '/inspections', { body: { appRegex, requestedValues: ['links'] } });
  assert.deepEqual(await inspect(`^${one.id}$`), {
    status: 200,
    body: {
      success: true,
      errors: [],
      values: [{ links: [1] }, [], 7, ...said.slice(3)].map((value, i) => ({ appId: one.id, name: `v${i}`, value })),
    },
  });
  assert.equal(two.asked(), 0);
  assert.deepEqual(await inspect('^on.$'), await inspect(one.id), 'names are searched, too');
  assert.equal(two.asked(), 0);
  const { body } = await inspect('.*');
  assert.deepEqual([body.success, body.errors, body.values.length], [false, [`${two.id}: no such value`], said.length]);
  assert.deepEqual((await inspect('none')).body, { success: true, errors: [], values: [] });

  const own = await api.call('POST', '/inspections', { body: { appRegex: '.*', requestedValues: ['connected-routers'] } });
  const [{ value: routers }] = own.body.values.filter(({ name }: { readonly name: string }) => name === 'connected-routers');
  assert.deepEqual(routers.map(({ Id, Name }: { readonly Id: string; readonly Name: string }) => [Id, Name]).toSorted(), [
    ...[one, two].map(({ id }, i) => [id, ['one', 'two'][i]]).toSorted(),
  ]);
  assert.deepEqual(Object.keys(routers[0]), ['Id', 'Name', 'Version', 'ConnectTime']);
  assert.match(routers[0].ConnectTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

  const expected = { success: false, errors: [`${two.id}: no such value`], values: [] };
  const input = { body: { appRegex: two.id, requestedValues: ['links'] } };
  assert.deepEqual(await at.network.controller.api.inspections.run(input), expected);
  const credentials = { session: (await (await at.network.administrator('remote')).login()).token };
  const client = createClient({ baseUrl: at.network.controller.settings.address, credentials, fetch: at.network.fetch });
  assert.deepEqual(await client.inspections.run(input), expected);
});

test('what routers answer shows no token of a session', async () => {
  await using at = await routerNetwork();
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ3ZWIifQ.c2lnbmF0dXJl';
  const entry = { id: 't1', token: '5b5e6f', sessionToken: jwt, state: 'established' };
  const router = await answering(at, 'one', {
    success: true,
    values: [
      { name: 'sdk-terminators', value: JSON.stringify({ entries: [entry], other: { [jwt]: 1 } }) },
      { name: 'text', value: `bearer ${jwt}` },
      { name: 'log', value: JSON.stringify(`of ann:\n${jwt}`) },
    ],
  });
  const [answer] = await inspectRouters(at.network.controller, { values: ['sdk-terminators', 'text'], routerIds: [router.id] });
  assert.deepEqual(answer?.values, [
    { name: 'sdk-terminators', value: '{"entries":[{"id":"t1","token":"","sessionToken":"","state":"established"}],"other":{"":1}}' },
    { name: 'text', value: 'bearer ' },
    { name: 'log', value: '"of ann:\\n"' },
  ]);
});

test('what routers answer has no control characters that a terminal obeys', async () => {
  await using at = await routerNetwork();
  const router = await answering(at, 'one', {
    success: false,
    errors: ['\u001b[2Jall is well'],
    values: [{ name: 'stack\u0007dump', value: 'goroutine 1:\n\tmain\r\u009b31m' }],
  });
  const [answer] = await inspectRouters(at.network.controller, { values: ['stackdump'], routerIds: [router.id] });
  assert.deepEqual(answer, {
    routerId: router.id,
    errors: ['\uFFFD[2Jall is well'],
    values: [{ name: 'stack\uFFFDdump', value: 'goroutine 1:\n\tmain\uFFFD\uFFFD31m' }],
  });
});

test('what routers write as escapes of JSON, in values and names, is neither a control character nor a token in the answer', async () => {
  await using at = await routerNetwork();
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ3ZWIifQ.c2lnbmF0dXJl';
  const escaped = `\\u0065yJ${jwt.slice(3)}`;
  const inner = JSON.stringify({ token: '5b5e6f', state: 'established' });
  const values = [
    '"\\u001b[2Jgone"',
    '{"\\u001b[2J":["\\u009b31m\\n"],"__proto__":"\\u0007"}',
    `{"t":"${escaped}","${escaped}":1,"sess\\u0069onToken":"5b5e6f"}`,
    `{"text":"of ann:\\n${jwt}\\n"}`,
    JSON.stringify({ nested: inner }),
    `"${'\\u001b'.repeat(100_000)}"`,
    `${'x'.repeat(70_000)}${'\u001b'.repeat(70_000)}\n${jwt}`,
  ];
  const router = await answering(at, 'one', { success: true, values: values.map((value, i) => ({ name: `v${i}`, value })) });
  const answer = await at.network.controller.api.inspections.run({ body: { appRegex: router.id, requestedValues: ['a'] } });
  assert.deepEqual(
    answer.values.map(({ value }) => value),
    [
      '\uFFFD[2Jgone',
      JSON.parse('{"\uFFFD[2J":["\uFFFD31m\\n"],"__proto__":"\uFFFD"}'),
      { t: '', '': 1, sessionToken: '' },
      { text: 'of ann:\n\n' },
      { nested: '{"token":"","state":"established"}' },
      '\uFFFD'.repeat(100_000),
      `${'x'.repeat(70_000)}${'\uFFFD'.repeat(70_000)}\n`,
    ],
  );
});

test('a caller with a scope gets no value that names entities beyond it, whatever its scope is on', async () => {
  await using at = await routerNetwork();
  const values = ['router-circuits', 'links', 'stackdump'].map((name) => ({ name, value: '{"of":"others"}' }));
  const router = await answering(at, 'one', { success: true, values });
  const { controller } = at.network;
  for (const kind of ['identity', 'service', 'router']) {
    const { id } = await controller.api.identities.create({
      body: {
        name: `of ${kind}`,
        type: 'User',
        isAdmin: false,
        permissions: ['ops.read'],
        scopedPermissions: { [kind]: { roleAttributes: ['mine'] } },
      },
    });
    const body = { appRegex: router.id, requestedValues: ['router-circuits', 'links'] };
    const answer = await controller.asIdentity(id).inspections.run({ body });
    assert.deepEqual([answer.errors.length, router.asked()], [2, 0], kind);
  }
});

test('a token is not shown, wherever a long text is read in parts; nor is an entry read once more for each level', async () => {
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ3ZWIifQ.c2lnbmF0dXJl';
  for (let shift = 0; shift < jwt.length; shift++) {
    const before = `${'x'.repeat(65_536 - shift - 1)} `;
    assert.deepEqual(await shownTexts([`${before}${jwt} end`]), [`${before} end`]);
    assert.deepEqual(await shownJson(JSON.stringify([`${before}${jwt} end`])), [`${before} end`]);
  }
  // Each level has a name that is shown as another one of the same map.
  let nested = JSON.stringify(Array.from({ length: 20_000 }, () => 0));
  for (let depth = 0; depth < 90; depth++) nested = `{"\\u0001":${nested},"�":0}`;
  const turns = countTurns();
  await shownJson(nested);
  assert.ok(turns.stop() < 100);
});

test('an answer of megabytes of control characters takes many turns of the event loop', async () => {
  const turns = countTurns();
  const texts = ['\u001b'.repeat(4_000_000), 'a\u009b'.repeat(2_000_000)];
  const shown = await shownTexts(texts);
  const count = turns.stop();
  assert.ok(shown[0] === '\uFFFD'.repeat(4_000_000) && shown[1] === 'a\uFFFD'.repeat(2_000_000));
  assert.ok(count > 20, `${count} turns`);
});

test('a caller who is not an administrator, or asks for what there is not, is refused, and no router is asked', async () => {
  await using at = await routerNetwork();
  await using api = await fabricApi(at.network);
  const one = await answering(at, 'one', { success: true });
  const { token } = await (await at.network.identity('ann')).login();
  const body = { appRegex: '.*', requestedValues: ['links'] };
  for (const as of [null, token]) assert.equal((await api.call('POST', '/inspections', { body, as })).status, 401);
  const wrong = await api.call('POST', '/inspections', { body: { ...body, appRegex: '(a+)+$' } });
  assert.deepEqual([wrong.status, wrong.body.success, wrong.body.values], [200, false, []]);
  assert.match(wrong.body.errors[0], /: error parsing regexp: a pattern may contain .* invalid at character 1$/);
  for (const change of [
    { appRegex: 'a'.repeat(257) },
    { appRegex: undefined },
    { requestedValues: undefined },
    { requestedValues: Array(33).fill('links') },
    { requestedValues: ['x'.repeat(257)] },
    { requestedValues: 'links' },
  ])
    assert.equal((await api.call('POST', '/inspections', { body: { ...body, ...change } })).status, 400, JSON.stringify(change));
  assert.equal(one.asked(), 0);
});

test('answers that are too large together are left out, and each router that is missing is named', async () => {
  await using at = await routerNetwork();
  const large = { success: true, values: [{ name: 'stackdump', value: 'x'.repeat(5_000_000) }] };
  const routers = [await answering(at, 'one', large), await answering(at, 'two', large)];
  const answers = await inspectRouters(at.network.controller, { values: ['stackdump'] });
  assert.deepEqual(answers.map(({ values }) => values.length).toSorted(), [0, 1]);
  assert.deepEqual(
    answers.flatMap(({ errors }) => errors),
    ['the answers of all routers have more than 8388608 bytes'],
  );
  assert.deepEqual(new Set(answers.map(({ routerId }) => routerId)), new Set(routers.map(({ id }) => id)));
  assert.equal(
    (await inspectRouters(at.network.controller, { values: ['stackdump'], routerIds: [routers[0]?.id ?? ''] }))[0]?.values.length,
    1,
  );
});

test('ten seconds are for all routers: those whose turn does not come are named', async () => {
  await using at = await routerNetwork();
  const waiting: Promise<unknown>[] = [];
  for (let i = 0; i < 17; i++) {
    const router = await (await at.network.edgeRouter(`silent${i}`)).dial({ port: at.port });
    waiting.push(router.next(inspectRequest));
  }
  let asked = 0;
  for (const each of waiting)
    each.then(
      () => asked++,
      () => undefined,
    );
  const asking = at.network.controller.api.inspections.run({ body: { appRegex: '.*', requestedValues: ['links'] } });
  await until(() => asked === 16);
  at.network.clock.advance('10s');
  const { success, errors } = await asking;
  assert.equal(success, false);
  const reasons = errors.map((error) => error.slice(error.indexOf(': ') + 2));
  assert.deepEqual(
    [...new Set(reasons)].map((reason) => [reason, reasons.filter((other) => other === reason).length]),
    [
      ['there was no answer for 10 s', 16],
      ['the answers of other routers have used up the time or the size limit', 1],
    ],
  );
});

test('a controller shows how many circuits use a terminator, who is connected where, and the state of the data model', async () => {
  await using at = await traffic();
  const { network, fra1, router, client } = at;
  const values = async () => {
    const requestedValues = ['terminator-costs', 'identity-connection-statuses', 'data-model-index', 'router-data-model-index'];
    const { controllerId } = internalsOf(network.controller).core;
    const answer = await network.controller.api.inspections.run({ body: { appRegex: `^${controllerId}$`, requestedValues } });
    return Object.fromEntries(answer.values.map(({ name, value }) => [name, value]));
  };
  assert.deepEqual(await values(), { 'terminator-costs': { terminators: [] }, 'identity-connection-statuses': { connections: {} } });
  const { terminatorId } = await bindBy(at, 'of-a-client');
  await dialBy(at);
  router.send(connectEvents, { events: [{ identityId: client.id, isConnected: true }] });
  router.send(subscribeToDataModel, { subscriptionDurationSeconds: 3600 });
  const { timelineId, endIndex } = dataState.decode((await router.next(dataState)).body);
  await until(async () => Object.keys(Object((await values())['identity-connection-statuses']).connections).length === 1);
  const position = { timeline: timelineId, index: Number(endIndex) };
  assert.deepEqual(await values(), {
    'terminator-costs': { terminators: [{ terminatorId, circuitCount: 1, failureCost: 0, currentCost: 0 }] },
    'identity-connection-statuses': {
      connections: {
        [client.id]: { connected_routers: { [fra1.id]: { router_id: fra1.id, closed: false } }, last_reported_state: 'online' },
      },
    },
    'data-model-index': position,
    'router-data-model-index': position,
  });
});

test('for the terminators of tunnelers, only routers that have some are asked, however the value is spelled: others could end', async () => {
  await using at = await traffic({
    [inspectRequest.name]: (frame, to) => {
      const values = inspectRequest.decode(frame.body).requestedValues.map((name) => ({ name, value: '{}' }));
      to.answer(frame, inspectResponse, { success: true, values });
    },
  });
  const { network, fra1 } = at;
  const inspect = (...requestedValues: readonly string[]) =>
    network.controller.api.inspections.run({ body: { appRegex: fra1.id, requestedValues } });
  const reason = `${fra1.id}: ert-terminators: the controller knows no terminators of a tunneler of the router, and does not ask for them`;
  await bindBy(at, 'of-a-client');
  for (const name of ['ert-terminators', 'ERT-Terminators', 'ert-term\u0130nators']) {
    const { errors, values } = await inspect(name, 'links');
    assert.deepEqual([errors, values.map((value) => value.name)], [[reason], ['links']], name);
    assert.deepEqual(await inspect(name), { success: false, errors: [reason], values: [] });
  }
  await network.controller.api.edgeRouters.patch({ id: fra1.id, body: { isTunnelerEnabled: true } });
  assert.deepEqual((await inspect('ert-terminators')).errors, [reason]);
  await network.bind([fra1], [{ id: at.serviceId, name: 'web' }]);
  await at.router.request(createTunnelTerminator, { serviceId: at.serviceId, address: 'of-its-tunneler' });
  assert.deepEqual(await inspect('ert-terminators'), {
    ...{ success: true, errors: [] },
    values: [{ appId: fra1.id, name: 'ert-terminators', value: {} }],
  });
});
