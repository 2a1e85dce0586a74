import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../adapters/observability/metrics.ts';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { createClient } from '../../../client/index.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { testNetwork } from '../../../testing/index.ts';
import { readExposition, valueIn } from '../../support/exposition.ts';
import { until } from '../../support/until.ts';
import { type FabricApi, fabricApi } from './fabric-api.ts';
import { isOnline } from './support.ts';
import { bindBy, CONNECTION, dialBy, routed, settled, traffic, withCircuit, withSecond } from './traffic.ts';

const { route, unroute, fault } = messages.circuits;
const { routerLinks, linkState } = messages.links;
const { metrics } = messages.routers;

test('metrics have the links, circuits, routers and terminators of this moment, and the bytes that routers report', async () => {
  await using at = await traffic();
  const { ams1, second } = await withCircuit(at);
  const { controller } = at.network;
  const values = async () => {
    const families = readExposition(await createMetrics().text(controller));
    return (name: string, labels = {}) => valueIn(families, `overlay_controller_${name}`, labels);
  };
  const before = await values();
  assert.deepEqual(
    ['links', 'circuits', 'connected_routers', 'carried_bytes'].map((name) => before(name)),
    [1, 1, 2, undefined],
  );
  for (const [kind, count] of Object.entries({ terminator: 1, edgeRouter: 2, router: 2 }))
    assert.equal(before('entities', { kind }), count);
  /** As routers report: with meters of other things, and of single links. */
  const report = (counts: Readonly<Record<string, bigint>>) => ({
    meters: new Map(Object.entries(counts).map(([name, count]) => [name, { count }])),
  });
  at.router.send(metrics, report({ 'ingress.rx.bytesrate': 1000n, 'fabric.tx.bytesrate': 900n, 'ingress.rx.msgrate': 7n }));
  second.send(metrics, report({ 'ingress.rx.bytesrate': 20n, 'egress.tx.bytesrate': 5n, 'link.link.tx.bytesrate': 3n }));
  at.router.send(metrics, report({ 'fabric.tx.bytesrate': 5_000_000_000n }));
  await Promise.all([settled(at.router), settled(second)]);
  assert.deepEqual((await controller.statistics()).traffic, {
    links: 1,
    circuits: 1,
    bytes: { 'ingress.rx': 1020, 'egress.tx': 5, 'fabric.tx': 5_000_000_000 },
  });
  assert.equal((await values())('carried_bytes', { point: 'fabric.tx' }), 5_000_000_000);
  const one = await controller.statistics({ routers: 1 });
  assert.deepEqual([one.traffic.byRouter?.length, one.traffic.byLink?.length], [1, 1]);
  const series = readExposition(await createMetrics({ routers: 10 }).text(controller));
  const each = (name: string, labels = {}) => valueIn(series, `overlay_controller_${name}`, labels);
  assert.equal(each('router_carried_bytes', { router: ams1.id, point: 'ingress.rx' }), 20);
  assert.deepEqual([each('router_circuits', { router: at.fra1.id }), each('router_circuits', { router: ams1.id })], [1, 1]);
  const [link] = (await controller.api.links.list()).data;
  const ends = { link: link?.id ?? '', from: link?.sourceRouter.id ?? '', to: link?.destRouter.id ?? '' };
  assert.deepEqual([each('link_circuits', ends), each('link_cost', ends), each('link_down', ends)], [1, link?.cost, 0]);
  assert.equal(each('link_latency_seconds', { ...ends, end: 'from' }), 0);
  const few = readExposition(await createMetrics({ routers: 1 }).text(controller));
  assert.equal(valueIn(few, 'overlay_controller_series_omitted', { of: 'router' }), 1);
  assert.ok(![...readExposition(await createMetrics().text(controller)).keys()].some((name) => /_(?:router|link)_/.test(name)));
  second.close();
  await until(async () => !(await isOnline(at.network, ams1.id)));
  assert.deepEqual((await controller.statistics()).traffic.bytes, { 'ingress.rx': 1000, 'fabric.tx': 5_000_000_000 });
});

/** The name by which an answer points at an entity, and where. */
const reference = (entity: string, id: string, name: string, ...below: readonly string[]) => ({
  _links: Object.fromEntries([
    ['self', { href: `./${entity}/${id}` }],
    ...below.map((list) => [list, { href: `./${entity}/${id}/${list}` }]),
  ]),
  entity,
  id,
  name,
});

const routerReference = ({ id, name }: { readonly id: string; readonly name: string }) => reference('routers', id, name, 'terminators');

const assertNotFound = async (api: FabricApi, method: string, path: string) => {
  const { status, body } = await api.call(method, path);
  assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND'], `${method} ${path}`);
};

test('a link is shown as its router reports it', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { ams1 } = await withCircuit(at);
  const { status, body } = await api.call('GET', '/links');
  assert.equal(status, 200);
  const shown = {
    id: 'link',
    protocol: 'tls',
    dialAddress: 'tls:ams1.test:6000',
    sourceRouter: routerReference(at.fra1),
    destRouter: routerReference(ams1),
    state: 'Connected',
    down: false,
    staticCost: 1,
    sourceLatency: 0,
    destLatency: 0,
    cost: 1,
    iteration: 3,
    connections: [{ type: CONNECTION.type, source: CONNECTION.localAddr, dest: CONNECTION.remoteAddr }],
  };
  assert.deepEqual(body.data, [shown]);
  assert.deepEqual(body.meta.pagination, { limit: 10, offset: 0, totalCount: 1 });
  assert.deepEqual((await api.call('GET', '/links/link')).body.data, shown);

  const conns = Array.from({ length: 40 }, () => ({ ...CONNECTION, type: 'x'.repeat(1000) }));
  at.router.send(linkState, { linkId: 'link', linkIteration: 2, connState: { conns: [] } }); // of an iteration that is over
  await settled(at.router);
  assert.equal((await api.call('GET', '/links/link')).body.data.connections.length, 1);
  at.router.send(linkState, { linkId: 'link', linkIteration: 3, connState: { stateIteration: 2, conns } });
  at.router.send(linkState, { linkId: 'nothing', linkIteration: 3, connState: { conns } });
  await settled(at.router);
  const { connections } = (await api.call('GET', '/links/link')).body.data;
  assert.deepEqual([connections.length, connections[0].type], [16, 'x'.repeat(255)]);
});

test('a link with ids that no router gives is none, and does not take the others with it', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const long = 'x'.repeat(256);
  at.router.send(routerLinks, {
    links: [
      { id: long, destRouterId: 'elsewhere', iteration: 1 },
      { id: 'far', destRouterId: long, iteration: 1 },
      { id: '\u001b[2Jgone', destRouterId: 'elsewhere', iteration: 1 },
      { id: 'near', destRouterId: 'else\nwhere', iteration: 1 },
      { id: 'sound', destRouterId: 'elsewhere', iteration: 1 },
    ],
  });
  await settled(at.router);
  assert.deepEqual(await api.ids('/links'), ['sound']);
});

test('links that a router reports in great number, with ids of its choice, displace none of another router from the metrics', async () => {
  await using at = await traffic();
  const { second } = await withCircuit(at);
  const many = Array.from({ length: 5 }, (_, index) => ({
    ...{ id: `0${index}`, destRouterId: at.fra1.id, linkProtocol: 'tls', dialAddress: 'tls:fra1.test:6000', iteration: 1 },
    connState: { stateIteration: 1, conns: [CONNECTION] },
  }));
  second.send(routerLinks, { links: many });
  await settled(second);
  const listed = async (routers: number) => (await at.network.controller.statistics({ routers })).traffic.byLink?.map(({ id }) => id);
  assert.deepEqual(await listed(3), ['00', 'link', '01']);
  assert.deepEqual(await listed(10), ['00', 'link', '01', '02', '03', '04']);
});

test('a circuit is shown with its client, its service, its terminator and its way', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { ams1, circuitId } = await withCircuit(at);
  const now = new Date(at.network.clock.now()).toISOString();
  const shown = {
    _links: { self: { href: `./circuits/${circuitId}` } },
    id: circuitId,
    createdAt: now,
    updatedAt: now,
    tags: {},
    clientId: at.client.id,
    service: reference('services', at.serviceId, 'web', 'terminators'),
    terminator: reference('terminators', 'terminator', 'terminator'),
    path: { nodes: [routerReference(at.fra1), routerReference(ams1)], links: [reference('links', 'link', 'link')] },
  };
  assert.deepEqual((await api.call('GET', '/circuits')).body.data, [shown]);
  assert.deepEqual((await api.call('GET', `/circuits/${circuitId}`)).body.data, shown);
});

test('a router that is connected shows where others reach it and what it runs; its hosted terminators are listed below it', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { ams1, second } = await withCircuit(at);
  const get = async () => (await api.call('GET', `/routers/${ams1.id}`)).body.data;
  const versionInfo = { version: 'v1.7.2', revision: 'test', buildDate: '2026-01-01 00:00:00', os: 'linux', arch: 'amd64' };
  const listenerAddresses = [{ address: `tls:${ams1.id}.test:6000`, protocol: 'tls' }];
  assert.partialDeepStrictEqual(await get(), { name: 'ams1', connected: true, listenerAddresses, versionInfo });
  assert.deepEqual(await api.ids(`/routers/${ams1.id}/terminators`), ['terminator']);
  assert.deepEqual(await api.ids(`/routers/${at.fra1.id}/terminators`), []);
  assert.deepEqual(await api.ids(`/services/${at.serviceId}/terminators`), ['terminator']);
  const terminator = (await api.call('GET', '/terminators/terminator')).body.data;
  assert.partialDeepStrictEqual(terminator, { binding: 'edge', routerId: ams1.id, serviceId: at.serviceId, hostId: at.host.id });
  second.close();
  await until(async () => !(await isOnline(at.network, ams1.id)));
  const gone = await get();
  assert.deepEqual([gone.connected, gone.listenerAddresses, gone.versionInfo], [false, [], undefined]);
});

test('a circuit that is deleted ends at once on all its routers, and nothing else does', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { second, circuitId } = await withCircuit(at);
  const other = await dialBy(at);
  assert.ok(other.isMade);
  assert.deepEqual((await api.call('DELETE', `/circuits/${circuitId}`)).body.data, {});
  for (const router of [at.router, second]) assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId, now: true });
  assert.deepEqual(await api.ids('/circuits'), [other.id]);
  assert.deepEqual(await api.ids('/links'), ['link']);
  await assertNotFound(api, 'GET', `/circuits/${circuitId}`);
  await assertNotFound(api, 'DELETE', `/circuits/${circuitId}`);
  assert.deepEqual((await api.call('DELETE', `/circuits/${other.id}`)).status, 200);
  for (const router of [at.router, second]) assert.equal(unroute.decode((await router.next(unroute)).body).circuitId, other.id);
});

test('a circuit that is deleted while a router on its way is away ends there when it comes again', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { ams1, second, circuitId } = await withCircuit(at);
  second.close();
  await until(async () => !(await isOnline(at.network, ams1.id)));
  // Whether the router still carries it is not known.
  assert.ok(!(await api.ids('/circuits')).includes(circuitId));
  assert.equal((await api.call('DELETE', `/circuits/${circuitId}`)).status, 200);
  const again = await ams1.dial({ port: at.port, script: routed });
  assert.deepEqual(unroute.decode((await again.next(unroute)).body), { circuitId, now: true });
});

test('a link that is deleted is closed by both its routers, and the circuits over it end', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { second, circuitId } = await withCircuit(at);
  at.router.send(routerLinks, { links: [{ id: 'other', destRouterId: 'elsewhere', iteration: 1 }] });
  await settled(at.router);
  assert.deepEqual((await api.call('DELETE', '/links/link')).body.data, {});
  for (const router of [at.router, second]) {
    assert.deepEqual(fault.decode((await router.next(fault)).body), { subject: 'link', id: 'link', iteration: 3 });
    assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId, now: true });
  }
  assert.deepEqual(await api.ids('/links'), ['other']);
  assert.deepEqual(await api.ids('/circuits'), []);
  await assertNotFound(api, 'GET', '/links/link');
  await assertNotFound(api, 'DELETE', '/links/link');
  // A router that is not there hears nothing, and its link is gone all the same.
  assert.equal((await api.call('DELETE', '/links/other')).status, 200);
  assert.deepEqual(fault.decode((await at.router.next(fault)).body), { subject: 'link', id: 'other', iteration: 1 });
  assert.equal((await dialBy(at)).isMade, false);
});

test('a circuit that is being set up over a link is not made when the link is deleted meanwhile', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const answers: (() => void)[] = [];
  const slowly: typeof routed = { [route.name]: (frame, router) => void answers.push(() => routed[route.name]?.(frame, router)) };
  const { ams1, second, hosting } = await withSecond(at, slowly);
  await bindBy(hosting, 'terminator');
  at.router.send(routerLinks, { links: [{ id: 'link', destRouterId: ams1.id, iteration: 1 }] });
  await settled(at.router);
  const dialing = dialBy(at);
  const { circuitId } = route.decode((await second.next(route)).body);
  assert.deepEqual(await api.ids('/circuits'), []);
  assert.equal((await api.call('DELETE', '/links/link')).status, 200);
  for (const answer of answers) answer();
  assert.equal((await dialing).isMade, false);
  for (const router of [at.router, second]) assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId, now: true });
  assert.deepEqual(await api.ids('/circuits'), []);
});

test('lists of links and circuits are filtered, ordered and paged like all others', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { ams1, circuitId } = await withCircuit(at);
  at.router.send(routerLinks, {
    links: [
      { id: 'b', destRouterId: ams1.id, linkProtocol: 'wss', iteration: 1 },
      { id: 'a', destRouterId: ams1.id, linkProtocol: 'tls', iteration: 7 },
    ],
  });
  await settled(at.router);
  at.network.clock.advance('1s');
  const later = await dialBy(at);
  assert.ok(later.isMade);
  const listed = (collection: string, query: Readonly<Record<string, string>>) => api.ids(`/${collection}?${new URLSearchParams(query)}`);
  assert.deepEqual(await listed('links', {}), ['a', 'b', 'link']);
  assert.deepEqual(await listed('links', { filter: 'protocol = "tls" and iteration > 3' }), ['a']);
  assert.deepEqual(await listed('links', { filter: `destRouter = "${ams1.id}"`, sort: 'iteration desc' }), ['a', 'link', 'b']);
  assert.deepEqual(await listed('links', { filter: `sourceRouter = "${ams1.id}" or down = true or state != "Connected"` }), []);
  assert.deepEqual(await listed('links', { filter: 'dialAddress contains "ams1" limit 1' }), ['link']);
  assert.deepEqual(await listed('links', { sort: 'protocol desc, id', limit: '2', offset: '1' }), ['a', 'link']);
  const pageOf = async (query: string) => (await api.call('GET', `/links?${query}`)).body.meta.pagination;
  assert.deepEqual(await pageOf('limit=1&offset=1'), { limit: 1, offset: 1, totalCount: 3 });
  assert.deepEqual(await pageOf('limit=1&filter=protocol%3D%22tls%22'), { limit: 1, offset: 0, totalCount: 2 });
  assert.deepEqual((await pageOf('limit=5000')).limit, 500);

  assert.deepEqual(await listed('circuits', { sort: 'createdAt desc' }), [later.id, circuitId]);
  assert.deepEqual(
    await listed('circuits', { filter: `clientId = "${at.client.id}" and service = "${at.serviceId}" limit none` }).then(
      (ids) => ids.length,
    ),
    2,
  );
  assert.deepEqual(await listed('circuits', { filter: 'terminator = "nothing"' }), []);
  const [first] = (await api.call('GET', `/circuits/${circuitId}`)).body.data.path.links;
  assert.ok((await listed('circuits', { filter: `anyOf(path.links) = "${first.id}"` })).includes(circuitId));
  assert.equal((await listed('circuits', { filter: `anyOf(path.nodes) = "${ams1.id}"` })).length, 2);
  const soon = new Date(at.network.clock.now()).toISOString();
  assert.deepEqual(await listed('circuits', { filter: `createdAt < datetime(${soon})` }), [circuitId]);
});

test('an invalid filter, order or size is refused', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  await withCircuit(at);
  const refused = async (path: string) => {
    const { status, body } = await api.call('GET', path);
    return [status, body.error.code, body.error.cause.field];
  };
  for (const list of ['/links', '/circuits']) {
    assert.deepEqual(await refused(`${list}?filter=nothing=5`), [400, 'INVALID_FILTER', undefined]);
    assert.deepEqual(await refused(`${list}?sort=nothing`), [400, 'INVALID_SORT_IDENTIFIER', undefined]);
    assert.deepEqual(await refused(`${list}?limit=many`), [400, 'COULD_NOT_VALIDATE', 'limit']);
  }
});

test('only an administrator sees and ends what carries the traffic', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { circuitId } = await withCircuit(at);
  for (const as of [null, 'nonsense', at.dialing.token])
    for (const [method, path] of [
      ['GET', '/links'],
      ['GET', '/links/link'],
      ['DELETE', '/links/link'],
      ['GET', '/circuits'],
      ['GET', `/circuits/${circuitId}`],
      ['DELETE', `/circuits/${circuitId}`],
    ] as const) {
      const { status, body } = await api.call(method, path, { as });
      assert.deepEqual([status, body.error.code], [401, 'UNAUTHORIZED'], `${method} ${path} as ${as}`);
    }
  assert.deepEqual(await api.ids('/links'), ['link']);
  assert.deepEqual(await api.ids('/circuits'), [circuitId]);
});

test('a delegate sees, changes and ends only what belongs to the entities of its scopes', async () => {
  await using at = await traffic();
  await using api = await fabricApi(at.network);
  const { ams1, circuitId } = await withCircuit(at);
  const { controller } = at.network;
  const MINE = { roleAttributes: ['mine'] };
  const delegate = await controller.api.identities.create({
    body: {
      name: 'delegate',
      type: 'User',
      isAdmin: false,
      permissions: ['ops'],
      scopedPermissions: { identity: MINE, service: MINE, router: MINE },
    },
  });
  const { circuits, links } = controller.asIdentity(delegate.id);
  const notFound = { code: 'NOT_FOUND' };
  const hidden = async () => {
    assert.deepEqual((await circuits.list()).data, []);
    await assert.rejects(circuits.get({ id: circuitId }), notFound);
    await assert.rejects(circuits.delete({ id: circuitId }), notFound);
  };
  await hidden();
  assert.deepEqual((await links.list()).data, []);
  await assert.rejects(links.get({ id: 'link' }), notFound);
  await assert.rejects(links.patch({ id: 'link', body: { down: true } }), notFound);
  await assert.rejects(links.delete({ id: 'link' }), notFound);
  await controller.api.identities.addRoleAttributes({ id: at.client.id, body: MINE });
  await hidden();
  await controller.api.services.addRoleAttributes({ id: at.serviceId, body: MINE });
  await controller.api.edgeRouters.addRoleAttributes({ id: at.fra1.id, body: MINE });
  const nodes = (await circuits.get({ id: circuitId })).path.nodes;
  assert.deepEqual(
    nodes.map(({ id, name }) => [id, name]),
    [
      [at.fra1.id, 'fra1'],
      [ams1.id, undefined],
    ],
    'a router outside of the scope has no name',
  );
  assert.deepEqual((await links.list()).data, [], 'one end of the link is outside of the scope');
  await controller.api.edgeRouters.addRoleAttributes({ id: ams1.id, body: MINE });
  await links.patch({ id: 'link', body: { staticCost: 5 } });
  assert.equal((await links.get({ id: 'link' })).staticCost, 5);
  assert.deepEqual(await api.ids('/circuits'), [circuitId]);
  await circuits.delete({ id: circuitId });
  await links.delete({ id: 'link' });
  assert.deepEqual([...(await api.ids('/circuits')), ...(await api.ids('/links'))], []);
});

test('a delegate does not end the circuits of an administrator, as it does not end the sessions', async () => {
  await using at = await traffic();
  const { circuitId } = await withCircuit(at);
  const { controller } = at.network;
  await controller.api.identities.patch({ id: at.client.id, body: { isAdmin: true } });
  const delegate = await controller.api.identities.create({
    body: { name: 'on call', type: 'User', isAdmin: false, permissions: ['ops'] },
  });
  const { circuits } = controller.asIdentity(delegate.id);
  await assert.rejects(circuits.delete({ id: circuitId }), { code: 'UNAUTHORIZED' });
  assert.equal((await controller.api.circuits.get({ id: circuitId })).id, circuitId);
});

test('a scope on routers alone also keeps a delegate from the events of links and circuits', async () => {
  await using at = await traffic();
  const { controller } = at.network;
  const ofScope = async (name: string, scopedPermissions: Readonly<Record<string, { readonly roleAttributes: readonly string[] }>>) => {
    const { id } = await controller.api.identities.create({
      body: { name, type: 'User', isAdmin: false, permissions: ['ops.read'], scopedPermissions },
    });
    const events = controller
      .asIdentity(id)
      .networkEvents.follow({ types: ['link', 'circuit'] })
      [Symbol.asyncIterator]();
    const opened = await events.next().then(
      () => true,
      () => false,
    );
    await events.return?.();
    return opened;
  };
  const MINE = { roleAttributes: ['mine'] };
  assert.deepEqual(
    [await ofScope('one', { router: MINE }), await ofScope('two', { identity: MINE }), await ofScope('all', {})],
    [false, false, true],
  );
});

test('permissions on circuits and links alone cover those of all entities', async () => {
  await using at = await traffic();
  const { circuitId } = await withCircuit(at);
  const { controller } = at.network;
  const operator = await controller.api.identities.create({
    body: { name: 'on call', type: 'User', isAdmin: false, permissions: ['ops'] },
  });
  const { circuits, links } = controller.asIdentity(operator.id);
  assert.deepEqual(
    [(await circuits.list()).data, (await links.list()).data].map(([first]) => first?.id),
    [circuitId, 'link'],
  );
  await links.patch({ id: 'link', body: { staticCost: 5 } });
  await circuits.delete({ id: circuitId });
});

test('the host and the typed client read and end the same', async () => {
  await using at = await traffic();
  const { circuitId } = await withCircuit(at);
  const { controller } = at.network;
  const { data } = await controller.api.circuits.list({ filter: `clientId = "${at.client.id}"` });
  assert.deepEqual(
    data.map(({ id }) => id),
    [circuitId],
  );
  const { token } = await (await at.network.administrator('operator')).login();
  const operator = createClient({ baseUrl: 'https://controller.test', credentials: { session: token }, fetch: at.network.fetch });
  assert.equal((await operator.links.get({ id: 'link' })).sourceRouter.name, 'fra1');
  await operator.links.delete({ id: 'link' });
  assert.deepEqual((await controller.api.circuits.list({})).data, []);
  await assert.rejects(controller.api.circuits.delete({ id: circuitId }), { code: 'NOT_FOUND' });
});

test('of several controllers on one store each shows and ends what its own routers have', async () => {
  const storage = memoryStorage();
  await using at = await traffic(routed, 'API session', { storage });
  const { circuitId } = await withCircuit(at);
  await using elsewhere = await testNetwork({ storage });
  const { fabricRouters, links, circuits } = elsewhere.controller.api;
  assert.deepEqual((await links.list()).data, []);
  assert.deepEqual((await circuits.list()).data, []);
  assert.equal((await fabricRouters.get({ id: at.fra1.id })).connected, false);
  await assert.rejects(circuits.delete({ id: circuitId }), { code: 'NOT_FOUND' });
  await assert.rejects(links.delete({ id: 'link' }), { code: 'NOT_FOUND' });
  const here = at.network.controller;
  assert.equal((await here.api.circuits.get({ id: circuitId })).id, circuitId);
  assert.equal((await here.api.links.get({ id: 'link' })).id, 'link');
});
