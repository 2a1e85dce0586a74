import assert from 'node:assert/strict';
import { test } from 'node:test';
import { header, routeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { fabricApi } from './fabric-api.ts';
import { type Mesh, type MeshRouter, mesh } from './mesh.ts';
import { isOnline } from './support.ts';
import { dialBy, routed, settled, tokenFor } from './traffic.ts';

const { route, routeResult, unroute, fault, circuitConfirmation } = messages.circuits;
const { routerLinks } = messages.links;

/** A link between the two ends, and the ends of a way around it by a third router, which is dearer. */
const withDetour = async (at: Mesh, script = routed): Promise<MeshRouter> => {
  const par = await at.join('par1', script);
  await at.link('direct', at.fra, at.ams);
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  return par;
};

const nextRoute = async (router: MeshRouter) => route.decode((await router.next(route)).body);
const nextUnroute = async (router: MeshRouter) => unroute.decode((await router.next(unroute)).body);

/** Whether a router would be told to forget the circuit if it asked: the controller knows none of this id that goes through it. */
const isForgotten = async (router: MeshRouter, id: string): Promise<boolean> => {
  router.send(circuitConfirmation, { circuitIds: [id, 'mark'] });
  const first = await nextUnroute(router);
  if (first.circuitId === 'mark') return false;
  assert.deepEqual([first.circuitId, (await nextUnroute(router)).circuitId], [id, 'mark']);
  return true;
};

test('a circuit whose link breaks goes another way, and its host is not asked again', async () => {
  await using at = await mesh();
  const par = await withDetour(at);
  const circuitId = await at.circuit();
  const [atAms, atFra] = [await nextRoute(at.ams), await nextRoute(at.fra)];
  const [ingress, egress] = [atFra.forwards[0]?.srcAddress ?? '', atAms.egress?.address ?? ''];
  assert.equal(atFra.forwards[0]?.dstAddress, 'direct');

  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  const [atPar, first, last] = [await nextRoute(par), await nextRoute(at.fra), await nextRoute(at.ams)];
  assert.deepEqual(atPar.forwards, [
    { srcAddress: 'to par', dstAddress: 'from par', dstType: 'link' },
    { srcAddress: 'from par', dstAddress: 'to par', dstType: 'link' },
  ]);
  assert.deepEqual(first.forwards, [
    { srcAddress: ingress, dstAddress: 'to par', dstType: 'link' },
    { srcAddress: 'to par', dstAddress: ingress, dstType: 'start' },
  ]);
  assert.deepEqual(last.forwards, [
    { srcAddress: 'from par', dstAddress: egress, dstType: 'end' },
    { srcAddress: egress, dstAddress: 'from par', dstType: 'link' },
  ]);
  for (const said of [atPar, first, last])
    assert.deepEqual([said.circuitId, said.egress, said.attempt, said.tags], [circuitId, undefined, 1, atFra.tags]);
  at.fra.send(fault, { subject: 'ingress', id: circuitId });
  for (const router of [at.fra, par, at.ams]) assert.deepEqual(await nextUnroute(router), { circuitId, now: false });
});

test('the ends get their routes after those between them, for they begin at once to send over the new way', async () => {
  await using at = await mesh();
  const asked: (() => void)[] = [];
  const par = await withDetour(at, { [route.name]: (frame, router) => void asked.push(() => routed[route.name]?.(frame, router)) });
  await at.circuit();
  await Promise.all([at.fra, at.ams].map(nextRoute));
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  await nextRoute(par);
  const told: string[] = [];
  const ends = [at.fra, at.ams].map(async (end) => {
    await nextRoute(end);
    told.push('an end');
  });
  await settled(at.fra);
  await settled(at.ams);
  told.push('the middle answers');
  for (const answer of asked) answer();
  await Promise.all(ends);
  assert.deepEqual(told, ['the middle answers', 'an end', 'an end']);
});

test('a circuit for which there is no other way ends on all its routers', async () => {
  await using at = await mesh();
  await at.link('direct', at.fra, at.ams);
  const circuitId = await at.circuit();
  at.ams.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  for (const router of [at.fra, at.ams]) assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
});

test('a fault of a link that is out of date, or from a router that is not an end of it, moves nothing', async () => {
  await using at = await mesh();
  const par = await withDetour(at);
  at.fra.send(routerLinks, { links: [{ id: 'direct', destRouterId: at.ams.id, iteration: 2 }] });
  await settled(at.fra);
  await at.circuit();
  await nextRoute(at.fra);
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  par.send(fault, { subject: 'link', id: 'direct', iteration: 2 });
  await settled(at.fra);
  await settled(par);
  await at.circuit();
  assert.equal((await nextRoute(at.fra)).forwards[0]?.dstAddress, 'direct');
});

test('a router that does not answer, or refuses, ends the circuit, also on routers that had their route already', async () => {
  for (const answers of [false, true]) {
    await using at = await mesh();
    const refusing: typeof routed = {
      [route.name]: (frame, router) => {
        if (answers) router.answer(frame, routeResult, '', [routeHeader.success.of(false), routeHeader.error.of('no room')]);
      },
    };
    const par = await withDetour(at, refusing);
    const circuitId = await at.circuit();
    at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
    await nextRoute(par);
    if (!answers) at.network.clock.advance('5s');
    for (const router of [at.fra, par, at.ams]) assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
  }
});

test('an answer that comes too late changes nothing', async () => {
  await using at = await mesh();
  const answers: (() => void)[] = [];
  const par = await withDetour(at, { [route.name]: (frame, router) => void answers.push(() => routed[route.name]?.(frame, router)) });
  const circuitId = await at.circuit();
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  await nextRoute(par);
  at.network.clock.advance('5s');
  assert.deepEqual(await nextUnroute(par), { circuitId, now: true });
  for (const answer of answers) answer();
  await settled(par);
  assert.equal(await isForgotten(par, circuitId), true);
});

test('a circuit that ends while it is moved ends on the routers of both ways', async () => {
  await using at = await mesh();
  const answers: (() => void)[] = [];
  const par = await withDetour(at, { [route.name]: (frame, router) => void answers.push(() => routed[route.name]?.(frame, router)) });
  const circuitId = await at.circuit();
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  await nextRoute(par);
  at.ams.send(fault, { subject: 'egress', id: circuitId });
  for (const router of [at.fra, at.ams]) assert.deepEqual(await nextUnroute(router), { circuitId, now: false });
  for (const answer of answers) answer();
  assert.deepEqual(await nextUnroute(par), { circuitId, now: true });
});

test('while a circuit is moved, routers that cannot hand on do not end it', async () => {
  await using at = await mesh();
  const answers: (() => void)[] = [];
  const par = await withDetour(at, { [route.name]: (frame, router) => void answers.push(() => routed[route.name]?.(frame, router)) });
  const circuitId = await at.circuit();
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  await nextRoute(par);
  for (const router of [par, at.ams]) {
    router.send(fault, { subject: 'forward', id: circuitId });
    await settled(router);
  }
  for (const answer of answers) answer();
  await settled(par);
  assert.equal(await isForgotten(par, circuitId), false);
});

test('while a circuit is being made, routers that cannot hand on yet do not end it', async () => {
  await using at = await mesh();
  await at.link('direct', at.fra, at.ams);
  const slow = await at.join('mad1', {});
  await at.link('from mad', slow, at.fra);
  const dialed = dialBy({ ...at, router: slow });
  // The host has answered, and its data comes to a router that has not worked on its part yet.
  const { circuitId } = await nextRoute(slow);
  slow.send(fault, { subject: 'forward', id: circuitId });
  await settled(slow);
  assert.equal(await isForgotten(slow, 'another'), true);
  at.network.clock.advance('10s');
  assert.equal((await dialed).isMade, false);
});

test('a router that no longer knows a circuit gets its part again; if it still does not know it, the circuit ends', async () => {
  await using at = await mesh();
  const par = await at.join('par1');
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  const circuitId = await at.circuit();
  const told = await nextRoute(par);
  for (let attempt = 1; attempt <= 3; attempt++) {
    par.send(fault, { subject: 'forward', id: `unknown ${circuitId}` });
    assert.deepEqual((await nextUnroute(par)).circuitId, 'unknown');
    const again = await nextRoute(par);
    assert.deepEqual([again.forwards, again.attempt], [told.forwards, attempt]);
    await until(async () => !(await isForgotten(at.ams, circuitId)));
    await settled(at.ams);
  }
  par.send(fault, { subject: 'unknownOwnerForward', id: circuitId });
  for (const router of [at.fra, par, at.ams]) assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
});

test('of a link that there is twice the circuits move to the other, and stay where there is none', async () => {
  await using at = await mesh();
  await at.link('one', at.fra, at.ams);
  const circuitId = await at.circuit();
  await nextRoute(at.fra);
  at.fra.send(fault, { subject: 'linkDuplicate', id: 'one', iteration: 1 });
  await settled(at.fra);
  assert.equal(await isForgotten(at.fra, circuitId), false);
  await at.link('two', at.fra, at.ams);
  // Its routers close it after a while.
  at.ams.send(fault, { subject: 'link', id: 'one', iteration: 1 });
  assert.equal((await nextRoute(at.fra)).forwards[0]?.dstAddress, 'two');
  await until(async () => !(await isForgotten(at.ams, circuitId)));
});

test('an administrator who makes a link dearer, or takes it out of use, moves its circuits at once, and later ones go around it', async () => {
  await using at = await mesh();
  await using api = await fabricApi(at.network);
  const par = await withDetour(at);
  const circuitId = await at.circuit();
  await Promise.all([at.ams, at.fra].map(nextRoute));
  const path = async (id: string): Promise<readonly string[]> =>
    (await api.call('GET', `/circuits/${id}`)).body.data.path.links.map((link: { readonly id: string }) => link.id);
  const patch = (body: object) => api.call('PATCH', '/links/direct', { body });
  assert.equal((await patch({ staticCost: 3 })).status, 200);
  assert.equal((await nextRoute(par)).circuitId, circuitId);
  await until(async () => (await path(circuitId)).join() === 'to par,from par');
  assert.partialDeepStrictEqual((await api.call('GET', '/links/direct')).body.data, { staticCost: 3, cost: 3, down: false });

  await patch({ staticCost: 1, down: true });
  const later = await at.circuit();
  assert.deepEqual(await path(later), ['to par', 'from par']);
  await patch({ down: false });
  assert.deepEqual(await path(await at.circuit()), ['direct']);
});

test('a circuit stays on a link that is out of use if there is no other path; no new circuit is made over it', async () => {
  await using at = await mesh();
  await using api = await fabricApi(at.network);
  await at.link('direct', at.fra, at.ams);
  const circuitId = await at.circuit();
  assert.equal((await api.call('PATCH', '/links/direct', { body: { down: true } })).status, 200);
  await assert.rejects(at.circuit());
  assert.deepEqual(await api.ids('/circuits'), [circuitId]);
});

test('the cost of a link is not negative, and a link that is not there is not changed', async () => {
  await using at = await mesh();
  await using api = await fabricApi(at.network);
  await at.link('direct', at.fra, at.ams);
  for (const staticCost of [-1, 2 ** 31]) {
    const { status, body } = await api.call('PATCH', '/links/direct', { body: { staticCost } });
    assert.deepEqual([status, body.error.cause.field], [400, 'staticCost']);
  }
  const { status, body } = await api.call('PATCH', '/links/none', { body: { down: true } });
  assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND']);
});

test('a router in the middle that is lost is gone around, and told so when it comes again', async () => {
  await using at = await mesh();
  const [par, mad] = [await at.join('par1'), await at.join('mad1')];
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  const circuitId = await at.circuit();
  const [before] = [await nextRoute(par), await nextRoute(at.fra), await nextRoute(at.ams)];
  assert.equal(before.circuitId, circuitId);
  await at.link('to mad', at.fra, mad);
  await at.link('from mad', mad, at.ams);
  par.close();
  assert.equal((await nextRoute(mad)).circuitId, circuitId);
  assert.equal((await nextRoute(at.fra)).forwards[0]?.dstAddress, 'to mad');
  await nextRoute(at.ams);
  await until(async () => !(await isForgotten(mad, circuitId)));
  const again = await par.of.dial({ port: at.port, script: routed, lastConnectionId: header.connectionId.required(par.welcome) });
  assert.deepEqual(unroute.decode((await again.next(unroute)).body), { circuitId, now: true });
});

test('where a lost router cannot be gone around, its circuits stay, for it may still hand on', async () => {
  await using at = await mesh();
  const par = await at.join('par1');
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  const circuitId = await at.circuit();
  par.close();
  await until(async () => !(await isOnline(at.network, par.id)));
  await settled(at.fra);
  assert.equal(await isForgotten(at.fra, circuitId), false);
});

test('a router that is not back after five minutes is given up: its circuits end, and it hears of that when it comes', async () => {
  await using at = await mesh();
  await at.link('direct', at.fra, at.ams);
  const circuitId = await at.circuit();
  at.ams.close();
  await until(async () => !(await isOnline(at.network, at.ams.id)));
  at.network.clock.advance('299s');
  assert.equal(at.fra.signal.aborted, true, 'heartbeats were not answered while the clock ran');
  const lastConnectionId = header.connectionId.required(at.fra.welcome);
  const fra = { ...(await at.fra.of.dial({ port: at.port, script: routed, lastConnectionId })), id: at.fra.id, of: at.fra.of };
  assert.equal(await isForgotten(fra, circuitId), false);
  at.network.clock.advance('1s');
  assert.deepEqual(await nextUnroute(fra), { circuitId, now: true });
  const again = await at.ams.of.dial({ port: at.port, lastConnectionId: header.connectionId.required(at.ams.welcome) });
  assert.deepEqual(unroute.decode((await again.next(unroute)).body), { circuitId, now: true });
});

test('a router that was started anew has no circuits any more; one that only connects again has them still', async () => {
  await using at = await mesh();
  await at.link('direct', at.fra, at.ams);
  const circuitId = await at.circuit();
  const comeAgain = async (lastConnectionId?: string) => {
    at.ams.close();
    await until(async () => !(await isOnline(at.network, at.ams.id)));
    at.ams = { ...at.ams, ...(await at.ams.of.dial({ port: at.port, script: routed, ...(lastConnectionId ? { lastConnectionId } : {}) })) };
  };
  await comeAgain(header.connectionId.required(at.ams.welcome));
  assert.equal(await isForgotten(at.fra, circuitId), false);
  await comeAgain();
  for (const router of [at.fra, at.ams]) assert.deepEqual(await nextUnroute(router), { circuitId, now: true });
});

test('a link that carries many circuits breaks: some are moved at once, and all in the end', async () => {
  await using at = await mesh();
  const COUNT = 200;
  const waiting: (() => void)[] = [];
  let most = 0;
  const par = await withDetour(at, {
    [route.name]: (frame, router) => {
      waiting.push(() => routed[route.name]?.(frame, router));
      most = Math.max(most, waiting.length);
    },
  });
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const ids = await Promise.all(Array.from({ length: COUNT }, () => at.circuit(token)));
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  let answered = 0;
  await until(() => {
    const some = waiting.splice(0, waiting.length >= 64 || COUNT - answered < 64 ? waiting.length : 0);
    for (const answer of some) answer();
    answered += some.length;
    return answered === COUNT;
  });
  assert.equal(most, 64);
  await settled(par);
  at.fra.send(circuitConfirmation, { circuitIds: [...ids, 'mark'] });
  assert.equal((await nextUnroute(at.fra)).circuitId, 'mark');
});

test('circuits that wait too long for their turn end without it', async () => {
  await using at = await mesh();
  let asked = 0;
  await withDetour(at, { [route.name]: () => void asked++ });
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const ids = await Promise.all(Array.from({ length: 460 }, () => at.circuit(token)));
  at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
  // 64 at once, each for five seconds: during the first 30 seconds that is seven times.
  for (let turn = 1; turn <= 7; turn++) {
    await until(() => asked === 64 * turn);
    at.network.clock.advance('5s');
    await settled(at.fra);
  }
  const ended = new Set<string>();
  while (ended.size < ids.length) ended.add((await nextUnroute(at.fra)).circuitId);
  assert.equal(asked, 448);
});

test('a router in the middle that is disabled is gone around', async () => {
  await using at = await mesh();
  const [par, mad] = [await at.join('par1'), await at.join('mad1')];
  await at.link('to par', at.fra, par);
  await at.link('from par', par, at.ams);
  const circuitId = await at.circuit();
  await at.link('to mad', at.fra, mad);
  await at.link('from mad', mad, at.ams);
  await at.network.controller.api.edgeRouters.patch({ id: par.id, body: { disabled: true } });
  assert.equal((await nextRoute(mad)).circuitId, circuitId);
  await until(async () => !(await isForgotten(mad, circuitId)));
});

test('a router that connects again and does not name a link has it no more', async () => {
  await using at = await mesh();
  const par = await withDetour(at);
  const circuitId = await at.circuit();
  at.fra.close();
  await until(async () => !(await isOnline(at.network, at.fra.id)));
  const lastConnectionId = header.connectionId.required(at.fra.welcome);
  const again = await at.fra.of.dial({ port: at.port, script: routed, lastConnectionId });
  again.send(routerLinks, { links: [{ id: 'to par', destRouterId: par.id, iteration: 1 }] });
  assert.deepEqual((await nextRoute(par)).circuitId, circuitId);
});

test('a circuit that may stay stays also when it was moved too often', async () => {
  await using at = await mesh();
  const circuitId = await (async () => {
    await at.link('0', at.fra, at.ams);
    return at.circuit();
  })();
  for (let i = 1; i <= 5; i++) {
    await at.link(`${i}`, at.fra, at.ams);
    at.fra.send(fault, { subject: 'linkDuplicate', id: `${i - 1}`, iteration: 1 });
    await until(async () => !(await isForgotten(at.fra, circuitId)));
  }
  assert.equal(await isForgotten(at.ams, circuitId), false);
});
