/**
 * Metrics for Prometheus and other collectors of its text format.
 * @module overlay-controller/metrics
 */

import { software } from '../../src/adapter-kit.ts';
import type { Observe, OperationEvent } from '../../src/index.ts';
import type { Serving } from '../http/node-server.ts';
import { createEventLoopGauges } from './event-loop.ts';
import { counter, type Family, formatExposition, gauge, histogram } from './exposition.ts';
import { controllerGauges, type MetricsSource, readGauges } from './gauges.ts';
import { processMetrics } from './process.ts';

export type { MetricsSource } from './gauges.ts';

/** The part of a server from which its load is read: what `serve` returns. */
export type LoadSource = Pick<Serving, 'load'>;

/** The metrics of a controller. */
export interface Metrics {
  /** The observer to pass as the option `observe` of `ManagementController.open`. */
  readonly observe: Observe;
  /** Content type of the text. */
  readonly contentType: string;
  /**
   * Formats all metrics in the text exposition format, version 0.0.4. Never rejects.
   * @param controller the controller whose gauges (entities, queues, health) are included. If its database does not respond, only the
   * gauges of its health are included. Default: none
   * @param server the server whose load is included. Default: none
   */
  text(controller?: MetricsSource, server?: LoadSource): Promise<string>;
}

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /**
   * Also exports metrics of the process: memory, processor time, descriptors. Their names have no prefix, so leave this out if another
   * library exports them. Default: false.
   */
  readonly process?: boolean;
  /**
   * Also exports series of each connected router and each link, for at most this number of routers, and of links: the first ones by id.
   * Default: 0.
   */
  readonly routers?: number;
}

/** Upper bounds of the histogram buckets for durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates metrics of a controller, aggregated in memory. Every label has a fixed set of values (operations, methods, statuses, codes) and
 * never contains a path, an id or a name. Only the series of `routers` have ids of routers and links.
 *
 * ```ts
 * const metrics = createMetrics();
 * const controller = await ManagementController.open({ storage, settings, observe: metrics.observe });
 * app.get('/metrics', async (_, response) => response.type(metrics.contentType).send(await metrics.text(controller)));
 * ```
 */
export const createMetrics = ({ process = false, routers = 0 }: MetricsOptions = {}): Metrics => {
  const eventLoop = createEventLoopGauges();
  const requests = counter('overlay_controller_requests_total', 'Calls that were answered, over HTTP and in process.');
  const durations = histogram('overlay_controller_request_duration_seconds', 'Duration of calls until they were answered.', BUCKETS);
  const queued = counter('overlay_controller_request_queued_seconds_total', 'Time that calls waited in queues.');
  const statements = counter('overlay_controller_store_statements_total', 'Statements that the store executed.');
  const rows = counter('overlay_controller_store_rows_total', 'Rows that the store returned or changed.');
  const authentications = counter('overlay_controller_authentications_total', 'Authentication attempts, and lockouts.');
  const denials = counter('overlay_controller_authorizations_denied_total', 'Calls that were denied to authenticated actors.');
  const aggregated: readonly Family[] = [requests, durations, queued, statements, rows, authentications, denials];

  const count = (event: OperationEvent) => {
    const { transport, method, operationId: operation = 'unmatched', status, code = '' } = event;
    requests.add({ operation, transport, method, status: `${Math.floor(status / 100)}xx`, code });
    durations.record({ operation, transport }, event.durationMs / 1000);
    queued.add({ operation }, event.queuedMs / 1000);
    statements.add({ operation }, event.statements);
    rows.add({ operation }, event.rows);
  };
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    observe: (event) => {
      if (event.type === 'operation') count(event);
      else if (event.type === 'authorization') denials.add({ operation: event.operationId }, 1 + event.omitted);
      // Includes the dropped events: they had the same outcome, and most likely the same reason.
      else authentications.add({ method: event.method, outcome: event.outcome, reason: event.reason ?? '' }, 1 + event.omitted);
    },
    text: async (controller, server) =>
      formatExposition([
        ...aggregated,
        ...(controller ? await gaugesOf(controller, routers) : []),
        ...(server ? loadMetrics(server.load()) : []),
        ...eventLoop(),
        buildInfo,
        ...(process ? processMetrics() : []),
      ]),
  };
};

const buildInfo = gauge('overlay_controller_build_info', 'The release that is running.', [[{ version: software.version }, 1]]);

const UNITS = { s: '_seconds', By: '_bytes' } as const;

const gaugesOf = async (controller: MetricsSource, routers: number): Promise<readonly Family[]> => {
  const readings = await readGauges(controller, routers);
  return controllerGauges.map(({ name, unit, help, samples }) =>
    gauge(`overlay_controller_${name.replaceAll('.', '_')}${unit ? UNITS[unit] : ''}`, help, samples(readings)),
  );
};

const loadMetrics = (load: ReturnType<LoadSource['load']>): readonly Family[] => {
  const each = Object.entries(load);
  const refused = counter('overlay_controller_http_refused_total', 'Requests that were refused because of too many others.');
  for (const [client, counts] of each) refused.add({ client }, counts.refused);
  return [
    gauge(
      'overlay_controller_http_running',
      'Requests that are in progress.',
      each.map(([client, { running }]) => [{ client }, running]),
    ),
    gauge(
      'overlay_controller_http_waiting',
      'Requests that wait to start.',
      each.map(([client, { waiting }]) => [{ client }, waiting]),
    ),
    refused,
  ];
};
