import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { metricsReport } from '../../../src/fabric/control-channel/messages/metrics.ts';
import type { NetworkEvent, NetworkEventKind } from '../../../src/index.ts';
import { until } from '../../support/until.ts';
import { isOnline } from './support.ts';
import { bindBy, dialBy, settled, type Traffic, tokenFor, traffic, withSecond } from './traffic.ts';

const { routerLinks, linkState } = messages.links;
const { fault, route, routeResult } = messages.circuits;
const { alerts, connectEvents } = messages.routers;

/** Hears events of some kinds. */
const hearing = <K extends NetworkEventKind>({ network }: Pick<Traffic, 'network'>, ...kinds: readonly K[]) => {
  const heard: NetworkEvent[] = [];
  for (const kind of kinds) network.controller.networkEvents.on(kind, (event) => void heard.push(event));
  return heard;
};

/** The events without the fields that differ between runs. */
const withoutHead = (events: readonly NetworkEvent[]) =>
  events.map(({ event_src_id: _, timestamp: __, ...event }: Readonly<Record<string, unknown>>) => event);

test('a circuit has events when it is set up and when it ends, as has a dial that fails', async () => {
  await using at = await traffic();
  const heard = hearing(at, 'circuit', 'service');
  assert.equal((await dialBy(at)).isMade, false);
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  await at.network.controller.api.circuits.delete({ id: made.id });
  const circuits = await at.network.controller.api.terminators.list({});
  const [terminator] = circuits.data;
  const [failed, created, deleted, ...others] = withoutHead(heard);
  assert.deepEqual(others, []);
  const { identityId: clientId } = at.dialing;
  const tags = { clientId, hostId: at.hosting.identityId, serviceId: at.serviceId };
  assert.partialDeepStrictEqual(failed, {
    namespace: 'circuit',
    version: 2,
    event_type: 'failed',
    service_id: at.serviceId,
    terminator_id: '',
    path: { nodes: null, links: null, ingress_id: '', egress_id: '' },
    link_count: 0,
    failure_cause: 'NO_TERMINATORS',
    tags: { clientId, serviceId: at.serviceId },
  });
  const common = {
    circuit_id: made.id,
    service_id: at.serviceId,
    terminator_id: terminator?.id,
    instance_id: '',
    link_count: 0,
    tags,
  };
  assert.partialDeepStrictEqual(created, { ...common, event_type: 'created', path: { nodes: [at.fra1.id], links: null }, path_cost: 0 });
  assert.partialDeepStrictEqual(deleted, { ...common, event_type: 'deleted', path: { nodes: [at.fra1.id], links: null } });
  at.network.clock.advance('1m');
  const dials = withoutHead(heard).slice(3);
  const minute = { namespace: 'service', version: 2, service_id: at.serviceId, count: 1, interval_length: 60 };
  assert.partialDeepStrictEqual(dials, [
    { ...minute, event_type: 'service.dial.error_other', terminator_id: '' },
    { ...minute, event_type: 'service.dial.success', terminator_id: terminator?.id ?? '' },
  ]);
});

test('a dial that fails at the host has an event with the terminator and the path that were tried', async () => {
  await using at = await traffic({
    [route.name]: (frame, router) =>
      router.answer(frame, routeResult, '', [
        routeHeader.attempt.of(route.decode(frame.body).attempt),
        routeHeader.success.of(false),
        routeHeader.error.of('connection refused'),
      ]),
  });
  await bindBy(at, 'terminator');
  const heard = hearing(at, 'circuit');
  assert.equal((await dialBy(at)).isMade, false);
  const [terminator] = (await at.network.controller.api.terminators.list({})).data;
  assert.partialDeepStrictEqual(withoutHead(heard), [
    {
      event_type: 'failed',
      terminator_id: terminator?.id,
      path: { nodes: [at.fra1.id], links: null },
      link_count: 0,
      path_cost: 0,
      failure_cause: 'ROUTER_ERR_GENERIC',
      tags: { clientId: at.dialing.identityId, hostId: at.hosting.identityId, serviceId: at.serviceId },
    },
  ]);
  const [failed] = heard;
  assert.ok(failed && 'path' in failed && failed.path.ingress_id && failed.path.egress_id);
});

test('a terminator has events when its router connects and when it is gone, with the identity of its host', async () => {
  await using at = await traffic();
  const [ofService] = [await at.network.service('shop')];
  const heard = hearing(at, 'terminator');
  const ams1 = await at.network.edgeRouter('ams1');
  const body = { service: ofService.id, router: ams1.id, binding: 'transport', address: 'tcp:10.0.0.1:80' };
  await at.network.controller.api.terminators.create({ body });
  const router = await ams1.dial({ port: at.port });
  await until(() => heard.length === 2);
  router.close();
  await until(() => heard.length === 3);
  await bindBy(at, 'hosted');
  await until(() => heard.length === 4);
  const common = { namespace: 'terminator', service_id: ofService.id, router_id: ams1.id, host_id: '', total_terminators: 1 };
  assert.partialDeepStrictEqual(withoutHead(heard), [
    { ...common, event_type: 'created', router_online: false },
    { ...common, event_type: 'router-online', router_online: true, usable_default_terminators: 1 },
    { ...common, event_type: 'router-offline', router_online: false, usable_default_terminators: 0 },
    { event_type: 'created', router_id: at.fra1.id, host_id: at.hosting.identityId },
  ]);
});

test('a session of a client with signed tokens, which is not stored, has an event when it begins', async () => {
  await using at = await traffic(undefined, 'OpenID Connect');
  const heard = hearing(at, 'session');
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const about = { session_type: 'Dial', provider: 'jwt', token: '', identity_id: at.dialing.identityId, service_id: at.serviceId };
  assert.partialDeepStrictEqual(withoutHead(heard), [{ namespace: 'session', event_type: 'created', ...about }]);
  assert.ok(!JSON.stringify(heard).includes(token));
});

test('a router has events when it connects and when it is gone', async () => {
  await using at = await traffic();
  const heard = hearing(at, 'router', 'connect');
  const { ams1, second } = await withSecond(at);
  second.close();
  await until(async () => !(await isOnline(at.network, ams1.id)));
  assert.partialDeepStrictEqual(withoutHead(heard), [
    { namespace: 'router', event_type: 'router-online', router_id: ams1.id, router_online: true },
    { namespace: 'connect', src_type: 'router', dst_type: 'ctrl', src_id: ams1.id, src_addr: '127.0.0.1' },
    { namespace: 'router', event_type: 'router-offline', router_id: ams1.id, router_online: false },
  ]);
});

test('a link has events when it is new, when its connections change, and when it fails; a fault of an unknown link has only its id', async () => {
  await using at = await traffic();
  const { ams1, second } = await withSecond(at);
  const heard = hearing(at, 'link');
  const conns = [{ type: 'link.default', localAddr: 'tcp:10.0.0.1:45000', remoteAddr: 'tcp:10.0.0.2:6000' }];
  const link = { id: 'link', destRouterId: ams1.id, linkProtocol: 'tls', dialAddress: 'tls:ams1.test:6000', iteration: 3 };
  at.router.send(routerLinks, { links: [{ ...link, connState: { stateIteration: 1, conns } }] });
  at.router.send(linkState, { linkId: 'link', linkIteration: 3, connState: { stateIteration: 2, conns: [] } });
  // Another router cannot speak of it.
  await settled(at.router);
  second.send(linkState, { linkId: 'link', linkIteration: 3, connState: { stateIteration: 3, conns } });
  await settled(second);
  at.router.send(fault, { subject: 'link', id: 'link', iteration: 3 });
  at.router.send(fault, { subject: 'link', id: 'nowhere', iteration: 1 });
  await settled(at.router);
  const ends = { src_router_id: at.fra1.id, dst_router_id: ams1.id, protocol: 'tls', dial_address: 'tls:ams1.test:6000', cost: 1 };
  assert.deepEqual(withoutHead(heard), [
    {
      namespace: 'link',
      event_type: 'routerLinkNew',
      link_id: 'link',
      ...ends,
      connections: [{ id: 'link.default', local_addr: 'tcp:10.0.0.1:45000', remote_addr: 'tcp:10.0.0.2:6000' }],
    },
    { namespace: 'link', event_type: 'connectionsChanged', link_id: 'link' },
    { namespace: 'link', event_type: 'fault', link_id: 'link', ...ends },
    { namespace: 'link', event_type: 'fault', link_id: 'nowhere' },
  ]);
});

test('an identity has events for its state over all routers, and for each of its connections', async () => {
  await using at = await traffic();
  const { second } = await withSecond(at);
  const heard = hearing(at, 'sdk', 'connect');
  const { identityId } = at.dialing;
  const connectTimes = [{ connectTime: 1795897772702n, srcAddr: '10.0.0.1:46308', dstAddr: '10.0.0.2:29128' }];
  for (const router of [at.router, second]) {
    router.send(connectEvents, { events: [{ identityId, isConnected: true, connectTimes: router === second ? connectTimes : [] }] });
    await settled(router);
  }
  at.router.send(connectEvents, { events: [{ identityId }, { identityId: 'nobody', isConnected: true, connectTimes }] });
  await settled(at.router);
  const [online, connected, ...others] = heard;
  assert.deepEqual(others, [], 'it is still connected to the second router, and nobody is not an identity');
  assert.deepEqual(withoutHead(online ? [online] : []), [{ namespace: 'sdk', event_type: 'sdk-online', identity_id: identityId }]);
  assert.partialDeepStrictEqual(connected, {
    timestamp: '2026-11-28T20:29:32.702Z',
    src_type: 'identity',
    dst_type: 'router',
    src_id: identityId,
    src_addr: '10.0.0.1:46308',
    dst_addr: '10.0.0.2:29128',
  });
  second.close();
  await until(() => heard.length === 3);
  at.network.clock.advance('6m');
  assert.deepEqual(withoutHead(heard.slice(2)), [
    { namespace: 'sdk', event_type: 'sdk-status-unknown', identity_id: identityId },
    { namespace: 'sdk', event_type: 'sdk-offline', identity_id: identityId },
  ]);
});

test('events of links, metrics and connections have no control characters that a terminal obeys', async () => {
  await using at = await traffic();
  const { ams1 } = await withSecond(at);
  const heard = hearing(at, 'link', 'metrics', 'connect');
  const evil = '\u001b[2J';
  at.router.send(routerLinks, { links: [{ id: evil, destRouterId: ams1.id, iteration: 1 }] });
  at.router.send(fault, { subject: 'link', id: `${evil}2`, iteration: 1 });
  at.router.send(metricsReport, { intValues: new Map([[`${evil}:${evil}`, 1n]]), eventId: evil });
  const connectTimes = [{ connectTime: 1795897772702n, srcAddr: evil, dstAddr: `${evil}3` }];
  at.router.send(connectEvents, { events: [{ identityId: at.dialing.identityId, isConnected: true, connectTimes }] });
  await until(() => heard.length === 3);
  const shown = '\uFFFD[2J';
  assert.partialDeepStrictEqual(
    heard.toSorted((a, b) => a.namespace.localeCompare(b.namespace)),
    [
      { namespace: 'connect', src_addr: shown, dst_addr: `${shown}3` },
      { namespace: 'link', event_type: 'fault', link_id: `${shown}2` },
      { namespace: 'metrics', metric: shown, source_entity_id: shown, source_event_id: shown },
    ],
  );
});

test('faults of links that nobody knows have a bounded number of events', async () => {
  await using at = await traffic();
  const heard = hearing(at, 'link');
  for (let i = 0; i < 1500; i++) at.router.send(fault, { subject: 'link', id: `made-up-${i}`, iteration: 1 });
  await settled(at.router);
  assert.equal(heard.length, 600);
});

const ALERT = {
  sourceType: 'self',
  timestamp: 1795897584562n,
  severity: 'error',
  message: 'unable to proxy service',
  details: ['unable to resolve binding'],
  relatedEntities: new Map([
    ['service', 'prox'],
    ['self', 'ert'],
  ]),
};

test('an alert of a router becomes an event about this router, at most 60 in a minute', async () => {
  await using at = await traffic();
  const heard = hearing(at, 'alert');
  at.router.send(alerts, { alerts: [ALERT] });
  at.router.send(alerts, { alerts: Array.from({ length: 500 }, () => ALERT) });
  await settled(at.router);
  assert.equal(heard.length, 60);
  const [first] = heard;
  assert.deepEqual(
    { ...first, event_src_id: 'ctrl' },
    {
      namespace: 'alert',
      event_src_id: 'ctrl',
      timestamp: '2026-11-28T20:26:24.562Z',
      alert_source_type: 'router',
      alert_source_id: at.fra1.id,
      severity: 'error',
      message: 'unable to proxy service',
      details: ['unable to resolve binding'],
      related_entities: { identity: at.fra1.id, router: at.fra1.id, service: 'prox' },
    },
  );
});

test('an alert has no control characters that a terminal obeys', async () => {
  await using at = await traffic();
  const heard = hearing(at, 'alert');
  at.router.send(alerts, { alerts: [{ ...ALERT, message: '\u001b[2Jgone', details: ['\u009b31mred'] }] });
  await settled(at.router);
  assert.partialDeepStrictEqual(heard, [{ message: '\uFFFD[2Jgone', details: ['\uFFFD31mred'] }]);
});

test('an alert in the name of another router is one about the router that sends it, and one of another source names it', async () => {
  await using at = await traffic();
  const heard = hearing(at, 'alert');
  const relatedEntities = new Map([['router', 'ams1']]);
  const claimed = ['router', 'controller', 'terminator'].map((sourceType) => ({ ...ALERT, sourceType, sourceId: 'ams1', relatedEntities }));
  at.router.send(alerts, { alerts: claimed });
  await settled(at.router);
  const own = { alert_source_type: 'router', alert_source_id: at.fra1.id };
  assert.partialDeepStrictEqual(heard, [
    own,
    own,
    { alert_source_type: 'terminator', alert_source_id: 'ams1', related_entities: { router: at.fra1.id } },
  ]);
});
