import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { edgeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { ManagementController } from '../../../src/index.ts';
import { StoreUnavailable } from '../../../src/store/storage/errors.ts';
import type { StorageAdapter, Store } from '../../../src/store/storage/port.ts';
import type { ScriptedRouter, TestNetworkOptions } from '../../../testing/index.ts';
import { beforeTransactions } from '../../support/altered-storage.ts';
import { ModelOfRouter } from '../../support/control-channel/model-of-router.ts';
import { createIdentities } from '../../support/many-identities.ts';
import { newSharedStorage } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { letPass, type RouterNetwork, routerNetwork } from './support.ts';

const { subscribeToDataModel, dataState, changeSet } = messages.dataModel;

/** A router that keeps the data model, and what it was told of it. */
interface Following extends RouterNetwork {
  readonly router: ScriptedRouter;
  readonly model: ModelOfRouter;
  /** Names of the messages that came. */
  readonly came: string[];
  /** Subscribes anew, without what it knows, and waits for all of it. */
  all(): Promise<ModelOfRouter>;
}

const follow = async (
  at: RouterNetwork,
  name: string,
  known: { currentIndex?: bigint; timelineId?: string } = {},
): Promise<Omit<Following, keyof RouterNetwork>> => {
  let model = new ModelOfRouter();
  model.index = known.currentIndex ?? 0n;
  const came: string[] = [];
  /** What a router could not have done. */
  let failure: unknown;
  const take = (name: string) => (frame: Parameters<ModelOfRouter['take']>[0]) => {
    came.push(name);
    try {
      if (name === 'state') model = fresh;
      model.take(frame);
    } catch (error) {
      failure ??= error;
    }
  };
  let fresh = model;
  const script = { [dataState.name]: take('state'), [changeSet.name]: take('changes') };
  const router = await (await at.network.edgeRouter(name)).dial({ port: at.port, script });
  router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300, ...known });
  const isTold = () => came.length > 0;
  if (known.timelineId === undefined) await until(isTold);
  return {
    router,
    get model() {
      return model;
    },
    came,
    all: async () => {
      fresh = new ModelOfRouter();
      const [led, before] = [model, came.length];
      router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300 });
      await until(() => came.includes('state', before));
      // The changes since then come before this answer.
      await router.request(messages.channel.ping, undefined);
      assert.ifError(failure);
      return led;
    },
  };
};

const following = async (options: TestNetworkOptions = {}): Promise<Following> => {
  const at = await routerNetwork({ oidc: true, ...options });
  const followed = await follow(at, 'fra1');
  return Object.assign(followed, { ...at, [Symbol.asyncDispose]: at[Symbol.asyncDispose] });
};

const HASH = 'ab'.repeat(32);

test('a full state has all that routers decide with, what is pointed to first', async () => {
  await using at = await routerNetwork({ oidc: true });
  const { controller } = at.network;
  const configType = (await controller.api.configTypes.create({ body: { name: 'ports', schema: { type: 'object' } } })).id;
  const config = (await controller.api.configs.create({ body: { name: 'eighty', configTypeId: configType, data: { port: 80 } } })).id;
  const other = (await controller.api.configs.create({ body: { name: 'ninety', configTypeId: configType, data: { port: 90 } } })).id;
  const service = (
    await controller.api.services.create({ body: { name: 'web', encryptionRequired: true, configs: [config], roleAttributes: ['s'] } })
  ).id;
  const identity = (
    await controller.api.identities.create({
      body: {
        name: 'ann',
        type: 'User',
        isAdmin: false,
        roleAttributes: ['i'],
        appData: { floor: 7 },
        defaultHostingCost: 3,
        defaultHostingPrecedence: 'required',
        serviceHostingCosts: { [service]: 9 },
        serviceHostingPrecedences: { [service]: 'failed' },
      },
    })
  ).id;
  await controller.api.identities.assignServiceConfigs({ id: identity, body: [{ serviceId: service, configId: other }] });
  const check = (await controller.api.postureChecks.create({ body: { name: 'mac', typeId: 'MAC', macAddresses: ['00:15:5D:01:BC:00'] } }))
    .id;
  const body = {
    name: 'p',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: ['#i'],
    serviceRoles: ['#s'],
    postureCheckRoles: [`@${check}`],
  } as const;
  const policy = (await controller.api.servicePolicies.create({ body })).id;

  const { model, router } = await follow(at, 'fra1');
  const utf8 = (text: string) => new TextEncoder().encode(text);
  assert.deepEqual(model.configTypes.get(configType), { id: configType, name: 'ports' });
  assert.deepEqual(model.configs.get(config), { id: config, typeId: configType, name: 'eighty', dataJson: '{"port":80}' });
  assert.deepEqual(model.services.get(service), { id: service, name: 'web', encryptionRequired: true, configs: [config] });
  assert.deepEqual(model.identities.get(identity), {
    id: identity,
    name: 'ann',
    defaultHostingPrecedence: 'required',
    defaultHostingCost: 3,
    serviceHostingPrecedences: new Map([[service, 'failed']]),
    serviceHostingCosts: new Map([[service, 9]]),
    appDataJson: utf8('{"floor":7}'),
    serviceConfigs: new Map([[service, { configs: new Map([[configType, other]]) }]]),
    disabled: false,
  });
  assert.deepEqual(model.granting(identity, service, 'dial'), [policy]);
  assert.deepEqual(model.granting(identity, service, 'bind'), []);
  assert.deepEqual(model.policies.get(policy)?.postureChecks, new Set([check]));
  assert.deepEqual(model.postureChecks.get(check)?.mac, {
    macAddresses: ['00155d01bc00', '00155D01BC00', '00:15:5d:01:bc:00', '00:15:5D:01:BC:00', '00-15-5d-01-bc-00', '00-15-5D-01-BC-00'],
  });
  const formats = [...model.publicKeys.values()].map(({ format, usages }) => `${format} ${usages.join(' ')}`);
  assert.ok(formats.includes('certificate jwtValidation clientCertificateValidation'), 'the key of session tokens');
  assert.ok(formats.includes('spki jwtValidation'), 'the key of the OpenID provider');
  router.close();
});

test('posture checks are sent in the words of routers', async () => {
  await using at = await following();
  const { controller } = at.network;
  const process = { osType: 'Linux', path: '/bin/agent', hashes: [HASH], signerFingerprint: 'AB'.repeat(20) } as const;
  const told = async (body: Parameters<ManagementController['api']['postureChecks']['create']>[0]['body']) => {
    const { id } = await controller.api.postureChecks.create({ body });
    await until(() => at.model.postureChecks.has(id));
    return at.model.postureChecks.get(id);
  };
  assert.partialDeepStrictEqual(await told({ name: 'os', typeId: 'OS', operatingSystems: [{ type: 'WINDOWS_SERVER', versions: [] }] }), {
    typeId: 'OS',
    // Without a range routers would let in no version at all.
    osList: { osList: [{ osType: 'WindowsServer', osVersions: ['>=0.0.0'] }] },
  });
  assert.partialDeepStrictEqual(await told({ name: 'domain', typeId: 'DOMAIN', domains: ['Corp.test'] }), {
    domains: { domains: ['Corp.test', 'corp.test', 'CORP.TEST'] },
  });
  assert.partialDeepStrictEqual(await told({ name: 'mfa', typeId: 'MFA', timeoutSeconds: 0, promptOnWake: true }), {
    mfa: { timeoutSeconds: -1n, promptOnWake: true, promptOnUnlock: false, ignoreLegacyEndpoints: false },
  });
  assert.partialDeepStrictEqual(await told({ name: 'process', typeId: 'PROCESS', process }), {
    process: { osType: 'Linux', path: '/bin/agent', hashes: [HASH, HASH.toUpperCase()], fingerprints: ['ab'.repeat(20), 'AB'.repeat(20)] },
  });
  const colons = (digits: string) => digits.toUpperCase().replaceAll(/..(?=.)/g, '$&:');
  assert.partialDeepStrictEqual(
    await told({
      name: 'colons',
      typeId: 'PROCESS_MULTI',
      semantic: 'AllOf',
      processes: [{ osType: 'Linux', path: '/bin/a', hashes: [colons(HASH)], signerFingerprints: [colons('ab'.repeat(20))] }],
    }),
    { processMulti: { processes: [{ hashes: [HASH, HASH.toUpperCase()], fingerprints: ['ab'.repeat(20), 'AB'.repeat(20)] }] } },
  );
  const versions = ['>=10', '^11.0.0 || 12.x', '10.0.1'];
  assert.partialDeepStrictEqual(await told({ name: 'versions', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions }] }), {
    osList: { osList: [{ osVersions: ['10.0.1', '>=10.0.0-0', '>=11.0.0 <12.0.0-0 || >=12.0.0 <13.0.0'] }] },
  });
  const unspeakable = { name: 'x', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=1.0.0-x'] }] } as const;
  await assert.rejects(controller.api.postureChecks.create({ body: unspeakable }), /must not contain a prerelease with an x/);
  // Routers end with an error over a semantic other than these two.
  assert.partialDeepStrictEqual(
    await told({ name: 'one of', typeId: 'PROCESS_MULTI', semantic: 'OneOf', processes: [{ osType: 'Linux', path: '/bin/a' }] }),
    { processMulti: { semantic: 'AnyOf', processes: [{ osType: 'Linux', path: '/bin/a', hashes: [], fingerprints: [] }] } },
  );
});

test('a router that was away for a short time gets what it has missed, and all where that is not known any more', async () => {
  await using at = await following();
  const { controller } = at.network;
  await controller.api.services.create({ body: { name: 'one', encryptionRequired: true } });
  await until(() => at.model.services.size === 1);
  const { index, timelineId } = at.model;
  await controller.api.services.create({ body: { name: 'two', encryptionRequired: true } });
  await controller.api.services.create({ body: { name: 'three', encryptionRequired: true } });

  const back = await follow(at, 'ams1', { currentIndex: index, timelineId });
  await until(() => back.model.services.size === 2);
  assert.deepEqual(back.came, ['changes', 'changes']);
  const foreign = await follow(at, 'lon1', { currentIndex: index, timelineId: 'another' });
  await until(() => foreign.model.services.size === 3);
  assert.equal(foreign.came[0], 'state');
});

test('routers that know nothing are sent the same full state and what has changed since, and another one after many changes', async () => {
  await using at = await routerNetwork();
  const { network, port } = at;
  const subscribed = async (name: string) => {
    const [model, states, changes]: [ModelOfRouter, Uint8Array[], Uint8Array[]] = [new ModelOfRouter(), [], []];
    const take = (bodies: Uint8Array[]) => (frame: Parameters<ModelOfRouter['take']>[0]) => {
      bodies.push(frame.body);
      model.take(frame);
    };
    const script = { [dataState.name]: take(states), [changeSet.name]: take(changes) };
    const router = await (await network.edgeRouter(name)).dial({ port, script });
    router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300 });
    await until(() => states.length === 1);
    // What follows the full state comes before this answer.
    await router.request(messages.channel.ping, undefined);
    return { model, states, changes };
  };
  const create = (prefix: string, count: number) =>
    createIdentities(
      network.controller.api,
      Array.from({ length: count }, (_, i) => ({ name: `${prefix} ${i}`, type: 'User', isAdmin: false })),
    );
  await create('early', 50);
  const first = await subscribed('fra1');
  await create('late', 2);
  await until(() => first.model.identities.size === 53);
  const second = await subscribed('ams1');
  assert.deepEqual(second.states, first.states);
  assert.deepEqual([second.changes.length, second.model.identities], [2, first.model.identities]);

  await create('many', 50);
  await until(() => first.model.identities.size === 103);
  const third = await subscribed('lon1');
  assert.notDeepEqual(third.states, first.states);
  assert.deepEqual([third.changes.length, third.model.identities], [0, first.model.identities]);
});

test('an identity that is disabled for a time is enabled at the end of it', async () => {
  await using at = await following();
  const { controller } = at.network;
  const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
  await controller.api.identities.disable({ id, body: { durationMinutes: 1 } });
  await until(() => at.model.identities.get(id)?.disabled === true);
  await letPass(at, at.router, 2);
  await until(() => at.model.identities.get(id)?.disabled === false);
});

test('role attributes and policies that end are taken out of the model at that moment', async () => {
  await using at = await following();
  const { api } = at.network.controller;
  const validUntil = new Date(at.network.clock.now() + 60_000).toISOString();
  const web = await api.services.create({ body: { name: 'web', encryptionRequired: true } });
  const ann = await api.identities.create({
    body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: [], roleAttributeGrants: { guests: { validUntil } } },
  });
  const bob = await api.identities.create({ body: { name: 'bob', type: 'User', isAdmin: false } });
  const policy = { type: 'Dial', semantic: 'AnyOf', serviceRoles: [`@${web.id}`] } as const;
  const ofGuests = await api.servicePolicies.create({ body: { ...policy, name: 'guests', identityRoles: ['#guests'] } });
  const ofBob = await api.servicePolicies.create({ body: { ...policy, name: 'bob', identityRoles: [`@${bob.id}`], validUntil } });
  const granting = () => [ann, bob].map(({ id }) => at.model.granting(id, web.id, 'dial'));
  await until(() => granting().flat().length === 2);
  assert.deepEqual(granting(), [[ofGuests.id], [ofBob.id]]);
  await letPass(at, at.router, 1);
  await until(() => granting().flat().length === 0);
});

for (const [what, seconds, minutes] of [
  ['of a minute', 60, 2],
  ['of ten hours', 36_000, 61],
] as const)
  test(`a subscription ${what} lasts for its time, an hour at most, and one minute more`, async () => {
    await using at = await following();
    const { came, router, network } = at;
    const create = (name: string) => network.controller.api.services.create({ body: { name, encryptionRequired: true } });
    router.send(subscribeToDataModel, { subscriptionDurationSeconds: seconds });
    await until(() => came.filter((name) => name === 'state').length === 2);
    await letPass(at, router, minutes);
    const before = came.length;
    await create('in time');
    await until(() => came.length > before);
    await letPass(at, router, 1);
    const after = came.length;
    await create('too late');
    await letPass(at, router, 1);
    assert.equal(came.length, after);
  });

test('what changes nothing that routers know is not told', async () => {
  await using at = await following();
  const { id } = await at.network.controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
  await until(() => at.model.identities.has(id));
  const before = at.came.length;
  await at.network.controller.api.identities.patch({ id, body: { tags: { floor: '7' } } });
  await at.network.controller.api.services.create({ body: { name: 'web', encryptionRequired: true } });
  await until(() => at.model.services.size === 1);
  assert.equal(at.came.length, before + 1);
});

test('where a change is missing from the log, routers are sent everything anew', async () => {
  let store: Store | undefined;
  const adapter = memoryStorage();
  const storage: StorageAdapter = { ...adapter, open: async (schema) => (store = await adapter.open(schema)) };
  await using at = await following({ storage });
  await store?.transaction('write', (tx) => tx.nextRevision());
  const { id } = await at.network.controller.api.services.create({ body: { name: 'web', encryptionRequired: true } });
  await until(() => at.came.length === 2);
  assert.deepEqual(at.came, ['state', 'state']);
  assert.ok((await at.all()).services.has(id));
});

test('a router that names its subscription gets the name back with the full state and with each change; other routers get none', async () => {
  await using at = await routerNetwork();
  const subscribe = async (name: string, fields: Parameters<typeof subscribeToDataModel.encode>[0]) => {
    const router = await (await at.network.edgeRouter(name)).dial({ port: at.port, version: 'v2.0.3' });
    router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300, ...fields });
    const state = await router.next(dataState);
    return { router, named: [edgeHeader.dataModelSubscription.in(state)], known: dataState.decode(state.body) };
  };
  const [first, second] = [await subscribe('fra1', { subscriptionId: 'one' }), await subscribe('ams1', {})];
  const change = async () => {
    await at.network.identity(`identity ${Math.random()}`);
    for (const { router, named } of [first, second]) named.push(edgeHeader.dataModelSubscription.in(await router.next(changeSet)));
  };
  await change();
  const { endIndex, timelineId } = first.known;
  const renewal = { subscriptionDurationSeconds: 300, subscriptionId: 'two', renew: true, currentIndex: endIndex, timelineId };
  first.router.send(subscribeToDataModel, renewal);
  first.named.push(edgeHeader.dataModelSubscription.in(await first.router.next(changeSet)));
  await change();
  assert.deepEqual(first.named, ['one', 'one', 'two', 'two']);
  assert.deepEqual(second.named, [undefined, undefined, undefined]);
});

test('a change names the index that it applies to, also for routers that subscribed after changes which do not concern them', async () => {
  await using at = await following();
  const { controller } = at.network;
  const { id: ben } = await at.network.identity('ben');
  const untold = (floor: string) => controller.api.identities.patch({ id: ben, body: { tags: { floor } } });
  await untold('7');
  const later = await follow(at, 'ams1');
  await untold('8');
  const { id } = await at.network.identity('ann');
  for (const { model } of [at, later]) await until(() => model.identities.has(id));
  assert.equal(later.model.index, at.model.index);
  await later.all();
});

test('a router that asks while the store is out of reach gets its answer once the store answers again', async () => {
  let isDown = false;
  const storage = beforeTransactions(memoryStorage(), (mode) => {
    if (isDown && mode === 'read') throw new StoreUnavailable('the disk is away');
  });
  await using at = await routerNetwork({ storage });
  const fra1 = await at.network.edgeRouter('fra1');
  const router = await fra1.dial({ port: at.port });
  isDown = true;
  router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300 });
  const warned = 'warn: could not send the data model to routers; trying again in 5 s';
  await until(() => at.log().includes(warned));
  isDown = false;
  at.network.clock.advance('5s');
  assert.ok(dataState.decode((await router.next(dataState)).body).events.length > 0);
});

test('a change by another controller of the network is sent within 200 ms', async () => {
  await using shared = newSharedStorage('memory');
  await using at = await following({ storage: shared.adapter() });
  await using other = await routerNetwork({ storage: shared.adapter() });
  const { id } = await other.network.controller.api.services.create({ body: { name: 'web', encryptionRequired: true } });
  at.network.clock.advance('200ms');
  await until(() => at.model.services.has(id));
});

/** Changes at random, of few entities with few attributes, so that policies often select. */
const attributes = fc.subarray(['a', 'b', 'c']);
const roles = fc.oneof(
  fc.constant(['#all']),
  fc.subarray(['#a', '#b', '#c']),
  fc.tuple(fc.nat(), fc.subarray(['#a', '#b'])).map(([at, others]) => [`@${at}`, ...others]),
);
const semantic = fc.constantFrom('AnyOf' as const, 'AllOf' as const);
const at = fc.nat();
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('create' as const),
      kind: fc.constantFrom('identities', 'services', 'postureChecks'),
      attributes,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('patch' as const),
      kind: fc.constantFrom('identities', 'services', 'postureChecks'),
      at,
      attributes,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('delete' as const),
      kind: fc.constantFrom('identities', 'services', 'postureChecks', 'servicePolicies'),
      at,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('disable' as const), at }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('policy' as const),
      at: fc.option(at, { nil: undefined }),
      type: fc.constantFrom('Dial' as const, 'Bind' as const),
      semantic,
      identityRoles: roles,
      serviceRoles: roles,
      postureCheckRoles: roles,
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Ids = Record<'identities' | 'services' | 'postureChecks' | 'servicePolicies', string[]>;

const doing = async (controller: ManagementController, ids: Ids, one: Step, serial: number): Promise<void> => {
  const pick = (kind: keyof Ids, at: number) => ids[kind][at % Math.max(1, ids[kind].length)];
  const name = `n${serial}`;
  if (one.does === 'create') {
    const common = { name, roleAttributes: one.attributes };
    const { id } =
      one.kind === 'identities'
        ? await controller.api.identities.create({ body: { ...common, type: 'User', isAdmin: false } })
        : one.kind === 'services'
          ? await controller.api.services.create({ body: { ...common, encryptionRequired: true } })
          : await controller.api.postureChecks.create({ body: { ...common, typeId: 'MFA' } });
    ids[one.kind as keyof Ids].push(id);
  } else if (one.does === 'policy') {
    const named = (roles: readonly string[], kind: keyof Ids) =>
      roles
        .flatMap((role) => (role.startsWith('@') ? (pick(kind, Number(role.slice(1))) ?? []) : role))
        .map((role) => (role.startsWith('#') ? role : `@${role}`));
    const body = {
      name,
      type: one.type,
      semantic: one.semantic,
      identityRoles: named(one.identityRoles, 'identities'),
      serviceRoles: named(one.serviceRoles, 'services'),
      postureCheckRoles: named(one.postureCheckRoles, 'postureChecks'),
    };
    const id = one.at === undefined ? undefined : pick('servicePolicies', one.at);
    if (id) await controller.api.servicePolicies.replace({ id, body });
    else ids.servicePolicies.push((await controller.api.servicePolicies.create({ body })).id);
  } else if (one.does === 'disable') {
    const id = pick('identities', one.at);
    if (id) await controller.api.identities.disable({ id, body: { durationMinutes: 0 } });
  } else {
    const id = pick(one.kind as keyof Ids, one.at);
    if (!id) return;
    if (one.does === 'delete') {
      await controller.api[one.kind as keyof Ids].delete({ id });
      ids[one.kind as keyof Ids] = ids[one.kind as keyof Ids].filter((other) => other !== id);
    } else if (one.kind === 'postureChecks')
      await controller.api.postureChecks.patch({ id, body: { typeId: 'MFA', roleAttributes: one.attributes } });
    else await controller.api[one.kind as 'identities' | 'services'].patch({ id, body: { roleAttributes: one.attributes } });
  }
};

test('whatever changes, a router that got each change knows what a new one is sent, and decides as the controller does', async () => {
  await using at = await following();
  const { controller } = at.network;
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const ids: Ids = { identities: [], services: [], postureChecks: [], servicePolicies: [] };
      for (const one of steps) await doing(controller, ids, one, serial++);
      const led = await at.all();
      const { index: _, timelineId: __, ...told } = { ...at.model };
      const { index: ___, timelineId: ____, ...known } = { ...led };
      assert.deepEqual(withoutEmpty(known), withoutEmpty(told));
      for (const id of ids.identities)
        for (const serviceId of ids.services) {
          const { isDialAllowed, isBindAllowed } = await controller.api.identities.getPolicyAdvice({ id, serviceId });
          const { disabled } = await controller.api.identities.get({ id });
          const may = (type: 'dial' | 'bind') => at.model.granting(id, serviceId, type).length > 0;
          assert.deepEqual([may('dial'), may('bind')], disabled ? [false, false] : [isDialAllowed === true, isBindAllowed === true]);
        }
      for (const kind of ['servicePolicies', 'identities', 'services', 'postureChecks'] as const)
        for (const id of ids[kind]) await controller.api[kind].delete({ id });
    }),
    { numRuns: 40 },
  );
});

/** A router need not forget that a policy selected an identity which there is no more, or none. */
const withoutEmpty = ({ selected, ...rest }: Omit<Partial<ModelOfRouter>, 'index' | 'timelineId'>) => ({
  ...rest,
  selected: new Map(
    [...(selected ?? [])]
      .map(([id, policies]) => [id, new Set([...policies].filter((policy) => rest.policies?.has(policy)))] as const)
      .filter(([, policies]) => policies.size > 0),
  ),
});
