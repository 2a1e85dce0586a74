/** What routers report of their traffic, as events: usage of circuits, and metrics. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { metricsReport } from '../../../src/fabric/control-channel/messages/metrics.ts';
import type { NetworkEvent, NetworkEventKind } from '../../../src/index.ts';
import { until } from '../../support/until.ts';
import { bindBy, dialBy, settled, type Traffic, traffic, withSecond } from './traffic.ts';

const { metrics } = messages.routers;
const { routerLinks } = messages.links;

const hearing = <K extends NetworkEventKind>({ network }: Pick<Traffic, 'network'>, ...kinds: readonly K[]) => {
  const heard: NetworkEvent[] = [];
  for (const kind of kinds) network.controller.networkEvents.on(kind, (event) => void heard.push(event));
  return heard;
};

const withoutHead = (events: readonly NetworkEvent[]) =>
  events.map(({ event_src_id: _, timestamp: __, ...event }: Readonly<Record<string, unknown>>) => event);

/** Seconds since 1970, by the clock of the controller. */
const nowIn = ({ network }: Pick<Traffic, 'network'>) => Math.floor(network.clock.now() / 1000);

type Counter = NonNullable<Parameters<typeof metrics.encode>[0]['usageCounters']>[number];

/** A report of usage, made some seconds from now, for an interval that began some seconds from now. */
const report = (at: Traffic, counters: readonly Counter[], more: Parameters<typeof metrics.encode>[0] = {}) =>
  at.router.send(metrics, { timestamp: { seconds: BigInt(nowIn(at)) }, usageCounters: counters, ...more });

const counter = (at: Traffic, circuitId: string, values: Readonly<Record<string, bigint>>, change: Counter = {}): Counter => ({
  intervalStartUTC: BigInt(nowIn(at)),
  intervalLength: 5n,
  buckets: new Map([[circuitId, { values: new Map(Object.entries(values)), tags: new Map([['clientId', 'of-the-router']]) }]]),
  ...change,
});

const withCircuit = async () => {
  const at = await traffic();
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  const tags = { clientId: at.dialing.identityId, hostId: at.hosting.identityId, serviceId: at.serviceId };
  return { ...at, circuitId: made.id, tags };
};

test('usage of a circuit has an event for all points, and in version 2 one for each, with the tags that the controller gave it', async () => {
  await using at = await withCircuit();
  const heard = hearing(at, 'usage', 'usage.v3');
  report(at, [counter(at, at.circuitId, { 'egress.rx': 907n, 'egress.tx': 9_007_199_254n, 'made.up': 5n })]);
  await settled(at.router);
  const common = { source_id: at.fra1.id, circuit_id: at.circuitId };
  const end = { interval_start_utc: nowIn(at), interval_length: 5, tags: at.tags };
  assert.deepEqual(withoutHead(heard), [
    { namespace: 'usage', version: 2, event_type: 'usage.egress.rx', ...common, usage: 907, ...end },
    { namespace: 'usage', version: 2, event_type: 'usage.egress.tx', ...common, usage: 9_007_199_254, ...end },
    { namespace: 'usage', version: 3, ...common, usage: { 'egress.rx': 907, 'egress.tx': 9_007_199_254 }, ...end },
  ]);
});

test('usage between routers has no tags, and that of a circuit that has ended still counts', async () => {
  await using at = await withCircuit();
  const heard = hearing(at, 'usage.v3');
  await at.network.controller.api.circuits.delete({ id: at.circuitId });
  const buckets = new Map([[at.circuitId, { values: new Map([['fabric.rx', 3n]]) }]]);
  report(at, [counter(at, at.circuitId, {}, { buckets })]);
  await settled(at.router);
  assert.partialDeepStrictEqual(withoutHead(heard), [{ usage: { 'fabric.rx': 3 }, tags: null }]);
});

test('usage of a circuit that a router never had is dropped and logged, though another router has it', async () => {
  await using at = await withCircuit();
  const { second } = await withSecond(at);
  const heard = hearing(at, 'usage', 'usage.v3');
  const usageCounters = [counter(at, at.circuitId, { 'egress.rx': 1n }), counter(at, 'made-up', { 'egress.rx': 1n })];
  second.send(metrics, { timestamp: { seconds: BigInt(nowIn(at)) }, usageCounters });
  await settled(second);
  assert.deepEqual(heard, []);
  assert.equal(
    at.log().filter((line) => line.includes('usage that a router reports was dropped (the router never had the circuit)')).length,
    1,
  );
});

test('reports that go back in time, and intervals that nobody can have measured, are dropped', async () => {
  await using at = await withCircuit();
  const heard = hearing(at, 'usage.v3');
  const now = nowIn(at);
  const values = { 'egress.rx': 1n };
  const at_ = (seconds: number) => ({ timestamp: { seconds: BigInt(seconds) } });
  report(at, [counter(at, at.circuitId, values)], at_(now));
  report(at, [counter(at, at.circuitId, values)], at_(now - 1));
  report(at, [counter(at, at.circuitId, values)], at_(now + 3600));
  report(at, [counter(at, at.circuitId, values, { intervalStartUTC: BigInt(now + 3600) })], at_(now));
  report(at, [counter(at, at.circuitId, values, { intervalStartUTC: -5n })], at_(now));
  report(at, [counter(at, at.circuitId, values, { intervalLength: 1n << 60n })], at_(now));
  report(at, [counter(at, at.circuitId, values)], { ...at_(now), doNotPropagate: true });
  await settled(at.router);
  assert.equal(heard.length, 1);
});

test('metrics have an event each, with the link or router in their name as its entity', async () => {
  await using at = await traffic();
  const { ams1 } = await withSecond(at);
  at.router.send(routerLinks, {
    links: [{ id: 'link', destRouterId: ams1.id, linkProtocol: 'tls', dialAddress: 'tls:ams1.test:6000', iteration: 1 }],
  });
  const heard = hearing(at, 'metrics');
  const distribution = {
    count: 8n,
    max: 5n,
    mean: 2.5,
    min: 1n,
    stdDev: 0.5,
    variance: 0.25,
    p50: 2,
    p75: 3,
    p95: 4,
    p99: 5,
    p999: 5,
    p9999: 5,
  };
  const rates = { m1Rate: 1, m5Rate: 5, m15Rate: 15, meanRate: 7.5 };
  at.router.send(metricsReport, {
    eventId: 'one',
    timestamp: { seconds: 1795897775n, nanos: 454_963_228 },
    intValues: new Map([['edge.connections', -1n]]),
    floatValues: new Map([['load', 0.5]]),
    meters: new Map([
      ['link.link.rx.bytesrate', { count: 9n, ...rates }],
      ['link.dropped_msgs:other', { count: 0n }],
    ]),
    histograms: new Map([['link.link.latency', distribution]]),
    timers: new Map([['ctrl_limiter.work_timer', { ...distribution, ...rates }]]),
  });
  await settled(at.router);
  const common = { namespace: 'metrics', source_id: at.fra1.id, version: 3, source_event_id: 'one' };
  const ofLink = { source_entity_id: 'link', tags: { sourceRouterId: at.fra1.id, targetRouterId: ams1.id } };
  const values = { count: 8, max: 5, mean: 2.5, min: 1, p50: 2, p75: 3, p95: 4, p99: 5, p999: 5, p9999: 5, std_dev: 0.5, variance: 0.25 };
  const shownRates = { m15_rate: 15, m1_rate: 1, m5_rate: 5, mean_rate: 7.5 };
  assert.equal(heard[0]?.timestamp, '2026-11-28T20:29:35.454Z');
  assert.deepEqual(withoutHead(heard), [
    { ...common, metric_type: 'intValue', metric: 'edge.connections', metrics: { value: -1 } },
    { ...common, metric_type: 'floatValue', metric: 'load', metrics: { value: 0.5 } },
    { ...common, ...ofLink, metric_type: 'meter', metric: 'link.rx.bytesrate', metrics: { count: 9, ...shownRates } },
    {
      ...common,
      metric_type: 'meter',
      source_entity_id: 'other',
      metric: 'link.dropped_msgs',
      metrics: { count: 0, m15_rate: 0, m1_rate: 0, m5_rate: 0, mean_rate: 0 },
    },
    { ...common, ...ofLink, metric_type: 'histogram', metric: 'link.latency', metrics: values },
    { ...common, metric_type: 'timer', metric: 'ctrl_limiter.work_timer', metrics: { ...values, ...shownRates } },
  ]);
});

test('a router that names a flood of metrics has at most 12,000 events in a minute', async () => {
  await using at = await traffic();
  const heard = hearing(at, 'metrics');
  const intValues = new Map(Array.from({ length: 9000 }, (_, i) => [`made.up.${i}`, 1n]));
  for (let i = 0; i < 2; i++) {
    at.router.send(metricsReport, { intValues });
    await settled(at.router);
  }
  await until(() => heard.length >= 12_000);
  await settled(at.router);
  assert.equal(heard.length, 12_000);
});

test('a stream has the metrics that its expressions find, with the values that they find, and the included types of usage', async () => {
  await using at = await withCircuit();
  const { api } = at.network.controller;
  const next = async (query: Parameters<typeof api.networkEvents.follow>[0]) => {
    const events = api.networkEvents.follow(query)[Symbol.asyncIterator]();
    await events.next();
    return async () => {
      const { value } = await events.next();
      await events.return?.();
      return value;
    };
  };
  const counts = await next({ types: ['metrics'], sourceFilter: `^${at.fra1.id}$`, metricFilter: '^xgress.*[.]count$' });
  const numbers = await next({ types: ['metrics'], metricFilter: '^edge[.]connections[.]$' });
  const sent = await next({ types: ['usage'], include: ['egress.tx'] });
  const earlier = await next({ types: ['fabric.usage'], version: 2 });
  at.router.send(metricsReport, {
    intValues: new Map([['edge.connections', 3n]]),
    meters: new Map(['edge.other', 'xgress.rx'].map((name) => [name, { count: 4n, m1Rate: 1 }])),
  });
  report(at, [counter(at, at.circuitId, { 'egress.rx': 1n }), counter(at, at.circuitId, { 'egress.rx': 1n, 'egress.tx': 2n })]);
  const [counted, number, usage, former] = [await counts(), await numbers(), await sent(), await earlier()];
  assert.deepEqual([counted?.metric, counted?.metrics], ['xgress.rx', { count: 4 }]);
  assert.deepEqual([number?.metric, number?.metrics], ['edge.connections', { value: 3 }]);
  assert.deepEqual(usage?.usage, { 'egress.tx': 2 });
  assert.deepEqual([former?.namespace, former?.event_type, former?.usage], ['fabric.usage', 'usage.egress.rx', 1]);
});
