import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { pageInMemory } from '../../call/resources/in-memory.ts';
import { rowsById, rowsReferredBy } from '../../call/resources/references.ts';
import { router, service } from '../../contract/api/kinds.ts';
import type { ListQuery } from '../../contract/api/kit/index.ts';
import { notFound } from '../../contract/errors/index.ts';
import type { Document, Symbols } from '../../query/index.ts';
import type { TrafficCircuit, TrafficLink } from '../../runtime/presence/traffic.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { fabricEntity, fabricReference } from './references.ts';

type Id = { readonly id: string };

/** A kind of entities that exist only in memory. */
export interface LiveKind<L extends Id, D extends Document, T> {
  /** Its name in errors. */
  readonly kind: string;
  readonly symbols: Symbols;
  all(core: Core): readonly L[];
  /** As filters see it. */
  document(live: L): D;
  show(entities: Entities, documents: readonly D[]): Promise<readonly T[]>;
  /** @returns true if it existed */
  end(core: Core, id: string): boolean;
}

/** Handlers that read and end these entities. The store is queried only for the names on a page. */
export const liveHandlers = <L extends Id, D extends Document, T>({ kind, symbols, all, document, show, end }: LiveKind<L, D, T>) => ({
  list: (call: Call, query: ListQuery) =>
    call.read(async (entities) => {
      const page = pageInMemory(call, symbols, query, all(call.core).map(document));
      return { ...page, data: await show(entities, page.data) };
    }),
  get: (call: Call, { id }: Id) =>
    call.read(async (entities) => {
      const live = all(call.core).find((each) => each.id === id);
      const [shown] = live ? await show(entities, [document(live)]) : [];
      if (!shown) throw notFound(kind, id);
      return shown;
    }),
  delete: async (call: Call, { id }: Id) => {
    if (!end(call.core, id)) throw notFound(kind, id);
    return {};
  },
});

/** A link as filters see it. */
export const linkDocument = (link: TrafficLink) => ({
  id: link.id,
  protocol: link.protocol,
  dialAddress: link.dialAddress,
  sourceRouter: link.from,
  destRouter: link.to,
  state: 'Connected',
  down: link.isDown,
  staticCost: link.staticCost,
  sourceLatency: link.sourceLatency,
  destLatency: link.destLatency,
  cost: link.cost,
  iteration: link.iteration,
  connections: [...link.connections],
});

type LinkDocument = ReturnType<typeof linkDocument>;

/** Links with the names of their routers. Takes one query in total. */
export const shownLinks = async (entities: Entities, links: readonly LinkDocument[]) => {
  const ids = links.flatMap(({ sourceRouter, destRouter }) => [sourceRouter, destRouter]);
  const routers = await rowsById(entities, router, ids);
  const routerAt = (id: string) => fabricReference('routers', id, routers.get(id)?.name);
  return links.map((link) => ({ ...link, sourceRouter: routerAt(link.sourceRouter), destRouter: routerAt(link.destRouter) }));
};

/** A circuit as filters see it. */
export const circuitDocument = ({ id, createdAt, clientId, serviceId, terminatorId, path, links }: TrafficCircuit) => ({
  id,
  createdAt,
  updatedAt: createdAt,
  clientId,
  service: serviceId,
  terminator: terminatorId,
  nodes: path,
  links,
});

type CircuitDocument = ReturnType<typeof circuitDocument>;

/** Circuits with the names of their parts. Takes two queries in total. Terminators and links have no names: their ids are shown instead. */
export const shownCircuits = async (entities: Entities, circuits: readonly CircuitDocument[]) => {
  const ids = circuits.flatMap(({ nodes }) => nodes);
  const routers = await rowsById(entities, router, ids);
  const services = await rowsReferredBy(entities, service, circuits, (circuit) => circuit.service);
  return circuits.map((circuit) => ({
    ...fabricEntity('circuits', { ...circuit, tags: {} }),
    clientId: circuit.clientId,
    service: fabricReference('services', circuit.service, services.get(circuit.service)?.name),
    terminator: fabricReference('terminators', circuit.terminator, circuit.terminator),
    path: {
      nodes: circuit.nodes.map((id) => fabricReference('routers', id, routers.get(id)?.name)),
      links: circuit.links.map((id) => fabricReference('links', id, id)),
    },
  }));
};
