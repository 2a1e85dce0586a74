/** Validations over the management channel, as the command line of the reference requests them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalsOf } from '../../../src/controller/controller-inside.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { Api } from '../../../src/index.ts';
import { comparedCircuits } from '../../../src/operations/management-channel/router-validations.ts';
import { until } from '../../support/until.ts';
import { bindBy, dialBy, routed, settled, traffic, withSecond } from './traffic.ts';
import { answering, validator } from './validator.ts';

const { validateTerminators, validateTerminatorsResponse } = messages.terminators;
const { inspectRequest, inspectResponse } = messages.routers;
const { validateModel } = messages.dataModel;
const { routerLinks } = messages.links;

test('links are compared with those that the router has', async () => {
  const links = (dest: string) => [
    { id: 'both', dest, dialed: true, connections: [{ Type: 'link.default', Source: 'a', Dest: 'b' }] },
    { id: 'moved', dest, dialed: true, connections: [] },
    { id: 'unknown', dest, dialed: true },
  ];
  const values: Record<string, unknown> = {};
  await using at = await traffic(answering(values));
  const { ams1 } = await withSecond(at);
  values['links'] = { links: links(ams1.id) };
  const conns = [{ type: 'link.default', localAddr: 'a', remoteAddr: 'b' }];
  at.router.send(routerLinks, {
    links: ['both', 'moved', 'gone'].map((id) => ({ id, destRouterId: ams1.id, iteration: 1, connState: { conns } })),
  });
  await settled(at.router);
  const channel = await validator(at);
  const { success, results } = await channel.validate('links', { filter: `id = "${at.fra1.id}"` });
  assert.deepEqual([success, results.length], [true, 1]);
  assert.partialDeepStrictEqual(results[0], { routerId: at.fra1.id, routerName: 'fra1', validateSuccess: true, message: '' });
  assert.deepEqual(
    results[0]?.details.map(({ linkId, ctrlState, routerState, isValid, messages }) => [
      linkId,
      ctrlState,
      routerState,
      isValid,
      messages.length,
    ]),
    [
      ['both', 'established', 'established', true, 0],
      ['moved', 'established', 'established', false, 1],
      ['unknown', 'unknown', 'established', false, 0],
      ['gone', 'established', 'unknown', false, 0],
    ],
  );
  await channel.close();
});

test('terminators are validated by their routers, and invalid ones deleted if that is asked for', async () => {
  const states = new Map([
    ['good', { valid: true }],
    ['bad', { valid: false, reason: 'unknownTerminator' as const, detail: 'gone' }],
    ['other', { valid: false, reason: 'unknownTerminator' as const }],
  ]);
  await using at = await traffic(answering({}, states));
  const { second, hosting } = await withSecond(at);
  for (const id of ['good', 'bad', 'silent']) await bindBy(at, id);
  await bindBy(hosting, 'other');
  second.close();
  const channel = await validator(at);
  const told = async (fix: boolean) => {
    const { results } = await channel.validate('terminators', { fix });
    return Object.fromEntries(results.map(({ terminatorId, state, fixed, detail }) => [terminatorId, [state, fixed, detail]]));
  };
  const before = {
    good: ['valid', false, ''],
    silent: ['unknown', false, 'the router did not answer for it'],
    other: ['unknown', false, 'router off-line'],
  };
  assert.deepEqual(await told(false), { ...before, bad: ['unknownTerminator', false, 'gone'] });
  assert.deepEqual(await told(true), { ...before, bad: ['unknownTerminator', true, 'gone'] });
  assert.deepEqual(await told(true), before);
  await channel.close();
});

test('terminators of clients, circuits and identities are compared with those that the router has', async () => {
  const values: Record<string, unknown> = {
    'sdk-terminators': {
      entries: [
        { id: 'one', state: 'established' },
        { id: 'two', state: 'pending' },
        { id: 'none', state: 'established' },
      ],
    },
    'router-circuits': { circuits: { strange: { ctrlId: 'somebody', destinations: {} } } },
    'identity-connection-statuses': { identity_connections: { nobody: { connections: [{ closed: false }], unreported_count: 1 } } },
  };
  await using at = await traffic(answering(values));
  for (const id of ['one', 'two', 'three']) await bindBy(at, id);
  const channel = await validator(at);
  const [terminators] = (await channel.validate('sdkTerminators')).results;
  assert.deepEqual(
    terminators?.details.map(({ terminatorId, ctrlState, routerState, isValid }) => [terminatorId, ctrlState, routerState, isValid]),
    [
      ['one', 'valid', 'established', true],
      ['two', 'valid', 'pending', false],
      ['none', 'unknown', 'established', false],
      ['three', 'valid', 'unknown', false],
    ],
  );
  const made = await dialBy(at);
  assert.ok(made.isMade);
  const [circuits] = (await channel.validate('circuits')).results;
  assert.deepEqual(
    [...(circuits?.details ?? [])].map(([id, { missingInForwarder, missingInCtrl }]) => [id, missingInForwarder, missingInCtrl]),
    [[made.id, true, false]],
  );
  const [identities] = (await channel.validate('identityConnections')).results;
  assert.deepEqual(identities?.errors, [
    'router reports identity nobody connected, but controller disagrees',
    'identity nobody has unreported events',
  ]);
  // It has no terminator of its tunneler, and is not asked: routers without a tunneler would end.
  assert.deepEqual((await channel.validate('tunnelTerminators')).results[0]?.details, []);
  await channel.close();
});

test('the data model is compared by the router', async () => {
  const diffs = [{ entityType: 'service', entityId: 'web', diffType: 'missing', detail: '' }];
  await using at = await traffic(answering({}, new Map(), diffs));
  const channel = await validator(at);
  const { results } = await channel.validate('dataModel', { fix: true });
  assert.deepEqual(results, [
    { componentType: 'router', componentId: at.fra1.id, componentName: 'fra1', validateSuccess: false, errors: ['missing service web'] },
  ]);
  const sent = validateModel.decode((await at.router.next(validateModel)).body);
  assert.deepEqual([sent.fix, sent.state.length > 0], [true, true]);
  await channel.close();
});

test('a router that is not connected, an unknown filter and nonsense are answered with a reason', async () => {
  await using at = await traffic(answering({ links: 'nonsense', 'sdk-terminators': { entries: [1, null, { id: 7 }] } }));
  await at.network.edgeRouter('idle');
  const channel = await validator(at);
  const refused = await channel.validate('links', { filter: 'nothing = ' });
  assert.deepEqual([refused.success, refused.results], [false, []]);
  assert.match(refused.message, /failed to unmarshall request: /);
  const { results } = await channel.validate('links', { filter: 'true sort by name' });
  assert.deepEqual(
    results.map(({ routerName, validateSuccess, message, details }) => [routerName, validateSuccess, message, details]),
    [
      ['fra1', true, '', []],
      ['idle', false, 'router not connected', []],
    ],
  );
  assert.equal((await channel.validate('sdkTerminators', { filter: 'name = "fra1"' })).results[0]?.details.length, 3);
  await channel.close();
});

test('what a router says of a terminator, or why it answers nothing, is short and has no control characters', async () => {
  const states = new Map([
    ['escape', { valid: false, reason: 'badState' as const, detail: '\u001b[2Jgone' }],
    ['json', { valid: false, reason: 'badState' as const, detail: '{"\\u001b":"\\u0065yJh.e.s","hosting":{"5b5e6f":{"state":"x"}}}' }],
    ['long', { valid: false, reason: 'badState' as const, detail: 'x'.repeat(90_000) }],
  ]);
  await using at = await traffic({
    ...answering({}, states),
    [inspectRequest.name]: (frame, router) =>
      router.answer(frame, inspectResponse, { success: false, errors: [`\u001b[2J${'x'.repeat(10_000)}`] }),
  });
  for (const id of states.keys()) await bindBy(at, id);
  await using channel = await validator(at);
  const { results } = await channel.validate('terminators');
  assert.deepEqual(Object.fromEntries(results.map(({ terminatorId, detail }) => [terminatorId, detail])), {
    escape: '\uFFFD[2Jgone',
    json: '{"hosting":[{"state":"x"}],"\uFFFD":""}',
    long: 'x'.repeat(1000),
  });
  const [links] = (await channel.validate('links')).results;
  assert.equal(links?.message, `${at.fra1.id}: \uFFFD[2J${'x'.repeat(10_000)}`.slice(0, 255));
});

test('the destinations of a circuit that a router reports are bounded, and have no control characters', async () => {
  const destinations = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`\u001b[2J${i}${'x'.repeat(300)}`, 'xg-fwd']));
  const value = { circuits: { c: { ctrlId: 'ctrl', destinations } } };
  const api = {
    circuits: { list: async () => ({ data: [] }) },
    inspections: { run: async () => ({ success: true, errors: [], values: [{ appId: 'r', name: 'router-circuits', value }] }) },
  };
  const details = await comparedCircuits(api as object as Api, 'r', 'ctrl'); // it calls nothing else
  const found = [...(details.get('c')?.destinations ?? [])];
  assert.equal(found.length, 10_000);
  assert.deepEqual(found[0], [`\uFFFD[2J0${'x'.repeat(300)}`.slice(0, 255), 'xg-fwd']);
});

test('a router that answers late has no terminator deleted that another router has by then', async () => {
  let asked = 0;
  let answerNow = (): void => undefined;
  const states = new Map([['moved', { valid: false, reason: 'unknownTerminator' as const }]]);
  await using at = await traffic({
    ...routed,
    [validateTerminators.name]: (frame, router) => {
      answerNow = () => router.answer(frame, validateTerminatorsResponse, { states });
      asked++;
    },
  });
  const { hosting, ams1 } = await withSecond(at);
  await bindBy(at, 'moved');
  const channel = await validator(at);
  const before = asked;
  const validated = channel.validate('terminators', { fix: true });
  await until(() => asked > before);
  const { terminators } = at.network.controller.api;
  await terminators.delete({ id: 'moved' });
  await bindBy(hosting, 'moved');
  answerNow();
  const { results } = await validated;
  assert.deepEqual(
    results.map(({ terminatorId, fixed }) => [terminatorId, fixed]),
    [['moved', false]],
  );
  assert.equal((await terminators.get({ id: 'moved' })).routerId, ams1.id);
  await channel.close();
});

test('a router has four questions about terminators to answer at a time; sixteen wait, and others are refused', async () => {
  const waiting: (() => void)[] = [];
  let answersAtOnce = false;
  await using at = await traffic({
    ...routed,
    [validateTerminators.name]: (frame, router) => {
      const answer = () => router.answer(frame, validateTerminatorsResponse, { states: new Map([['web', { valid: true }]]) });
      if (answersAtOnce) answer();
      else waiting.push(answer);
    },
  });
  await bindBy(at, 'web');
  for (const answer of waiting.splice(0)) answer();
  const { validations } = at.network.controller.api;
  const asked = Array.from({ length: 21 }, () => validations.terminators({ id: at.fra1.id, body: { terminators: ['web'] } }));
  const open: number[] = [];
  for (let answered = 0; answered < 16; answered++) {
    await until(() => waiting.length >= 4);
    open.push(waiting.length);
    waiting.shift()?.();
  }
  answersAtOnce = true;
  for (const answer of waiting) answer();
  const refused = (await Promise.all(asked)).flatMap(({ reason, terminators }) => (terminators[0]?.state === 'valid' ? [] : [reason]));
  assert.deepEqual(refused, ['the router has too many other validations to answer']);
  assert.equal(Math.max(...open), 4);
});

test('dials to routers are not validated, because this controller makes none', async () => {
  await using at = await traffic(answering({}));
  const { controllerId } = internalsOf(at.network.controller).core;
  const refusal = { success: false, results: [] };
  await using channel = await validator(at);
  assert.deepEqual(await channel.validate('controllerDialers'), {
    ...refusal,
    message: `${controllerId}: controller dialer is not enabled`,
  });
  const reader = await at.network.identity('reader');
  await at.network.controller.api.identities.patch({ id: reader.id, body: { permissions: ['ops.read'] } });
  await using reading = await validator(at, (await reader.login()).token);
  assert.deepEqual(await reading.validate('controllerDialers'), {
    ...refusal,
    message: `${controllerId}: validations are for administrators`,
  });
});
