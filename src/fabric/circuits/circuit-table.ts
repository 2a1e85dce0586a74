import { boundedCache } from '../../runtime/platform/bounded-cache.ts';
import { createGroups } from '../../runtime/platform/groups.ts';
import type { Authorization } from '../authorization/authorization.ts';
import type { CircuitEvents } from './circuit-events.ts';
import type { CircuitRecords, RecordedCircuit } from './circuit-records.ts';

/** A connection of a client to a terminator, through the routers on its path. */
export interface Circuit extends RecordedCircuit {
  /** Stops watching its authorization. */
  stopWatching(): void;
}

/** The authorization that a circuit needs. */
export const authorizationOf = ({ clientId, serviceId, sessionId, isStored, apiSessionId, path }: RecordedCircuit): Authorization => ({
  sessionId,
  isStored,
  apiSessionId,
  identityId: clientId,
  serviceId,
  type: 'Dial',
  routerId: path[0] ?? '',
});

/** The circuits of this controller's routers. */
export interface CircuitTable {
  get(id: string): Circuit | undefined;
  all(): readonly Circuit[];
  /**
   * Reserves the id of a circuit that is being set up, because routers may report it before it is added.
   * @returns a function that releases the id
   */
  reserve(id: string): () => void;
  isReserved(id: string): boolean;
  add(circuit: Circuit): void;
  /** Adds a circuit that already has a record. */
  restore(circuit: Circuit): void;
  /** Changes the path of a circuit, if it exists. */
  reroute(id: string, path: Pick<Circuit, 'path' | 'links'>): void;
  /** @returns the circuit, if it existed */
  remove(id: string): Circuit | undefined;
  /** Circuits with the router on their path. */
  through(routerId: string): readonly Circuit[];
  /** Circuits with the link on their path. */
  over(linkId: string): readonly Circuit[];
  /** The circuit, if the router is on its path or has been, also for some time after it has ended. */
  carriedBy(id: string, routerId: string): RecordedCircuit | undefined;
  /** Circuits to the terminator. */
  to(terminatorId: string): readonly Circuit[];
}

/** Maximum number of circuits that have ended, or moved to another path, whose routers are remembered. */
const MAX_REMEMBERED = 20_000;

export const createCircuitTable = (records: CircuitRecords, events: CircuitEvents): CircuitTable => {
  const byId = new Map<string, Circuit>();
  const reserved = new Set<string>();
  const byRouter = createGroups<Circuit>(({ path }) => path);
  const byLink = createGroups<Circuit>(({ links }) => links);
  const byTerminator = createGroups<Circuit>(({ terminatorId }) => [terminatorId]);
  /** Routers of former paths, and of circuits that have ended. */
  const former = boundedCache<string, { readonly routers: ReadonlySet<string>; readonly circuit: RecordedCircuit }>(MAX_REMEMBERED);
  const groups = [byRouter, byLink, byTerminator];

  const restore = (circuit: Circuit): void => {
    byId.set(circuit.id, circuit);
    for (const group of groups) group.add(circuit);
  };
  const add = (circuit: Circuit): void => {
    restore(circuit);
    const { stopWatching: _, ...recorded } = circuit;
    records.put(recorded);
  };
  /** Those of the same circuit only: routers may use an id again. */
  const formerRouters = ({ id, ingress }: Circuit): Iterable<string> => {
    const remembered = former.get(id);
    return remembered?.circuit.ingress === ingress ? remembered.routers : [];
  };
  const take = (id: string): Circuit | undefined => {
    const circuit = byId.get(id);
    if (!circuit) return undefined;
    byId.delete(id);
    for (const group of groups) group.remove(circuit);
    const { stopWatching: _, ...recorded } = circuit;
    former.set(id, { routers: new Set([...formerRouters(circuit), ...circuit.path]), circuit: recorded });
    return circuit;
  };
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    reserve: (id) => {
      reserved.add(id);
      return () => void reserved.delete(id);
    },
    isReserved: (id) => reserved.has(id),
    add,
    restore,
    reroute: (id, { path, links }) => {
      const circuit = take(id);
      if (!circuit) return;
      const moved = { ...circuit, path, links, attempts: circuit.attempts + 1 };
      add(moved);
      events.pathUpdated(moved);
    },
    remove: (id) => {
      const circuit = take(id);
      if (!circuit) return undefined;
      records.remove(id);
      circuit.stopWatching();
      events.deleted(circuit);
      return circuit;
    },
    through: byRouter.of,
    over: byLink.of,
    carriedBy: (id, routerId) => {
      const circuit = byId.get(id);
      if (circuit?.path.includes(routerId)) return circuit;
      const remembered = former.get(id);
      return remembered?.routers.has(routerId) ? remembered.circuit : undefined;
    },
    to: byTerminator.of,
  };
};
