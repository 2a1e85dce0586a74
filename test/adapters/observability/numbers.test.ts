/** Metrics of events that are made up: each number follows from the events alone, so that one that is wrong or missing shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createMetrics, type MetricsSource } from '../../../adapters/observability/metrics.ts';
import { openTelemetry } from '../../../adapters/observability/opentelemetry.ts';
import { software } from '../../../src/adapter-kit.ts';
import type { AuthenticationEvent, AuthorizationEvent, ObservedEvent } from '../../../src/index.ts';
import { operationEvent as operation, STARTED } from '../../support/operation-event.ts';

const SECURITY = { requestId: 'r1', at: STARTED, remoteAddress: '203.0.113.7', identityId: 'i1', omitted: 0 } as const;
const authentication = (event: Partial<AuthenticationEvent>): AuthenticationEvent => ({
  ...SECURITY,
  type: 'authentication',
  method: 'password',
  outcome: 'failed',
  reason: undefined,
  signerId: undefined,
  ...event,
});
const denial = (event: Partial<AuthorizationEvent>): AuthorizationEvent => ({
  ...SECURITY,
  type: 'authorization',
  outcome: 'denied',
  operationId: 'createIdentity',
  actor: 'identity',
  ...event,
});

const UNMATCHED = { operationId: undefined, operation: undefined, surface: undefined, route: undefined } as const;

const EVENTS: readonly ObservedEvent[] = [
  operation({ durationMs: 1, queuedMs: 0.5, statements: 2, rows: 10 }),
  operation({ durationMs: 1.25, queuedMs: 0.25, statements: 3, rows: 20 }),
  operation({ durationMs: 20_000, statements: 1, status: 503, code: 'SERVER_UNAVAILABLE' }),
  operation({ transport: 'process', durationMs: 750, status: 204 }),
  operation({ ...UNMATCHED, method: '_OTHER', status: 404, code: 'NOT_FOUND', durationMs: 2.5 }),
  operation({ ...UNMATCHED, method: '_OTHER', status: 499, code: 'NOT_FOUND', durationMs: 5000 }),
  authentication({ outcome: 'succeeded', identityId: 'i2' }),
  authentication({ reason: 'credentials', omitted: 41 }),
  authentication({ reason: 'credentials' }),
  authentication({ reason: 'unknown', identityId: undefined }),
  authentication({ outcome: 'locked' }),
  authentication({ method: 'ext-jwt', reason: 'expired', signerId: 's1', omitted: 2 }),
  denial({}),
  denial({ omitted: 9 }),
  denial({ operationId: 'deleteService', actor: 'anonymous' }),
];

/** No two numbers are the same. */
const GAUGED: MetricsSource = {
  health: async () => ({
    isHealthy: false,
    store: 'ready',
    reasons: [
      { concerns: 'certificate', severity: 'error', message: 'one' },
      { concerns: 'certificate', severity: 'error', message: 'another' },
      { concerns: 'certificate', severity: 'warning', message: 'a third' },
      { concerns: 'clock', severity: 'warning', message: 'slow' },
    ],
  }),
  statistics: async () => ({
    entities: { identity: 3, terminator: 5 },
    queues: {
      writes: { running: 7, waiting: 11 },
      enrollments: { running: 13, waiting: 17 },
      passwordChecks: { running: 19, waiting: 23 },
    },
    connectedRouters: 29,
    traffic: { links: 31, circuits: 37, bytes: { 'ingress.rx': 41, 'fabric.tx': 9_007_199_254_740_991 } },
    roleIndexes: { identity: { rows: 47, bytes: 53 }, service: { rows: 59, bytes: 61 } },
    readCacheBytes: 67,
  }),
};

const BOUNDS = ['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf'];
/** The samples of a histogram: how many were at most as long as each bound. */
const durations = (labels: string, counts: readonly number[], sum: number): readonly string[] => [
  ...BOUNDS.map((le, i) => `request_duration_seconds_bucket{${labels},le="${le}"} ${counts[i]}`),
  `request_duration_seconds_sum{${labels}} ${sum}`,
  `request_duration_seconds_count{${labels}} ${counts.at(-1)}`,
];

test('the text for Prometheus has the numbers of the events, and those of the controller, exactly', async () => {
  const metrics = createMetrics();
  for (const event of EVENTS) metrics.observe(event);
  const samples = (await metrics.text(GAUGED))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('event_loop'))
    .map((line) => line.replace('overlay_controller_', ''));
  assert.deepEqual(samples, [
    'requests_total{operation="listIdentities",transport="http",method="GET",status="2xx",code=""} 2',
    'requests_total{operation="listIdentities",transport="http",method="GET",status="5xx",code="SERVER_UNAVAILABLE"} 1',
    'requests_total{operation="listIdentities",transport="process",method="GET",status="2xx",code=""} 1',
    'requests_total{operation="unmatched",transport="http",method="_OTHER",status="4xx",code="NOT_FOUND"} 2',
    ...durations('operation="listIdentities",transport="http"', [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3], 20.00225),
    ...durations('operation="listIdentities",transport="process"', [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1], 0.75),
    ...durations('operation="unmatched",transport="http"', [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2], 5.0025),
    'request_queued_seconds_total{operation="listIdentities"} 0.00075',
    'request_queued_seconds_total{operation="unmatched"} 0',
    'store_statements_total{operation="listIdentities"} 6',
    'store_statements_total{operation="unmatched"} 0',
    'store_rows_total{operation="listIdentities"} 30',
    'store_rows_total{operation="unmatched"} 0',
    'authentications_total{method="password",outcome="succeeded",reason=""} 1',
    'authentications_total{method="password",outcome="failed",reason="credentials"} 43',
    'authentications_total{method="password",outcome="failed",reason="unknown"} 1',
    'authentications_total{method="password",outcome="locked",reason=""} 1',
    'authentications_total{method="ext-jwt",outcome="failed",reason="expired"} 3',
    'authorizations_denied_total{operation="createIdentity"} 11',
    'authorizations_denied_total{operation="deleteService"} 1',
    'healthy 0',
    'health_reasons{concerns="certificate",severity="error"} 1',
    'health_reasons{concerns="certificate",severity="warning"} 1',
    'health_reasons{concerns="clock",severity="warning"} 1',
    'entities{kind="identity"} 3',
    'entities{kind="terminator"} 5',
    'queue_running{queue="writes"} 7',
    'queue_running{queue="enrollments"} 13',
    'queue_running{queue="passwordChecks"} 19',
    'queue_waiting{queue="writes"} 11',
    'queue_waiting{queue="enrollments"} 17',
    'queue_waiting{queue="passwordChecks"} 23',
    'connected_routers 29',
    'links 31',
    'circuits 37',
    'carried_bytes{point="ingress.rx"} 41',
    'carried_bytes{point="fabric.tx"} 9007199254740991',
    'role_index_bytes{table="identity"} 53',
    'role_index_bytes{table="service"} 61',
    'read_cache_bytes 67',
    `build_info{version="${software.version}"} 1`,
  ]);
});

/** What OpenTelemetry's SDK makes of the events. */
const exported = async (events: readonly ObservedEvent[]) => {
  const spans = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const observe = openTelemetry({ tracerProvider, meterProvider });
  for (const event of events) observe(event);
  await reader.forceFlush();
  const all = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics);
  await meterProvider.shutdown();
  return {
    spans: spans.getFinishedSpans(),
    points: (name: string): readonly unknown[] =>
      all
        .find(({ descriptor }) => descriptor.name === name)
        ?.dataPoints.map(({ attributes, value }) => [
          attributes,
          typeof value === 'number' ? value : 'sum' in value ? [value.count, value.sum] : assert.fail(),
        ]) ?? [],
  };
};

test('the metrics and spans of OpenTelemetry have the numbers of the events, exactly', async () => {
  const { spans, points } = await exported(EVENTS);
  const [METHOD, OUTCOME] = ['overlay_controller.authentication.method', 'overlay_controller.authentication.outcome'];
  assert.deepEqual(points('overlay_controller.authentications'), [
    [{ [METHOD]: 'password', [OUTCOME]: 'succeeded' }, 1],
    [{ [METHOD]: 'password', [OUTCOME]: 'failed', 'error.type': 'credentials' }, 43],
    [{ [METHOD]: 'password', [OUTCOME]: 'failed', 'error.type': 'unknown' }, 1],
    [{ [METHOD]: 'password', [OUTCOME]: 'locked' }, 1],
    [{ [METHOD]: 'ext-jwt', [OUTCOME]: 'failed', 'error.type': 'expired' }, 3],
  ]);
  assert.deepEqual(points('overlay_controller.authorizations.denied'), [
    [{ 'overlay_controller.operation': 'createIdentity' }, 11],
    [{ 'overlay_controller.operation': 'deleteService' }, 1],
  ]);
  assert.deepEqual(points('overlay_controller.operation.duration'), [
    [{ 'overlay_controller.operation': 'listIdentities' }, [3, 0.001 + 0.00125 + 0.75]],
    [{ 'overlay_controller.operation': 'listIdentities', 'error.type': 'SERVER_UNAVAILABLE' }, [1, 20]],
    [{ 'overlay_controller.operation': 'unmatched' }, [2, 5.0025]],
  ]);
  const requests = points('http.server.request.duration') as readonly (readonly [Readonly<Record<string, unknown>>, readonly number[]])[]; // as they are made above
  assert.deepEqual(
    requests.map(([{ 'http.response.status_code': status }, value]) => [status, value]),
    [
      [200, [2, 0.001 + 0.00125]],
      [503, [1, 20]],
      [404, [1, 0.0025]],
      [499, [1, 5]],
    ],
  );
  const ms = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6;
  assert.deepEqual(
    spans.map(({ startTime, endTime }) => [ms(startTime), ms(endTime) - ms(startTime)]),
    [1, 1.25, 20_000, 750, 2.5, 5000].map((duration) => [STARTED, duration]),
  );
});
