/**
 * A router on the path of a circuit deleted the terminator of another one by answering that it does not exist; routers ended circuits and
 * terminators of which they know nothing.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { routeHeader } from '../../src/fabric/control-channel/header-fields.ts';
import { routeErrorCode } from '../../src/fabric/control-channel/messages/circuits.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { type MeshRouter, mesh } from '../adapters/routers/mesh.ts';
import { bindBy, dialBy, routed, settled, traffic, withSecond } from '../adapters/routers/traffic.ts';
import { until } from '../support/until.ts';

const { route, routeResult, unroute, fault, circuitConfirmation } = messages.circuits;
const { removeTerminators } = messages.terminators;

/** The answer of a router that claims not to know the terminator. */
const denying: typeof routed = {
  [route.name]: (frame, router) => {
    const { circuitId, attempt } = route.decode(frame.body);
    const headers = [
      routeHeader.attempt.of(attempt),
      routeHeader.success.of(false),
      routeHeader.errorCode.of(routeErrorCode.invalidTerminator),
    ];
    router.answer(frame, routeResult, circuitId, headers);
  },
};

describe('a terminator that a router calls unknown', () => {
  const places: Readonly<Record<string, 'first' | 'middle' | 'last'>> = {
    'stays if the router is that of the client': 'first',
    'stays if the router only passes traffic on': 'middle',
    'goes if the router is its own': 'last',
  };
  for (const [what, denies] of Object.entries(places))
    test(what, async () => {
      await using at = await mesh();
      const { controller } = at.network;
      const terminators = async () => (await controller.api.terminators.list({})).data.map(({ id }) => id);
      const script = (place: typeof denies) => (place === denies ? denying : routed);
      at.fra.close();
      await until(() => at.fra.signal.aborted);
      const fra = { ...(await at.fra.of.dial({ port: at.port, script: script('first') })), id: at.fra.id, of: at.fra.of };
      const par = await at.join('par1', script('middle'));
      const last = await at.join('mad1', script('last'));
      await at.link('to par', fra, par);
      await at.link('from par', par, last);
      assert.equal((await bindBy({ ...at, router: last }, 'far')).result, 'success');
      const { said } = await dialBy({ ...at, router: fra });
      assert.equal(said, `service ${at.serviceId} could not be reached: the router does not know the terminator`);
      assert.deepEqual((await terminators()).includes('far'), denies !== 'last');
    });
});

/** A circuit from `fra` over `par` to `ams`. */
const overThree = async () => {
  const at = await mesh();
  const par = await at.join('par1');
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  return { ...at, par, circuitId: await at.circuit() };
};

/** True if the router is instructed to end the circuit when it asks about it. */
const hasEnded = async (router: MeshRouter, circuitId: string): Promise<boolean> => {
  router.send(circuitConfirmation, { circuitIds: [circuitId, 'mark'] });
  const first = unroute.decode((await router.next(unroute)).body).circuitId;
  return first !== 'mark';
};

describe('a circuit', () => {
  const faults = (at: Awaited<ReturnType<typeof overThree>>) =>
    [
      [at.par, 'ingress'],
      [at.par, 'egress'],
      [at.ams, 'ingress'],
      [at.fra, 'egress'],
    ] as const;
  test('does not end because a router says so that is not at that end', async () => {
    await using at = await overThree();
    for (const [router, subject] of faults(at)) {
      router.send(fault, { subject, id: at.circuitId });
      await settled(router);
    }
    assert.deepEqual(
      (await at.network.controller.api.circuits.list()).data.map(({ id }) => id),
      [at.circuitId],
    );
    at.ams.send(fault, { subject: 'egress', id: at.circuitId });
    assert.deepEqual(unroute.decode((await at.par.next(unroute)).body), { circuitId: at.circuitId, now: false });
  });

  test('does not end because a router calls a link broken that it is not at', async () => {
    await using at = await overThree();
    // The circuit stays on a duplicate until there is another path.
    at.fra.send(fault, { subject: 'linkDuplicate', id: 'to par', iteration: 1 });
    await settled(at.fra);
    at.ams.send(fault, { subject: 'link', id: 'to par', iteration: 1 });
    await settled(at.ams);
    assert.equal(await hasEnded(at.ams, at.circuitId), false);
    at.par.send(fault, { subject: 'link', id: 'to par', iteration: 1 });
    assert.deepEqual(unroute.decode((await at.par.next(unroute)).body), { circuitId: at.circuitId, now: true });
  });
});

test('a terminator that waits for its host to be authorized again comes back, whatever other routers remove', async () => {
  await using at = await traffic(undefined, 'OpenID Connect');
  const { controller } = at.network;
  const terminators = async () => (await controller.api.terminators.list({})).data.map(({ id }) => id);
  assert.equal((await bindBy(at, 'terminator')).result, 'success');
  const { second } = await withSecond(at);
  const { name, type, semantic, identityRoles, serviceRoles } = await controller.api.servicePolicies.get({ id: at.bindPolicy });
  await controller.api.servicePolicies.delete({ id: at.bindPolicy });
  await until(async () => (await terminators()).length === 0);
  await second.request(removeTerminators, { terminatorIds: ['terminator'] });
  assert.equal((await bindBy({ ...at, router: second }, 'terminator', 'no token')).result, 'invalidSession');
  await controller.api.servicePolicies.create({ body: { name, type, semantic, identityRoles, serviceRoles } });
  await until(async () => (await terminators()).length === 1);
});
