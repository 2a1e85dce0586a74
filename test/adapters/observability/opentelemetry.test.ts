import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { openTelemetry, openTelemetryEvents, openTelemetryGauges } from '../../../adapters/observability/opentelemetry.ts';
import { openApp, PASSWORD } from '../../support/app.ts';
import { operationEvent } from '../../support/operation-event.ts';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
after(() => {
  context.disable();
  propagation.disable();
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const opened = async () => {
  const spans = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const app = await openApp('memory', { observe: openTelemetry({ tracerProvider, meterProvider }) });
  const user = await app.user();
  spans.reset();
  return {
    app,
    user,
    tracer: tracerProvider.getTracer('test'),
    meterProvider,
    /** The spans that some work leaves. */
    spansOf: async (work: () => Promise<unknown>) => {
      spans.reset();
      await work();
      return spans.getFinishedSpans();
    },
    metric: async (name: string) => {
      exporter.reset();
      await reader.forceFlush();
      return exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .find(({ descriptor }) => descriptor.name === name);
    },
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await meterProvider.shutdown();
    },
  };
};

test('a request is a server span by the semantic conventions, and a child of its traceparent', async () => {
  await using all = await opened();
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' };
  const [span, ...others] = await all.spansOf(() => all.app.request('GET', `/identities/${all.user.id}`, { headers }));
  assert.ok(span && others.length === 0);
  assert.equal(span.name, 'GET /edge/management/v1/identities/{id}');
  assert.equal(span.kind, SpanKind.SERVER);
  assert.deepEqual([span.spanContext().traceId, span.parentSpanContext?.spanId], [TRACE, PARENT]);
  assert.equal(span.spanContext().traceState?.get('vendor'), '1');
  const {
    'overlay_controller.request_id': requestId,
    'overlay_controller.statements': statements,
    'overlay_controller.rows': rows,
    ...rest
  } = span.attributes;
  assert.deepEqual(rest, {
    'http.request.method': 'GET',
    'url.scheme': 'https',
    'url.path': '/edge/management/v1/identities/{id}',
    'http.route': '/edge/management/v1/identities/{id}',
    'http.response.status_code': 200,
    'overlay_controller.operation': 'detailIdentity',
    'overlay_controller.actor': 'administrator',
    'overlay_controller.queued_ms': 0,
  });
  assert.ok(String(requestId).length === 10 && Number(statements) > 0 && Number(rows) > 0);
  assert.equal(span.status.code, SpanStatusCode.UNSET);
  assert.equal(span.startTime[0], Math.floor(all.app.clock.now() / 1000));
});

test('a request that leads nowhere has no route, and a fault of a client does not count as an error of the server', async () => {
  await using all = await opened();
  const [span] = await all.spansOf(() => all.app.request('GET', '/secret-path'));
  assert.deepEqual([span?.name, span?.attributes['http.route'], span?.attributes['url.path']], ['GET', undefined, 'REDACTED']);
  assert.deepEqual([span?.status.code, span?.attributes['error.type']], [SpanStatusCode.UNSET, undefined]);
  assert.equal(span?.attributes['overlay_controller.error_code'], 'NOT_FOUND');
  const [strange] = await all.spansOf(() => all.app.request('BREW', '/identities'));
  assert.deepEqual([strange?.name, strange?.attributes['http.request.method']], ['HTTP', '_OTHER']);
});

test('a traceparent that is none begins a trace of its own', async () => {
  await using all = await opened();
  const [span] = await all.spansOf(() => all.app.request('GET', '/version', { headers: { traceparent: '00-zero-1-01' } }));
  assert.ok(span && span.parentSpanContext === undefined && span.spanContext().traceId !== TRACE);
});

test('what the server failed at is an error, with its type', async () => {
  await using all = await opened();
  const observe = openTelemetry({ tracerProvider: { getTracer: () => all.tracer } });
  const spans = await all.spansOf(async () =>
    observe(
      operationEvent({
        status: 503,
        code: 'SERVER_UNAVAILABLE',
        actor: 'anonymous',
        startedAt: 1_700_000_000_123,
        durationMs: 250.5,
      }),
    ),
  );
  const [span] = spans;
  assert.deepEqual([span?.status.code, span?.attributes['error.type']], [SpanStatusCode.ERROR, 'SERVER_UNAVAILABLE']);
  assert.deepEqual(span?.startTime, [1_700_000_000, 123_000_000]);
  assert.deepEqual(span?.duration, [0, 250_500_000]);
});

test("a call in process is an internal span below the host's own, and its refusal an error", async () => {
  await using all = await opened();
  const { identities } = all.app.controller.api;
  const spans = await all.spansOf(() =>
    all.tracer.startActiveSpan('the host', async (parent) => {
      await identities.list({});
      await assert.rejects(identities.get({ id: 'nobody' }));
      parent.end();
    }),
  );
  const host = spans.find(({ name }) => name === 'the host');
  const [listed, missing] = spans.filter(({ name }) => name !== 'the host');
  assert.deepEqual(
    [listed?.name, listed?.kind, listed?.parentSpanContext?.spanId],
    ['listIdentities', SpanKind.INTERNAL, host?.spanContext().spanId],
  );
  assert.deepEqual(
    [missing?.name, missing?.status.code, missing?.attributes['error.type']],
    ['detailIdentity', SpanStatusCode.ERROR, 'NOT_FOUND'],
  );
  assert.equal(missing?.attributes['http.request.method'], undefined);
});

test('a request in a span of an instrumentation of the server is its child, and measured as a request by that alone', async () => {
  await using all = await opened();
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
  const spans = await all.spansOf(() =>
    all.tracer.startActiveSpan('GET', async (server) => {
      await all.app.request('GET', '/version', { headers });
      server.end();
    }),
  );
  const own = spans.find(({ attributes }) => 'http.route' in attributes);
  assert.equal(own?.kind, SpanKind.INTERNAL);
  assert.equal(own?.parentSpanContext?.spanId, spans.find(({ name }) => name === 'GET')?.spanContext().spanId);
  const requests = await all.metric('http.server.request.duration');
  assert.ok(!requests?.dataPoints.some(({ attributes }) => attributes['http.route'] === own?.attributes['http.route']));
});

test('the duration of requests is a histogram in seconds, whose attributes have few values', async () => {
  await using all = await opened();
  await all.app.request('GET', `/identities/${all.user.id}`);
  const requests = await all.metric('http.server.request.duration');
  assert.equal(requests?.descriptor.unit, 's');
  const point = requests.dataPoints.find(({ attributes }) => attributes['http.route'] === '/edge/management/v1/identities/{id}');
  assert.deepEqual(point?.attributes, {
    'http.request.method': 'GET',
    'url.scheme': 'https',
    'http.response.status_code': 200,
    'http.route': '/edge/management/v1/identities/{id}',
  });
  assert.ok(!JSON.stringify(requests).includes(all.user.id));
});

test('logins and denials are counted', async () => {
  await using all = await opened();
  await all.app.login(all.user.username, 'wrong-password');
  const token = await all.user.login();
  await all.app.request('GET', '/identities', { as: token });
  const logins = await all.metric('overlay_controller.authentications');
  const failed = logins?.dataPoints.find(({ attributes }) => attributes['overlay_controller.authentication.outcome'] === 'failed');
  assert.deepEqual([failed?.value, failed?.attributes['error.type']], [1, 'credentials']);
  const denials = await all.metric('overlay_controller.authorizations.denied');
  assert.deepEqual(
    denials?.dataPoints.map(({ value, attributes }) => [value, attributes['overlay_controller.operation']]),
    [[1, 'listIdentities']],
  );
});

test('without an SDK nothing is made and nothing fails', async () => {
  assert.equal(trace.getTracerProvider().constructor.name, 'ProxyTracerProvider');
  await using app = await openApp('memory', { observe: openTelemetry() });
  assert.equal((await app.request('GET', '/version')).status, 200);
});

test('network events are log records with flat attributes, which neither have secrets nor grow without bound', async () => {
  await using app = await openApp('memory');
  const exporter = new InMemoryLogRecordExporter();
  const loggerProvider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const stop = openTelemetryEvents(app.controller, { loggerProvider });
  const user = await app.user();
  const token = await user.login();
  await app.login(user.username, 'wrong-password');
  await app.create('/services', { name: 'web', encryptionRequired: true, roleAttributes: ['a', 'b'] });
  const many = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`key${i}`, 'x'.repeat(i === 0 ? 2000 : 100)]));
  await app.create('/services', { name: 'tagged', encryptionRequired: true, tags: many });
  const records = exporter.getFinishedLogRecords();
  const named = (name: string) =>
    records.filter(
      ({ eventName, attributes }) => eventName === `overlay_controller.${name}` && attributes['overlay_controller.isParentEvent'] !== true,
    );
  const [succeeded] = named('authentication.success');
  assert.deepEqual([succeeded?.severityText, succeeded?.attributes['overlay_controller.identity_id']], ['INFO', user.id]);
  assert.equal(succeeded?.hrTime[0], Math.floor(app.clock.now() / 1000));
  assert.deepEqual([named('authentication.fail')[0]?.severityText, named('apiSession.created').length], ['WARN', 1]);
  const created = named('entity.change.created').find(({ attributes }) => attributes['overlay_controller.finalState.name'] === 'web');
  assert.deepEqual(created?.attributes['overlay_controller.finalState.roleAttributes'], ['a', 'b']);
  assert.equal(created?.attributes['overlay_controller.metadata.author.type'], 'identity');
  const tagged = named('entity.change.created').find(({ attributes }) => 'overlay_controller.finalState.tags.key0' in attributes);
  assert.equal(String(tagged?.attributes['overlay_controller.finalState.tags.key0']).length, 1024);
  assert.equal(Object.keys(tagged?.attributes ?? {}).length, 64);
  const text = JSON.stringify(records.map(({ attributes }) => attributes));
  for (const secret of [token, PASSWORD]) assert.ok(!text.includes(secret));
  stop();
  await user.login();
  assert.equal(exporter.getFinishedLogRecords().length, records.length);
});

test('the host chooses the kinds of events that are recorded, and the global provider is one', async () => {
  await using app = await openApp('memory');
  const exporter = new InMemoryLogRecordExporter();
  logs.setGlobalLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }));
  openTelemetryEvents(app.controller, { loggerProvider: logs, kinds: ['session', 'apiSession'] });
  const user = await app.user();
  await user.login();
  logs.disable();
  assert.deepEqual(
    exporter.getFinishedLogRecords().map(({ eventName }) => eventName),
    ['overlay_controller.apiSession.created'],
  );
});

test('the gauges of a controller are those of the text for Prometheus', async () => {
  await using all = await opened();
  const statistics = async ({ routers = 0 } = {}) => ({
    ...(await all.app.controller.statistics()),
    connectedRouters: 3,
    traffic: {
      links: 2,
      circuits: 5,
      bytes: { 'fabric.tx': 7 },
      ...(routers > 0 && {
        byRouter: [{ routerId: 'r1', circuits: 5, bytes: { 'fabric.tx': 7 } }],
        byLink: [{ id: 'l1', from: 'r1', to: 'r2', cost: 11, isDown: false, sourceLatency: 2e6, destLatency: 0, circuits: 4 }],
      }),
    },
  });
  const controller = { health: () => all.app.controller.health(), statistics };
  const stop = openTelemetryGauges(controller, { meterProvider: all.meterProvider, routers: 1 });
  const points = async (name: string) =>
    (await all.metric(`overlay_controller.${name}`))?.dataPoints.map(({ value, attributes }) => [value, attributes]);
  const ends = { 'overlay_controller.link': 'l1', 'overlay_controller.from': 'r1', 'overlay_controller.to': 'r2' };
  assert.deepEqual(await points('link.latency'), [
    [0.002, { ...ends, 'overlay_controller.end': 'from' }],
    [0, { ...ends, 'overlay_controller.end': 'to' }],
  ]);
  assert.equal((await all.metric('overlay_controller.link.latency'))?.descriptor.unit, 's');
  assert.deepEqual(await points('router.carried'), [[7, { 'overlay_controller.router': 'r1', 'overlay_controller.point': 'fabric.tx' }]]);
  assert.deepEqual(await points('connected_routers'), [[3, {}]]);
  assert.deepEqual(await points('healthy'), [[1, {}]]);
  assert.deepEqual(await points('series.omitted'), [
    [2, { 'overlay_controller.of': 'router' }],
    [1, { 'overlay_controller.of': 'link' }],
  ]);
  stop();
});

test('without the option there are no gauges of single routers and links', async () => {
  await using all = await opened();
  openTelemetryGauges(all.app.controller, { meterProvider: all.meterProvider });
  assert.deepEqual(
    (await all.metric('overlay_controller.links'))?.dataPoints.map(({ value }) => value),
    [0],
  );
  for (const name of ['link.latency', 'router.circuits', 'series.omitted'])
    assert.deepEqual((await all.metric(`overlay_controller.${name}`))?.dataPoints ?? [], [], name);
});
