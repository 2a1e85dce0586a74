/**
 * Validations and inspections show what routers know, and routers know everything: callers who may see only some entities saw terminators
 * of other services, and the data of configs. One request was answered with as many copies of the data model as a name has spellings, and
 * requests to read sent a router the whole model each, until it was disconnected for reading too slowly.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalsOf } from '../../src/controller/controller-inside.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import type { HostRule } from '../../src/index.ts';
import { bindBy, type routed, traffic } from '../adapters/routers/traffic.ts';
import { answering } from '../adapters/routers/validator.ts';
import { until } from '../support/until.ts';

const { subscribeToDataModel, dataState, validateModel, modelDifferences } = messages.dataModel;
const { validateTerminators } = messages.terminators;

const delegateOf = async ({ network: { controller } }: Awaited<ReturnType<typeof traffic>>) => {
  const { id } = await controller.api.identities.create({ body: { name: 'delegate', type: 'User', isAdmin: false } });
  return controller.asIdentity(id);
};

const diffs = [{ entityType: 'config', entityId: 'vpn', diffType: 'changed', detail: 'data: {"password":"1234"}' }];
const states = new Map([['other', { valid: false, reason: 'unknownTerminator' as const, detail: 'gone' }]]);

test('a router is not asked about terminators of services that the caller may not see, let alone told to close them', async () => {
  const asked: string[] = [];
  const script: typeof routed = {
    ...answering({}, states),
    [validateTerminators.name]: () => void asked.push('terminators'),
  };
  const authorize: HostRule = ({ right }) => {
    if (right?.startsWith('service.')) return { where: 'name = "mine"' };
    return right?.startsWith('terminator.') || right === 'router.read' ? true : undefined;
  };
  await using at = await traffic(script, undefined, { authorize });
  await bindBy(at, 'other');
  const { validations } = await delegateOf(at);
  asked.length = 0;
  const input = { id: at.fra1.id, body: { terminators: ['other'] } };
  assert.deepEqual(await validations.terminators(input), { reason: null, terminators: [] });
  assert.deepEqual(await validations.repairTerminators(input), { reason: null, terminators: [] });
  assert.deepEqual(asked, []);
});

test('differences of data models quote nothing to a caller who may not see all entities', async () => {
  await using at = await traffic(answering({}, undefined, diffs), undefined, {
    authorize: ({ right, actor }) => (actor.kind === 'identity' ? right?.startsWith('router.') : undefined),
  });
  const { validations } = await delegateOf(at);
  const unseen = { reason: null, differences: ['differences in entities that this caller may not see: 1'] };
  assert.deepEqual(await validations.dataModel({ id: at.fra1.id }), unseen);
  assert.deepEqual(await validations.repairDataModel({ id: at.fra1.id }), unseen);
  const { differences } = await at.network.controller.api.validations.dataModel({ id: at.fra1.id });
  assert.deepEqual(differences, ['changed config vpn: data: {"password":"1234"}']);
});

test('a router is not asked for its data model by a caller who may not see all entities', async () => {
  const model = { configs: { vpn: { dataJson: '{"password":"1234"}' } } };
  await using at = await traffic(answering({ 'router-data-model': model, links: {} }));
  const { controller } = at.network;
  const body = { appRegex: `^${at.fra1.id}$`, requestedValues: ['Router-Data-Model', 'router-data-model', 'links'] };
  const { id } = await controller.api.identities.create({
    body: { name: 'operator', type: 'User', isAdmin: false, permissions: ['ops.read'] },
  });
  const seen = await controller.asIdentity(id).inspections.run({ body });
  assert.deepEqual(
    seen.values.map(({ name }) => name),
    ['links'],
  );
  assert.match(seen.errors.join(), /it shows entities of all kinds, which this caller may not see/);
  const { values } = await controller.api.inspections.run({ body });
  assert.deepEqual(values.find(({ name }) => name === 'router-data-model')?.value, model);
});

test('a value of the controller is in an answer once, however its name is spelled', async () => {
  await using at = await traffic();
  at.router.send(subscribeToDataModel, { subscriptionDurationSeconds: 3600 });
  await at.router.next(dataState);
  const { controllerId } = internalsOf(at.network.controller).core;
  const requestedValues = ['router-data-model', 'ROUTER-data-model', 'Router-Data-Model', 'metrics', 'Metrics', 'metrics.links'];
  const { values } = await at.network.controller.api.inspections.run({ body: { appRegex: `^${controllerId}$`, requestedValues } });
  assert.deepEqual(
    values.map(({ name }) => name),
    ['router-data-model', 'metrics'],
  );
});

test('a router is sent the data model for one comparison at a time', async () => {
  let asked = 0;
  let answer = (): void => undefined;
  await using at = await traffic({
    ...answering({}),
    [validateModel.name]: (frame, router) => {
      asked++;
      answer = () => router.answer(frame, modelDifferences, { diffs: [] });
    },
  });
  const { validations } = at.network.controller.api;
  const all = Promise.all(Array.from({ length: 20 }, () => validations.dataModel({ id: at.fra1.id })));
  await until(() => asked > 0);
  answer();
  const reasons = (await all).map(({ reason }) => reason);
  assert.deepEqual([asked, reasons.filter((reason) => reason === null).length], [1, 1]);
  assert.deepEqual(new Set(reasons), new Set([null, 'the router is comparing its data model already']));
  const again = validations.dataModel({ id: at.fra1.id });
  await until(() => asked === 2);
  answer();
  assert.equal((await again).reason, null);
});
