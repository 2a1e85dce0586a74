import { assertNoneProtected } from '../../call/authentication/protected-identities.ts';
import type { Call } from '../../call/call.ts';
import { belongingWithin, visibleIds } from '../../call/resources/granted.ts';
import { pageInMemory } from '../../call/resources/in-memory.ts';
import { rowsById, rowsReferredBy } from '../../call/resources/references.ts';
import { circuitSymbols } from '../../contract/api/circuits.ts';
import { identity, router, service } from '../../contract/api/kinds.ts';
import type { Kind, ListQuery } from '../../contract/api/kit/index.ts';
import { linkSymbols } from '../../contract/api/links.ts';
import { notFound } from '../../contract/errors/index.ts';
import type { Document, Symbols } from '../../query/index.ts';
import type { Traffic, TrafficCircuit, TrafficLink } from '../../runtime/presence/traffic.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { fabricEntity, fabricReference } from './references.ts';

type Id = { readonly id: string };

/** A kind of entities that exist only in memory. */
export interface LiveKind<L extends Id, D extends Document, T> {
  /** Its name in errors. */
  readonly kind: string;
  readonly symbols: Symbols;
  /** Those that are listed. */
  all(traffic: Traffic): readonly L[];
  /** The one to change or end, whether it is listed or not. */
  find(traffic: Traffic, id: string): L | undefined;
  /** The entities that it belongs to, by kind. */
  readonly belongsTo: readonly (readonly [owner: Kind, idsOf: (live: L) => readonly string[]])[];
  /** As filters see it. */
  document(live: L): D;
  show(entities: Entities, documents: readonly D[], call: Call): Promise<readonly T[]>;
  /** @returns true if it existed */
  end(traffic: Traffic, id: string): boolean;
}

/** Those that belong to no entity beyond the limits of the call. */
const withinLimits = async <L extends Id>(
  { belongsTo }: Pick<LiveKind<L, Document, unknown>, 'belongsTo'>,
  entities: Entities,
  all: readonly L[],
  call: Call,
): Promise<readonly L[]> => {
  let within = all;
  for (const [owner, idsOf] of belongsTo) within = await belongingWithin(entities, owner, within, idsOf, call);
  return within;
};

/**
 * Requires that a call may change or end an entity.
 * @throws ApiError `NOT_FOUND` also for an entity beyond the limits of the call; `UNAUTHORIZED` for one of an identity with more rights
 */
export const requireLive = <L extends Id>(
  live: Pick<LiveKind<L, Document, unknown>, 'belongsTo' | 'find' | 'kind'>,
  id: string,
  call: Call,
): Promise<void> =>
  call.read(async (entities) => {
    const found = live.find(call.core.traffic, id);
    const within = await withinLimits(live, entities, found ? [found] : [], call);
    if (within.length === 0) throw notFound(live.kind, id);
    if (!call.grant.isDelegated) return;
    const owners = live.belongsTo.flatMap(([kind, idsOf]) => (kind === identity ? within.flatMap(idsOf) : []));
    await assertNoneProtected(entities, owners, call.grant);
  });

/** Handlers that read and end these entities. The store is queried only for what the caller may see, and for the names on a page. */
export const liveHandlers = <L extends Id, D extends Document, T>(live: LiveKind<L, D, T>) => ({
  list: (call: Call, query: ListQuery) =>
    call.read(async (entities) => {
      const all = await withinLimits(live, entities, live.all(call.core.traffic), call);
      const page = pageInMemory(call, live.symbols, query, all.map(live.document));
      return { ...page, data: await live.show(entities, page.data, call) };
    }),
  get: (call: Call, { id }: Id) =>
    call.read(async (entities) => {
      const found = live.all(call.core.traffic).filter((each) => each.id === id);
      const within = await withinLimits(live, entities, found, call);
      const [shown] = await live.show(entities, within.map(live.document), call);
      if (!shown) throw notFound(live.kind, id);
      return shown;
    }),
  delete: async (call: Call, { id }: Id) => {
    await requireLive(live, id, call);
    if (!live.end(call.core.traffic, id)) throw notFound(live.kind, id);
    return {};
  },
});

/** A link as filters see it. */
const linkDocument = (link: TrafficLink) => ({
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
const shownLinks = async (entities: Entities, links: readonly LinkDocument[]) => {
  const ids = links.flatMap(({ sourceRouter, destRouter }) => [sourceRouter, destRouter]);
  const routers = await rowsById(entities, router, ids);
  const routerAt = (id: string) => fabricReference('routers', id, routers.get(id)?.name);
  return links.map((link) => ({ ...link, sourceRouter: routerAt(link.sourceRouter), destRouter: routerAt(link.destRouter) }));
};

/** A circuit as filters see it. */
const circuitDocument = ({ id, createdAt, clientId, serviceId, terminatorId, path, links }: TrafficCircuit) => ({
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

/**
 * Circuits with the names of their parts, but of no router that the caller may not see. Takes two queries in total for callers without
 * limits. Terminators and links have no names: their ids are shown instead.
 */
const shownCircuits = async (entities: Entities, circuits: readonly CircuitDocument[], call: Call) => {
  const ids = circuits.flatMap(({ nodes }) => nodes);
  const routers = await rowsById(entities, router, [...(await visibleIds(entities, router, ids, call))]);
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

export const liveLinks: LiveKind<TrafficLink, LinkDocument, Awaited<ReturnType<typeof shownLinks>>[number]> = {
  kind: 'link',
  symbols: linkSymbols,
  all: (traffic) => traffic.links(),
  find: (traffic, id) => traffic.links().find((link) => link.id === id),
  belongsTo: [[router, ({ from, to }) => [from, to]]],
  document: linkDocument,
  show: shownLinks,
  end: (traffic, id) => traffic.endLink(id),
};

export const liveCircuits: LiveKind<TrafficCircuit, CircuitDocument, Awaited<ReturnType<typeof shownCircuits>>[number]> = {
  kind: 'circuit',
  symbols: circuitSymbols,
  all: (traffic) => traffic.circuits(),
  find: (traffic, id) => traffic.circuit(id),
  belongsTo: [
    [identity, ({ clientId }) => [clientId]],
    [service, ({ serviceId }) => [serviceId]],
  ],
  document: circuitDocument,
  show: shownCircuits,
  end: (traffic, id) => traffic.endCircuit(id),
};
