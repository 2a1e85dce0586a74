/** The graph of a network: its routers, the links between them, and the circuits, identities and services at each. */
import type { Circuit, EdgeRouter, Router, RouterLink, Terminator } from '../../client/index.ts';

export interface GraphRouter {
  readonly id: string;
  readonly name: string;
  readonly group: 'edgeRouters' | 'transitRouters';
  readonly state: 'online' | 'offline' | 'disabled';
  readonly roleAttributes: readonly string[];
  /** Number of circuits whose paths contain the router. */
  readonly circuits: number;
  /** Ids of the identities whose circuits begin at the router. */
  readonly clients: readonly string[];
  /** The services with a terminator at the router: names by id. */
  readonly services: ReadonlyMap<string, string>;
}

/** The links between two routers. */
export interface GraphLink {
  /** Ids of the routers. */
  readonly ends: readonly [string, string];
  readonly protocols: readonly string[];
  readonly count: number;
  /** The least cost of these links. */
  readonly cost: number;
  /** The greatest latency of these links in milliseconds; 0 if none is known. */
  readonly latency: number;
  /** Bytes per second over these links in the last minutes; undefined if they are not known. */
  readonly bytes: number | undefined;
  /** Number of circuits that use one of these links. */
  readonly circuits: number;
}

/** The collections that a graph is made from. */
export type GraphCollection = 'edgeRouters' | 'transitRouters' | 'links' | 'circuits' | 'terminators';

export interface NetworkGraph {
  readonly routers: readonly GraphRouter[];
  readonly links: readonly GraphLink[];
  /** The collections of which the picture contains only a part. */
  readonly partial: readonly GraphCollection[];
}

const withoutDuplicates = <T extends { readonly id: string }>(entities: readonly T[]): readonly T[] => {
  const seen = new Set<string>();
  return entities.filter(({ id }) => !seen.has(id) && seen.add(id));
};

/** @param routers may contain an edge router twice: the list of transit routers contains the edge routers, too */
export const graphRouters = (
  routers: readonly (EdgeRouter | Router)[],
  circuits: readonly Circuit[],
  terminators: readonly Terminator[],
): readonly GraphRouter[] => {
  const circuitsAt = Map.groupBy(
    circuits.flatMap((circuit) => circuit.path.nodes.map(({ id }) => ({ id, circuit }))),
    ({ id }) => id,
  );
  const circuitsFrom = Map.groupBy(circuits, ({ path }) => path.nodes[0]?.id);
  const terminatorsAt = Map.groupBy(terminators, ({ routerId }) => routerId);
  return withoutDuplicates(routers).map((router) => ({
    id: router.id,
    name: router.name,
    group: 'roleAttributes' in router ? 'edgeRouters' : 'transitRouters',
    state: router.disabled ? 'disabled' : router.isOnline ? 'online' : 'offline',
    roleAttributes: 'roleAttributes' in router ? (router.roleAttributes ?? []) : [],
    circuits: circuitsAt.get(router.id)?.length ?? 0,
    clients: [...new Set(circuitsFrom.get(router.id)?.map(({ clientId }) => clientId))],
    services: new Map(terminatorsAt.get(router.id)?.map(({ serviceId, service }) => [serviceId, service?.name ?? serviceId])),
  }));
};

/** Adds up the amounts that are known. */
export const knownSum = (amounts: readonly (number | undefined)[]): number | undefined =>
  amounts.reduce((sum, amount) => (amount === undefined ? sum : (sum ?? 0) + amount), undefined);

/**
 * Joins the links between the same two routers.
 * @param load bytes per second by the id of a link
 */
export const graphLinks = (
  links: readonly RouterLink[],
  circuits: readonly Circuit[],
  load: ReadonlyMap<string, number>,
): readonly GraphLink[] => {
  const circuitsOver = Map.groupBy(
    circuits.flatMap((circuit) => circuit.path.links.map(({ id }) => ({ id, circuit: circuit.id }))),
    ({ id }) => id,
  );
  const between = Map.groupBy(links, ({ sourceRouter, destRouter }) => [sourceRouter.id, destRouter.id].toSorted().join(' '));
  return [...between.values()].flatMap((parallel) => {
    const [first] = parallel;
    if (!first) return [];
    return {
      ends: [first.sourceRouter.id, first.destRouter.id] as const,
      protocols: [...new Set(parallel.map(({ protocol }) => protocol))].toSorted(),
      count: parallel.length,
      cost: Math.min(...parallel.map(({ cost }) => cost)),
      latency: Math.max(...parallel.flatMap(({ sourceLatency, destLatency }) => [sourceLatency, destLatency])) / 1e6,
      bytes: knownSum(parallel.map(({ id }) => load.get(id))),
      circuits: new Set(parallel.flatMap(({ id }) => circuitsOver.get(id)?.map(({ circuit }) => circuit) ?? [])).size,
    };
  });
};
