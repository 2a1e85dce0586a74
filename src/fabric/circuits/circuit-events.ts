import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import type { NetworkEvents } from '../../runtime/observability/network-events.ts';
import type { Authorization } from '../authorization/authorization.ts';
import { RequestRefused } from '../authorization/authorize.ts';
import { refusalCode } from '../control-channel/messages/circuits.ts';
import type { RecordedCircuit } from './circuit-records.ts';
import { causeOf } from './failure-cause.ts';

type CircuitEvent = ToldEvent<'circuit'>;

const NANOSECONDS = 1_000_000;

/** Emits the events of circuits, each as long as someone listens. */
export interface CircuitEvents {
  /** @param milliseconds that it took to set up the circuit */
  created(circuit: RecordedCircuit, milliseconds: number, pathCost: number): void;
  pathUpdated(circuit: RecordedCircuit): void;
  deleted(circuit: RecordedCircuit): void;
  failed(attempt: FailedCircuit): void;
}

/** A circuit that could not be set up. */
export interface FailedCircuit {
  readonly id: string;
  readonly instanceId: string;
  /** Duration of the attempt. */
  readonly milliseconds: number;
  readonly error: unknown;
  /** The authorization of the client. Undefined if the request was refused. */
  readonly authorization?: Authorization | undefined;
  /** The last route that was tried. Undefined if there was none, because no terminator could be reached. */
  readonly tried?: TriedRoute | undefined;
}

/** A route to a terminator that could not be set up. */
export interface TriedRoute extends Pick<RecordedCircuit, 'terminatorId' | 'path' | 'links' | 'ingress' | 'egress' | 'tags'> {
  readonly cost: number;
}

export const createCircuitEvents = (events: NetworkEvents, now: () => number): CircuitEvents => {
  const emit = (
    event_type: CircuitEvent['event_type'],
    circuit: RecordedCircuit,
    details: (age: number) => Pick<CircuitEvent, 'creation_timespan' | 'path_cost' | 'duration'>,
  ) =>
    events.emit('circuit', () => ({
      version: 2,
      event_type,
      circuit_id: circuit.id,
      client_id: circuit.sessionId,
      service_id: circuit.serviceId,
      terminator_id: circuit.terminatorId,
      instance_id: circuit.instanceId,
      path: pathOf(circuit),
      link_count: circuit.links.length,
      ...details((now() - Date.parse(circuit.createdAt)) * NANOSECONDS),
      tags: tagsOf(circuit),
    }));
  return {
    created: (circuit, milliseconds, path_cost) =>
      emit('created', circuit, () => ({ creation_timespan: Math.round(milliseconds * NANOSECONDS), path_cost })),
    pathUpdated: (circuit) => emit('pathUpdated', circuit, (duration) => ({ duration })),
    deleted: (circuit) => emit('deleted', circuit, (duration) => ({ duration })),
    failed: ({ id, instanceId, milliseconds, error, authorization, tried }) => {
      const isTold = authorization !== undefined || (error instanceof RequestRefused && error.code === refusalCode.invalidService);
      if (!isTold) return;
      events.emit('circuit', () => ({
        version: 2,
        event_type: 'failed',
        circuit_id: id,
        client_id: authorization?.sessionId ?? '',
        service_id: authorization?.serviceId ?? '',
        terminator_id: tried?.terminatorId ?? '',
        instance_id: instanceId,
        creation_timespan: Math.round(milliseconds * NANOSECONDS),
        path: tried ? pathOf(tried) : { nodes: null, links: null, ingress_id: '', egress_id: '' },
        link_count: tried?.links.length ?? 0,
        ...(tried && { path_cost: tried.cost }),
        failure_cause: causeOf(error),
        tags: tried ? tagsOf(tried) : authorization ? { clientId: authorization.identityId, serviceId: authorization.serviceId } : null,
      }));
    },
  };
};

const pathOf = ({ path, links, ingress, egress }: Omit<TriedRoute, 'cost'>): CircuitEvent['path'] => ({
  nodes: path,
  links: links.length > 0 ? links : null,
  ingress_id: ingress,
  egress_id: egress,
});

const tagsOf = ({ tags }: Pick<TriedRoute, 'tags'>) => Object.fromEntries([...tags].sort());
