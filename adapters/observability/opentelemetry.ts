/**
 * Spans, metrics and log records for OpenTelemetry, through its API. They are exported by the SDK that the host has registered.
 * @module overlay-controller/opentelemetry
 */
import {
  type Attributes,
  type Context,
  context,
  type HrTime,
  type Meter,
  type MeterProvider,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { checkedOptions } from '../../src/adapter-kit.ts';
import type { Observe, OperationEvent } from '../../src/index.ts';

export type { MetricsSource } from './gauges.ts';
export { type OpenTelemetryGaugesOptions, openTelemetryGauges } from './opentelemetry-gauges.ts';
export {
  type EventLogger,
  type EventLoggerProvider,
  type EventLogRecord,
  type OpenTelemetryEventsOptions,
  openTelemetryEvents,
} from './opentelemetry-logs.ts';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** The provider of tracers. Default: the globally registered one. */
  readonly tracerProvider?: TracerProvider;
  /** The provider of meters. Default: the globally registered one. */
  readonly meterProvider?: MeterProvider;
  /** The attribute `url.scheme` of requests. Default: `https`. */
  readonly scheme?: 'https' | 'http';
}

const NAME = 'overlay-controller';
/** The buckets that the semantic conventions recommend for `http.server.request.duration`, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * An observer that creates a span and a duration measurement for each call, following the stable semantic conventions for HTTP servers
 * (version 1.23 and later). A request becomes a `SERVER` span, whose parent the registered propagator extracts from the header
 * `traceparent`. If a span is already active, e.g. from an instrumented HTTP server or around an in-process call, that span is the parent,
 * and the call becomes an `INTERNAL` span. Spans are created when calls end, so they have no children for work within the call.
 *
 * ```ts
 * const controller = await ManagementController.open({ storage, settings, observe: openTelemetry() });
 * ```
 */
export const openTelemetry = (options: OpenTelemetryOptions = {}): Observe => {
  const {
    tracerProvider = trace,
    meterProvider = metrics,
    scheme = 'https',
  } = checkedOptions('openTelemetry', options, { tracerProvider: true, meterProvider: true, scheme: true });
  const tracer = tracerProvider.getTracer(NAME);
  const meter = meterProvider.getMeter(NAME);
  const instruments = createInstruments(meter);
  return (event) => {
    if (event.type === 'operation') recordCall(event, { tracer, instruments, scheme });
    else if (event.type === 'authorization')
      instruments.denials.add(1 + event.omitted, { 'overlay_controller.operation': event.operationId });
    else
      instruments.authentications.add(1 + event.omitted, {
        'overlay_controller.authentication.method': event.method,
        'overlay_controller.authentication.outcome': event.outcome,
        ...(event.reason === undefined ? {} : { 'error.type': event.reason }),
      });
  };
};

const createInstruments = (meter: Meter) => {
  const advice = { explicitBucketBoundaries: BUCKETS };
  return {
    requests: meter.createHistogram('http.server.request.duration', {
      unit: 's',
      description: 'Duration of HTTP server requests.',
      advice,
    }),
    operations: meter.createHistogram('overlay_controller.operation.duration', {
      unit: 's',
      description: 'Duration of calls, over HTTP and in process.',
      advice,
    }),
    authentications: meter.createCounter('overlay_controller.authentications', {
      unit: '{attempt}',
      description: 'Authentication attempts, and lockouts.',
    }),
    denials: meter.createCounter('overlay_controller.authorizations.denied', {
      unit: '{call}',
      description: 'Calls that were denied to authenticated actors.',
    }),
  };
};

interface Recorder {
  readonly tracer: Tracer;
  readonly instruments: ReturnType<typeof createInstruments>;
  readonly scheme: string;
}

/** Creates the span and the measurements of a call. */
const recordCall = (event: OperationEvent, { tracer, instruments, scheme }: Recorder): void => {
  const seconds = event.durationMs / 1000;
  const { parent, isServer } = parentOf(event);
  const http = event.transport === 'http' ? httpAttributes(event, scheme) : {};
  // By the conventions, a 4xx status does not mark a server span as an error. A failed in-process call throws, so its span is always
  // marked.
  const failure = event.status >= 500 || event.transport === 'process' ? errorOf(event) : undefined;
  const error: Attributes = failure === undefined ? {} : { 'error.type': failure };
  const path = event.transport === 'http' ? { 'url.path': event.route ?? 'REDACTED' } : {};
  const kind = isServer ? SpanKind.SERVER : SpanKind.INTERNAL;
  const attributes = { ...http, ...path, ...error, ...ownAttributes(event) };
  const span = tracer.startSpan(spanName(event), { kind, startTime: hrTime(event.startedAt), attributes }, parent);
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(hrTime(event.startedAt + event.durationMs));
  const spanContext = trace.setSpan(parent, span);
  if (isServer) instruments.requests.record(seconds, { ...http, ...error }, spanContext);
  instruments.operations.record(seconds, { 'overlay_controller.operation': event.operationId ?? 'unmatched', ...error }, spanContext);
};

const parentOf = ({ transport, traceparent, tracestate }: OperationEvent): { readonly parent: Context; readonly isServer: boolean } => {
  const active = context.active();
  if (transport === 'process' || trace.getSpan(active)) return { parent: active, isServer: false };
  if (traceparent === undefined) return { parent: ROOT_CONTEXT, isServer: true };
  return {
    parent: propagation.extract(ROOT_CONTEXT, { traceparent, ...(tracestate === undefined ? {} : { tracestate }) }),
    isServer: true,
  };
};

const spanName = ({ transport, method, route, operationId = 'unmatched' }: OperationEvent): string => {
  if (transport === 'process') return operationId;
  const verb = method === '_OTHER' ? 'HTTP' : method;
  return route === undefined ? verb : `${verb} ${route}`;
};

/** The attributes shared by spans and metrics, all of low cardinality. */
const httpAttributes = ({ method, route, status }: OperationEvent, scheme: string): Attributes => ({
  'http.request.method': method,
  'url.scheme': scheme,
  'http.response.status_code': status,
  ...(route === undefined ? {} : { 'http.route': route }),
});

const errorOf = ({ status, code }: OperationEvent): string | undefined => code ?? (status >= 400 ? String(status) : undefined);

const ownAttributes = (event: OperationEvent): Attributes => ({
  'overlay_controller.request_id': event.requestId,
  'overlay_controller.actor': event.actor,
  'overlay_controller.queued_ms': event.queuedMs,
  'overlay_controller.statements': event.statements,
  'overlay_controller.rows': event.rows,
  ...(event.operationId === undefined ? {} : { 'overlay_controller.operation': event.operationId }),
  ...(event.code === undefined ? {} : { 'overlay_controller.error_code': event.code }),
});

/**
 * Converts milliseconds to seconds and nanoseconds since 1970. For a plain number, the SDK would have to guess whether it is an epoch time
 * or a result of `performance.now()`.
 */
const hrTime = (milliseconds: number): HrTime => {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
};
