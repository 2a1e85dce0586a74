/**
 * Metrics for Prometheus and other collectors of its text format.
 * @module overlay-controller/metrics
 */

import { software } from '../../src/adapter-kit.ts';
import type { ManagementController, Observe, OperationEvent } from '../../src/index.ts';
import { createEventLoopGauges } from './event-loop.ts';
import { counter, type Family, formatExposition, gauge, histogram } from './exposition.ts';
import { processMetrics } from './process.ts';

/** The part of a controller from which gauges are read. */
export type MetricsSource = Pick<ManagementController, 'health' | 'statistics'>;

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
   */
  text(controller?: MetricsSource): Promise<string>;
}

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /**
   * Also exports metrics of the process: memory, processor time, descriptors. Their names have no prefix, so leave this out if another
   * library exports them. Default: false.
   */
  readonly process?: boolean;
}

/** Upper bounds of the histogram buckets for durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates metrics of a controller, aggregated in memory. Every label has a fixed set of values (operations, methods, statuses, codes) and
 * never contains a path, an id or a name.
 *
 * ```ts
 * const metrics = createMetrics();
 * const controller = await ManagementController.open({ storage, settings, observe: metrics.observe });
 * app.get('/metrics', async (_, response) => response.type(metrics.contentType).send(await metrics.text(controller)));
 * ```
 */
export const createMetrics = ({ process = false }: MetricsOptions = {}): Metrics => {
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
    text: async (controller) =>
      formatExposition([
        ...aggregated,
        ...(controller ? await readGauges(controller) : []),
        ...eventLoop(),
        buildInfo,
        ...(process ? processMetrics() : []),
      ]),
  };
};

const buildInfo = gauge('overlay_controller_build_info', 'The release that is running.', [[{ version: software.version }, 1]]);

const readGauges = async (controller: MetricsSource): Promise<readonly Family[]> => {
  const [health, statistics] = await Promise.all([controller.health(), controller.statistics().catch(() => undefined)]);
  return [...healthGauges(health), ...(statistics ? statisticsGauges(statistics) : [])];
};

type Health = Awaited<ReturnType<MetricsSource['health']>>;
type Statistics = Awaited<ReturnType<MetricsSource['statistics']>>;

const healthGauges = ({ isHealthy, reasons }: Health): readonly Family[] => {
  const concerns = [...new Map(reasons.map((reason) => [`${reason.concerns} ${reason.severity}`, reason])).values()];
  return [
    gauge('overlay_controller_healthy', '1 if the controller is healthy, otherwise 0.', [[{}, isHealthy ? 1 : 0]]),
    gauge(
      'overlay_controller_health_reasons',
      'Reasons for warnings and errors in the health of the controller.',
      concerns.map(({ concerns, severity }) => [{ concerns, severity }, 1]),
    ),
  ];
};

const statisticsGauges = (statistics: Statistics): readonly Family[] => {
  const { entities, queues, connectedRouters, traffic, roleIndexes, readCacheBytes } = statistics;
  return [
    gauge(
      'overlay_controller_entities',
      'Entities in the store, by kind.',
      Object.entries(entities).map(([kind, number]) => [{ kind }, number]),
    ),
    gauge(
      'overlay_controller_queue_running',
      'Tasks that are running.',
      Object.entries(queues).map(([queue, { running }]) => [{ queue }, running]),
    ),
    gauge(
      'overlay_controller_queue_waiting',
      'Tasks that are waiting.',
      Object.entries(queues).map(([queue, { waiting }]) => [{ queue }, waiting]),
    ),
    gauge('overlay_controller_connected_routers', 'Routers that are connected to this controller.', [[{}, connectedRouters]]),
    gauge('overlay_controller_links', 'Links between routers that are connected to this controller.', [[{}, traffic.links]]),
    gauge('overlay_controller_circuits', 'Circuits over routers that are connected to this controller.', [[{}, traffic.circuits]]),
    gauge(
      'overlay_controller_carried_bytes',
      'Bytes that the connected routers have carried since they were started, as they last reported.',
      Object.entries(traffic.bytes).map(([point, bytes]) => [{ point }, bytes]),
    ),
    gauge(
      'overlay_controller_role_index_bytes',
      'Approximate memory of the role indexes, by table.',
      Object.entries(roleIndexes).map(([table, { bytes }]) => [{ table }, bytes]),
    ),
    gauge('overlay_controller_read_cache_bytes', 'Approximate memory of the read cache.', [[{}, readCacheBytes]]),
  ];
};
