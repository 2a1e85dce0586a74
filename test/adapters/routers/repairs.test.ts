/** Repairs of routers, which operations declare: what may not write changes nothing, neither here nor at a router. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { HostRule } from '../../../src/index.ts';
import { readOnly } from '../../../src/index.ts';
import { bindBy, type routed, traffic } from './traffic.ts';
import { answering, validator } from './validator.ts';

const { validateTerminators, validateTerminatorsResponse } = messages.terminators;
const { validateModel, modelDifferences } = messages.dataModel;

/** A router that finds its terminator `bad` invalid and a service missing, and what it was asked. */
const wrong = () => {
  const asked: string[] = [];
  const script: typeof routed = {
    ...answering({}),
    [validateTerminators.name]: (frame, router) => {
      asked.push(`terminators${validateTerminators.decode(frame.body).fixInvalid ? ', repaired' : ''}`);
      const states = new Map([['bad', { valid: false, reason: 'unknownTerminator' as const, detail: 'gone' }]]);
      router.answer(frame, validateTerminatorsResponse, { states });
    },
    [validateModel.name]: (frame, router) => {
      asked.push(`data model${validateModel.decode(frame.body).fix ? ', repaired' : ''}`);
      router.answer(frame, modelDifferences, { diffs: [{ entityType: 'service', entityId: 'web', diffType: 'missing', detail: '' }] });
    },
  };
  return { asked, script };
};

const isOther: HostRule = ({ right }) => (right === 'terminator.delete' || right === 'router.update' ? false : undefined);

for (const [rule, authorize] of Object.entries({ 'all writes': readOnly, 'the rights of repairs': isOther }))
  test(`a rule of the host that denies ${rule} stops repairs before a router hears of them, and lets it be compared`, async () => {
    const { asked, script } = wrong();
    let rule: HostRule = () => undefined;
    await using at = await traffic(script, undefined, { authorize: (request) => rule(request) });
    await bindBy(at, 'bad');
    await using channel = await validator(at);
    rule = authorize;
    asked.length = 0;
    const refused = (await channel.validate('terminators', { fix: true })).results;
    assert.deepEqual(
      refused.map(({ state, fixed, detail }) => [state, fixed, detail]),
      [['unknown', false, 'the host does not allow validations.repairTerminators here']],
    );
    const [model] = (await channel.validate('dataModel', { fix: true })).results;
    assert.deepEqual(model?.errors, ['the host does not allow validations.repairDataModel here']);
    const { validations } = at.network.controller.api;
    const input = { id: at.fra1.id, body: { terminators: ['bad'] } };
    await assert.rejects(validations.repairTerminators(input, { actor: 'desk:1' }), { code: 'UNAUTHORIZED' });
    await assert.rejects(validations.repairDataModel({ id: at.fra1.id }, { actor: 'desk:1' }), { code: 'UNAUTHORIZED' });
    assert.deepEqual(asked, []);

    const [terminator] = (await channel.validate('terminators')).results;
    assert.deepEqual([terminator?.state, terminator?.fixed, terminator?.detail], ['unknownTerminator', false, 'gone']);
    assert.deepEqual((await channel.validate('dataModel')).results[0]?.errors, ['missing service web']);
    assert.deepEqual(asked, ['terminators', 'data model']);
    await at.network.controller.api.terminators.get({ id: 'bad' });
  });

test('a repair is in the audit with its operator, also one that changes no entity', async () => {
  const { asked, script } = wrong();
  await using at = await traffic(script);
  await bindBy(at, 'bad');
  const { audit } = at.network.controller.api;
  const before = (await audit.list({ limit: 1 })).data[0]?.revision ?? 0;
  await using channel = await validator(at);
  for (const fix of [false, true]) for (const name of ['terminators', 'dataModel'] as const) await channel.validate(name, { fix });
  assert.deepEqual(asked.slice(-4), ['terminators', 'data model', 'terminators, repaired', 'data model, repaired']);
  const records = (await audit.list({ order: 'oldest', limit: 500 })).data.filter(({ revision }) => revision > before);
  const repairs = records.filter(({ operation }) => operation?.startsWith('validations.'));
  const after = (field: string) => repairs.map(({ differences }) => differences.find((each) => each.field === field)?.after);
  assert.deepEqual(
    repairs.map(({ action, entity, operation, actorName }) => [action, entity, operation, actorName]),
    [
      ['create', 'routerRepair', 'validations.repairTerminators', 'operator'],
      ['delete', 'terminator', 'validations.repairTerminators', 'operator'],
      ['create', 'routerRepair', 'validations.repairDataModel', 'operator'],
    ],
  );
  assert.deepEqual(after('routerId').filter(Boolean), [at.fra1.id, at.fra1.id]);
  assert.deepEqual([after('subject')[0], after('terminators')[0], after('subject')[2]], ['terminators', ['bad'], 'dataModel']);
});

test('a repair that the store does not record reaches no router', async () => {
  const { asked, script } = wrong();
  let refuses = false;
  await using at = await traffic(script, undefined, {
    hooks: {
      inTransaction: () => {
        if (refuses) throw new Error('the host takes no writes now');
      },
    },
  });
  await bindBy(at, 'bad');
  const { validations } = at.network.controller.api;
  const input = { id: at.fra1.id, body: { terminators: ['bad'] } };
  asked.length = 0;
  refuses = true;
  await assert.rejects(validations.repairTerminators(input));
  await assert.rejects(validations.repairDataModel({ id: at.fra1.id }));
  assert.deepEqual(asked, []);
  assert.equal((await validations.terminators(input)).terminators[0]?.state, 'unknownTerminator');
});

test('a router answers for its own terminators only, and one that is not connected is named as the reason', async () => {
  const { script } = wrong();
  await using at = await traffic(script);
  await bindBy(at, 'bad');
  const { validations } = at.network.controller.api;
  const idle = await at.network.edgeRouter('idle');
  assert.deepEqual(await validations.repairTerminators({ id: idle.id, body: { terminators: ['bad', 'none'] } }), {
    reason: null,
    terminators: [],
  });
  assert.deepEqual(await validations.dataModel({ id: idle.id }), { reason: 'router off-line', differences: [] });
  await assert.rejects(validations.repairDataModel({ id: 'none' }), { code: 'NOT_FOUND' });
  const ids = Array.from({ length: 51 }, (_, i) => `t${i}`);
  await assert.rejects(validations.terminators({ id: idle.id, body: { terminators: ids } }), { code: 'COULD_NOT_VALIDATE' });
});

test('the detail of a terminator names the sessions that host it without their tokens', async () => {
  const detail = JSON.stringify({ closed: false, hosting: { '5b5e6f-token': { serviceName: 'web' } }, note: 'eyJhbGciOiJF.eyJzdWI.c2ln' });
  const states = new Map([['good', { valid: true, detail }]]);
  await using at = await traffic(answering({}, states));
  await bindBy(at, 'good');
  const { terminators } = await at.network.controller.api.validations.terminators({ id: at.fra1.id, body: { terminators: ['good'] } });
  assert.deepEqual(terminators, [
    { id: 'good', state: 'valid', fixed: false, detail: '{"closed":false,"hosting":[{"serviceName":"web"}],"note":""}' },
  ]);
});
