import { allNetworkEventKinds, checkedOptions } from '../../src/adapter-kit.ts';
import type { ManagementController, NetworkEvent, NetworkEventKind } from '../../src/index.ts';
import { listenToKinds } from '../events/listen.ts';

/** A record as `emit` of `@opentelemetry/api-logs` takes it. */
export interface EventLogRecord {
  eventName: string;
  timestamp: Date;
  severityNumber: number;
  severityText: string;
  attributes: Record<string, string | number | boolean | string[]>;
}

/** The part of a provider of loggers that is used: `LoggerProvider` of `@opentelemetry/api-logs` has it. */
export interface EventLoggerProvider {
  /** @returns the logger of an instrumentation scope */
  getLogger(name: string): EventLogger;
}

/** The part of a logger that is used: `Logger` of `@opentelemetry/api-logs` has it. */
export interface EventLogger {
  /** Records an event. */
  emit(record: EventLogRecord): void;
}

/** Options of `openTelemetryEvents`. */
export interface OpenTelemetryEventsOptions {
  /**
   * The provider of loggers, such as `logs` of `@opentelemetry/api-logs`, which is the globally registered one. `@opentelemetry/api` has
   * it, too, from 1.10 on.
   */
  readonly loggerProvider: EventLoggerProvider;
  /** The kinds of events. Default: all but those that count and measure (`metrics`, `service`, `usage`), and `trace`. */
  readonly kinds?: readonly NetworkEventKind[];
}

/** Kinds that are not recorded by default, because they are too frequent. */
const FREQUENT: ReadonlySet<NetworkEventKind> = new Set(['metrics', 'service', 'trace', 'usage', 'usage.v3']);

/** Bounds of a record: the states of entities in `entity.change` may be large. */
const MAX_ATTRIBUTES = 64;
const MAX_ITEMS = 64;
const MAX_LENGTH = 1024;
/** Depth below which objects are attributes as JSON. */
const MAX_DEPTH = 4;

/**
 * Emits the network events of a controller as log records of OpenTelemetry. The event name is the kind and the type, such as
 * `overlay_controller.circuit.failed`; the fields are attributes, such as `overlay_controller.service_id` and
 * `overlay_controller.path.nodes`. Like the events, they contain no secrets. A record has at most 64 attributes, texts of 1,024 characters,
 * and lists of 64 items.
 *
 * ```ts
 * import { logs } from '@opentelemetry/api-logs';
 * const stop = openTelemetryEvents(controller, { loggerProvider: logs });
 * ```
 * @returns a function that stops it
 * @throws TypeError for an unknown kind or option
 */
export const openTelemetryEvents = (
  controller: Pick<ManagementController, 'networkEvents'>,
  options: OpenTelemetryEventsOptions,
): (() => void) => {
  const { loggerProvider, kinds = DEFAULT_KINDS } = checkedOptions('openTelemetryEvents', options, { loggerProvider: true, kinds: true });
  const logger = loggerProvider.getLogger('overlay-controller');
  return listenToKinds(controller.networkEvents, kinds, (kind) => (event) => logger.emit(recordOf(kind, event)));
};

const DEFAULT_KINDS = allNetworkEventKinds.filter((kind) => !FREQUENT.has(kind));

const recordOf = (kind: NetworkEventKind, event: NetworkEvent): EventLogRecord => {
  const { namespace: _, timestamp, ...fields } = event;
  const type = 'event_type' in event ? event.event_type : 'eventType' in event ? event.eventType : undefined;
  return {
    eventName: ['overlay_controller', kind, ...(type === undefined ? [] : [type])].join('.'),
    // Not a number, which the API may take for milliseconds since the process started.
    timestamp: new Date(timestamp),
    ...severityOf(kind, type),
    attributes: attributesOf(fields),
  };
};

/** Severities, with their numbers in the data model of OpenTelemetry. */
const INFO = { severityNumber: 9, severityText: 'INFO' } as const;
const WARN = { severityNumber: 13, severityText: 'WARN' } as const;
const ERROR = { severityNumber: 17, severityText: 'ERROR' } as const;
const FAILURES: ReadonlySet<string> = new Set(['exceeded', 'fail', 'failed', 'fault']);

const severityOf = (kind: NetworkEventKind, type: string | undefined): typeof INFO | typeof WARN | typeof ERROR => {
  if (kind === 'alert') return ERROR;
  return type !== undefined && FAILURES.has(type) ? WARN : INFO;
};

/** The fields of an event, those of objects by their path. */
const attributesOf = (fields: object): EventLogRecord['attributes'] => {
  const attributes: EventLogRecord['attributes'] = {};
  let left = MAX_ATTRIBUTES;
  const add = (path: string, value: unknown, depth: number): void => {
    if (left === 0 || value === null || value === undefined) return;
    if (typeof value === 'object' && !Array.isArray(value) && depth < MAX_DEPTH) {
      for (const [name, each] of Object.entries(value)) add(`${path}.${name}`, each, depth + 1);
      return;
    }
    left--;
    attributes[path.slice(0, MAX_LENGTH)] = Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(textOf) : scalarOf(value);
  };
  for (const [name, value] of Object.entries(fields)) add(`overlay_controller.${name}`, value, 1);
  return attributes;
};

const scalarOf = (value: unknown): string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' ? value : textOf(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_LENGTH);
