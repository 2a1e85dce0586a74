/** Inspections of the controller that concern connected routers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalsOf } from '../../../src/controller/controller-inside.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { isOnline } from './support.ts';
import { bindBy, routed, type Traffic, traffic } from './traffic.ts';

const { subscribeToDataModel, dataState } = messages.dataModel;
const { validateTerminators, validateTerminatorsResponse } = messages.terminators;

const inspected = async ({ network }: Traffic, name: string, actor?: string) => {
  const { controllerId } = internalsOf(network.controller).core;
  const body = { appRegex: `^${controllerId}$`, requestedValues: [name] };
  const { values, errors } = await network.controller.api.inspections.run({ body }, actor === undefined ? {} : { actor });
  // Of the controller, there is one value or none.
  return { value: values[0]?.value as Record<string, Record<string, Record<string, unknown>>> | undefined, errors };
};

const subscribed = async (at: Traffic): Promise<void> => {
  at.router.send(subscribeToDataModel, { subscriptionDurationSeconds: 3600 });
  await at.router.next(dataState);
};

test('the data model of the controller is shown with the names that routers use, once a router has it', async () => {
  await using at = await traffic();
  const { configTypes, configs, services, postureChecks } = at.network.controller.api;
  const { id: configTypeId } = await configTypes.create({ body: { name: 'address' } });
  const config = await configs.create({ body: { name: 'web', configTypeId, data: { port: 80 } } });
  await services.patch({ id: at.serviceId, body: { configs: [config.id] } });
  const os = { name: 'linux', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] } as const;
  const check = await postureChecks.create({ body: os });
  await at.network.controller.api.servicePolicies.patch({ id: at.dialPolicy, body: { postureCheckRoles: [`@${check.id}`] } });
  assert.deepEqual(await inspected(at, 'router-data-model'), { value: undefined, errors: [] });
  await subscribed(at);
  const { value } = await inspected(at, 'router-data-model');
  assert.ok(value);
  assert.deepEqual(Object.keys(value), [
    ...['configTypes', 'configs', 'identities', 'services', 'servicePolicies', 'postureChecks', 'publicKeys', 'revocations'],
  ]);
  assert.deepEqual(value['configs']?.[config.id], { id: config.id, name: 'web', typeId: configTypeId, dataJson: '{"port":80}' });
  assert.deepEqual(value['services']?.[at.serviceId], {
    ...{ id: at.serviceId, name: 'web', encryptionRequired: true },
    configs: [config.id],
  });
  const { client } = at;
  assert.deepEqual(value['identities']?.[client.id], {
    ...{ id: client.id, name: 'client', appDataJson: Buffer.from('{}').toString('base64') },
    servicePolicies: { [at.dialPolicy]: {} },
  });
  assert.partialDeepStrictEqual(value['servicePolicies']?.[at.dialPolicy], {
    ...{ id: at.dialPolicy, policyType: 1, services: { [at.serviceId]: {} }, postureChecks: { [check.id]: {} } },
  });
  assert.deepEqual(value['postureChecks']?.[check.id], {
    ...{ id: check.id, name: 'linux', typeId: 'OS' },
    Subtype: { OsList: { osList: [{ OsType: 'Linux', OsVersions: ['>=6.0.0'] }] } },
  });
  const keys = Object.values(value['publicKeys'] ?? {});
  assert.ok(keys.length > 0);
  for (const { data } of keys) assert.doesNotMatch(Buffer.from(String(data), 'base64').toString('latin1'), /PRIVATE/);
});

test('the data model is for administrators whom nothing limits, and one that is too large is not shown', async () => {
  let isLimited = false;
  await using at = await traffic(routed, undefined, {
    authorize: ({ right }) => (isLimited && right === 'config.read' ? { where: 'tags.mine = true' } : undefined),
  });
  await subscribed(at);
  isLimited = true;
  const { value, errors } = await inspected(at, 'router-data-model', 'desk:1');
  assert.equal(value, undefined);
  assert.match(errors[0] ?? '', /: router-data-model: it shows entities of all kinds, which this caller may not see$/);
  assert.ok((await inspected(at, 'data-model-index', 'desk:1')).value);

  const { configTypes, configs } = at.network.controller.api;
  const { id: configTypeId } = await configTypes.create({ body: { name: 'large' } });
  for (let i = 0; i < 9; i++) await configs.create({ body: { name: `c${i}`, configTypeId, data: { text: 'x'.repeat(1_000_000) } } });
  const tooLarge = await inspected(at, 'router-data-model');
  assert.equal(tooLarge.value, undefined);
  assert.match(tooLarge.errors[0] ?? '', /: router-data-model: it is too large/);
});

type Validations = readonly { readonly checkInProgress: boolean; readonly terminators: readonly string[]; readonly lastSend: string }[];

test('routers whose terminators are still to be confirmed are named, with the terminators that they are asked about', async () => {
  await using at = await traffic();
  await bindBy(at, 'kept');
  const validations = async () => (await inspected(at, 'router-messaging')).value?.['terminatorValidations'] as unknown as Validations; // its list
  const router = { id: at.fra1.id, name: 'fra1' };
  assert.deepEqual(await inspected(at, 'router-messaging'), {
    value: { routerUpdates: [], terminatorValidations: [{ router, terminators: [], checkInProgress: false }] },
    errors: [],
  });
  at.network.clock.advance('1m');
  await until(async () => (await validations()).length === 0);

  at.router.close();
  await until(async () => (await validations()).length === 0 && !(await isOnline(at.network, at.fra1.id)));
  let answer: (() => void) | undefined;
  await at.fra1.dial({
    port: at.port,
    script: {
      [validateTerminators.name]: (frame, to) => {
        answer = () => to.answer(frame, validateTerminatorsResponse, { states: new Map([['kept', { valid: true }]]) });
      },
    },
  });
  await until(async () => (await validations()).length === 1);
  at.network.clock.advance('1m');
  await until(() => answer !== undefined);
  const [asked] = await validations();
  assert.deepEqual([asked?.checkInProgress, asked?.terminators], [true, ['kept']]);
  assert.match(asked?.lastSend ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  answer?.();
  await until(async () => (await validations()).length === 0);
});
