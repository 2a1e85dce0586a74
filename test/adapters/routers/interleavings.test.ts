/**
 * What happens between two steps of the control channel: a right, a router or the network changes while something is set up on it, or read.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { ScriptedRouter } from '../../../testing/index.ts';
import { SECRET_KEY } from '../../support/app.ts';
import { ModelOfRouter } from '../../support/control-channel/model-of-router.ts';
import { type Interleaved, interleaved } from '../../support/interleaving.ts';
import { newStorage } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { mesh } from './mesh.ts';
import { isOnline, routerNetwork } from './support.ts';
import { bindBy, dialBy, type LoginBy, routed, settled, type Traffic, tokenFor, traffic, withSecond } from './traffic.ts';

const { route, unroute, circuitConfirmation } = messages.circuits;
const { createTunnelTerminator, createTunnelTerminatorResponse } = messages.terminators;
const { routerLinks } = messages.links;
const { subscribeToDataModel, dataState, changeSet } = messages.dataModel;

const between = (): Interleaved => interleaved(newStorage('memory'));
const on = ({ storage }: Interleaved) => ({ storage, secretKey: SECRET_KEY });

const terminators = async ({ network }: Pick<Traffic, 'network'>) => (await network.controller.api.terminators.list({})).data;
const circuits = async ({ network }: Pick<Traffic, 'network'>) => (await network.controller.api.circuits.list({})).data;
const nextUnroute = async (router: ScriptedRouter) => unroute.decode((await router.next(unroute)).body);
const isGone = ({ network }: Pick<Traffic, 'network'>, id: string) => until(async () => !(await isOnline(network, id)));

/** Routes that are answered when the test says so. */
const slowly = () => {
  const answers: (() => void)[] = [];
  const script: typeof routed = { [route.name]: (frame, router) => void answers.push(() => routed[route.name]?.(frame, router)) };
  return { script, answer: () => answers.splice(0).forEach((one) => void one()) };
};

describe('a terminator is created while its right ends', () => {
  const ways: Readonly<Record<string, (at: Traffic) => Promise<() => Promise<string>>>> = Object.fromEntries([
    ...(['API session', 'OpenID Connect'] as const).map((by) => [
      by,
      async (at: Traffic) => {
        const token = await tokenFor(at.hosting, at.serviceId, 'Bind');
        return async () => (await bindBy(at, 'terminator', token)).result;
      },
    ]),
    [
      'tunneler',
      async ({ network, router, fra1, serviceId, bindPolicy }: Traffic) => {
        await network.controller.api.edgeRouters.patch({ id: fra1.id, body: { isTunnelerEnabled: true } });
        await network.controller.api.servicePolicies.patch({ id: bindPolicy, body: { identityRoles: [`@${fra1.id}`] } });
        const asked = { serviceId, address: 'terminator' };
        return async () => createTunnelTerminatorResponse.decode((await router.request(createTunnelTerminator, asked)).body).result;
      },
    ],
  ]);
  for (const [way, preparing] of Object.entries(ways)) {
    const login: LoginBy = way === 'OpenID Connect' ? way : 'API session';
    const prepared = async () => {
      const store = between();
      const at = await traffic(routed, login, on(store));
      const lose = () => at.network.controller.api.servicePolicies.delete({ id: at.bindPolicy });
      return { store, at, create: await preparing(at), lose, [Symbol.asyncDispose]: at[Symbol.asyncDispose] };
    };

    test(`before it is written: it is refused (${way})`, async () => {
      await using held = await prepared();
      held.store.beforeWrite(held.lose);
      assert.equal(await held.create(), way === 'tunneler' ? 'otherFailure' : 'invalidSession');
      assert.deepEqual(await terminators(held.at), []);
    });

    test(`after it was written: it is removed (${way})`, async () => {
      await using held = await prepared();
      held.store.afterWrite(held.lose);
      await held.create();
      await until(async () => (await terminators(held.at)).length === 0);
    });
  }

  test('or while its router leaves: it is not dialed, also when the router was started anew and has not created it again', async () => {
    const store = between();
    await using at = await traffic(routed, 'API session', on(store));
    const { ams1, second, hosting } = await withSecond(at);
    const token = await tokenFor(at.hosting, at.serviceId, 'Bind');
    store.afterWrite(async () => {
      second.close();
      await isGone(at, ams1.id);
    });
    await assert.rejects(bindBy(hosting, 'terminator', token));
    await until(async () => (await terminators(at)).length === 1);
    await ams1.dial({ port: at.port, script: routed });
    await until(() => isOnline(at.network, ams1.id));
    at.router.send(routerLinks, { links: [{ id: 'link', destRouterId: ams1.id, iteration: 1 }] });
    await settled(at.router);
    assert.equal((await dialBy(at)).said, `service ${at.serviceId} has no terminators`);
  });
});

describe('while a circuit is set up', () => {
  test('its right ends: it ends on its router', async () => {
    const { script, answer } = slowly();
    await using at = await traffic(script);
    await bindBy(at, 'terminator');
    const dialing = dialBy(at);
    const { circuitId } = route.decode((await at.router.next(route)).body);
    await at.network.controller.api.servicePolicies.delete({ id: at.dialPolicy });
    answer();
    await dialing;
    await until(async () => (await circuits(at)).length === 0);
    assert.deepEqual(await nextUnroute(at.router), { circuitId, now: true });
  });

  test('the router of the host leaves, which has done its part: there is no circuit, and the other router forgets it', async () => {
    const { script, answer } = slowly();
    await using at = await traffic(script);
    const { ams1, second, hosting } = await withSecond(at);
    await bindBy(hosting, 'terminator');
    at.router.send(routerLinks, { links: [{ id: 'link', destRouterId: ams1.id, iteration: 1 }] });
    const dialing = dialBy(at);
    const { circuitId } = route.decode((await at.router.next(route)).body);
    second.close();
    await isGone(at, ams1.id);
    answer();
    assert.equal((await dialing).said, `service ${at.serviceId} could not be reached: its terminator was removed`);
    assert.deepEqual(await nextUnroute(at.router), { circuitId, now: true });
  });

  test('the router of the host leaves before it has answered: another terminator is dialed', async () => {
    await using at = await traffic();
    const { ams1, second, hosting } = await withSecond(at, {});
    await bindBy(hosting, 'far', undefined, { precedence: 'required' });
    await bindBy(at, 'near');
    at.router.send(routerLinks, { links: [{ id: 'link', destRouterId: ams1.id, iteration: 1 }] });
    const dialing = dialBy(at);
    await second.next(route);
    second.close();
    const made = await dialing;
    assert.ok(made.isMade, made.said);
    assert.partialDeepStrictEqual(await circuits(at), [{ id: made.id, terminator: { id: 'near' } }]);
  });

  test('the router that has asked leaves: the circuit ends on the others', async () => {
    const { script, answer } = slowly();
    await using at = await mesh();
    const par = await at.join('par1', script);
    await at.link('to par', at.fra, par);
    await at.link('from par', par, at.ams);
    const lost = assert.rejects(dialBy(at));
    const { circuitId } = route.decode((await par.next(route)).body);
    await at.fra.next(route);
    await at.link('one more', at.fra, par);
    at.fra.close();
    await isGone(at, at.fra.id);
    await lost;
    answer();
    for (const router of [par, at.ams]) assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
  });
});

describe('a router comes back', () => {
  const lastOf = (router: ScriptedRouter) => ({ lastConnectionId: header.connectionId.required(router.welcome) });

  test('at the last moment: it is not given up', async () => {
    await using at = await traffic();
    await bindBy(at, 'terminator');
    const made = await dialBy(at);
    assert.ok(made.isMade, made.said);
    at.router.close();
    await isGone(at, at.fra1.id);
    at.network.clock.advance('299s');
    const again = await at.fra1.dial({ port: at.port, ...lastOf(at.router) });
    await until(() => isOnline(at.network, at.fra1.id));
    at.network.clock.advance('2s');
    again.send(circuitConfirmation, { circuitIds: [made.id, 'unknown'] });
    assert.equal((await nextUnroute(again)).circuitId, 'unknown');
  });

  test('while its circuits are looked for other ways, as it is given up: the circuit that ends, ends on it, too', async () => {
    const store = between();
    await using at = await mesh(on(store));
    const par = await at.join('par1');
    await at.link('to par', at.fra, par);
    await at.link('from par', par, at.ams);
    const circuitId = await at.circuit();
    const { fra, ams } = at;
    for (const router of [fra, par, ams]) router.close();
    for (const { id } of [fra, par, ams]) await isGone(at, id);
    at.network.clock.advance('299s');
    const back = async ({ of }: typeof par, last: ScriptedRouter) => of.dial({ port: at.port, script: routed, ...lastOf(last) });
    const [fraAgain, amsAgain] = [await back(fra, fra), await back(ams, ams)];
    let parAgain: ScriptedRouter | undefined;
    store.afterReads(async () => {
      parAgain = await back(par, par);
    });
    at.network.clock.advance('1s');
    await until(() => parAgain !== undefined);
    assert.ok(parAgain);
    for (const router of [fraAgain, amsAgain, parAgain]) assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
  });

  test('while its circuits are moved to another way: it hears that they do not go through it any more', async () => {
    const { script, answer } = slowly();
    await using at = await mesh();
    const par = await at.join('par1');
    const mad = await at.join('mad1', script);
    await at.link('to par', at.fra, par);
    await at.link('from par', par, at.ams);
    const circuitId = await at.circuit();
    await at.link('to mad', at.fra, mad);
    await at.link('from mad', mad, at.ams);
    par.close();
    await mad.next(route);
    await isGone(at, par.id);
    const again = await par.of.dial({ port: at.port, script: routed, ...lastOf(par) });
    await until(() => isOnline(at.network, par.id));
    answer();
    assert.deepEqual(await nextUnroute(again), { circuitId, now: false });
  });
});

describe('the data model of a router', () => {
  const subscribe = { subscriptionDurationSeconds: 300 };
  const opened = async () => {
    const store = between();
    const at = await routerNetwork(on(store));
    const model = new ModelOfRouter();
    const came: string[] = [];
    const take = (name: string) => (frame: Parameters<ModelOfRouter['take']>[0]) => {
      came.push(name);
      model.take(frame);
    };
    const script = { [dataState.name]: take('state'), [changeSet.name]: take('changes') };
    const router = await (await at.network.edgeRouter('fra1')).dial({ port: at.port, script });
    await until(async () => (await at.network.controller.api.edgeRouters.list({})).data[0]?.isOnline === true);
    const service = (name: string) => at.network.controller.api.services.create({ body: { name, encryptionRequired: true } });
    return { ...at, store, model, came, router, service, [Symbol.asyncDispose]: at[Symbol.asyncDispose] };
  };
  const names = ({ services }: ModelOfRouter) => [...services.values()].map(({ name }) => name).toSorted();

  for (const kind of ['identity', 'service', 'servicePolicy', 'postureCheck'])
    test(`has a change that is made while it is read, once (after ${kind})`, async () => {
      await using at = await opened();
      await at.service('before');
      at.store.duringRead(kind, () => at.service('meanwhile'));
      at.router.send(subscribeToDataModel, subscribe);
      await until(() => names(at.model).includes('meanwhile'));
      await at.service('after');
      await until(() => names(at.model).includes('after'));
      assert.deepEqual(names(at.model), ['after', 'before', 'meanwhile']);
      assert.deepEqual(at.came, ['state', 'changes']);
    });

  test('has a change that was made before it was read, and is announced later, once', async () => {
    await using at = await opened();
    at.store.afterWrite(async () => {
      at.router.send(subscribeToDataModel, subscribe);
      await until(() => at.came.length === 1);
    });
    await at.service('before');
    await at.service('after');
    await until(() => names(at.model).includes('after'));
    assert.deepEqual(
      [names(at.model), at.came],
      [
        ['after', 'before'],
        ['state', 'changes'],
      ],
    );
  });
});
