import { router } from '../../../api/routers.ts';
import type { Entities } from '../../../entities/entities.ts';
import { rowsById } from '../../../resources/references.ts';
import type { RouterLink } from './link-table.ts';

/** The cost of routing circuits through a router. */
export interface RouterCost {
  readonly cost: number;
  /** True if circuits may begin or end at the router, but not pass through it. */
  readonly noTraversal: boolean;
}

/** A path from one router to another. */
export interface FabricPath {
  readonly cost: number;
  /** Ids, from the first to the last. */
  readonly routers: readonly string[];
  /** Ids of the links between them. */
  readonly links: readonly string[];
}

/** The cost of a link, in addition to that of the router at its end. */
export const LINK_COST = 1;

/** The costs of the routers that circuits may use: disabled ones are left out. */
export const routerCosts = async (entities: Entities, routerIds: readonly string[]): Promise<ReadonlyMap<string, RouterCost>> => {
  const rows = await rowsById(entities, router, routerIds);
  return new Map(
    [...rows.values()]
      .filter(({ disabled }) => !disabled)
      .map(({ id, cost, noTraversal }) => [id, { cost: cost ?? 0, noTraversal: noTraversal ?? false }]),
  );
};

/**
 * The cheapest paths from a router to all reachable routers (Dijkstra's algorithm). Among several links between two routers, and among paths of equal cost,
 * the one that has been known longest is used.
 * @param routers the routers that may be used, by id
 */
export const cheapestPaths = (
  from: string,
  links: readonly RouterLink[],
  routers: ReadonlyMap<string, RouterCost>,
): ReadonlyMap<string, FabricPath> => {
  const neighbours = neighboursOf(links, routers);
  const open = new Map<string, FabricPath>();
  const found = new Map<string, FabricPath>();
  if (routers.has(from)) open.set(from, { cost: 0, routers: [from], links: [] });
  while (open.size > 0) {
    const [current, path] = cheapest(open);
    open.delete(current);
    found.set(current, path);
    if (current !== from && routers.get(current)?.noTraversal) continue;
    for (const { to, link } of neighbours.get(current) ?? []) {
      if (found.has(to)) continue;
      const cost = path.cost + LINK_COST + (routers.get(to)?.cost ?? 0);
      if (cost < (open.get(to)?.cost ?? Infinity)) open.set(to, { cost, routers: [...path.routers, to], links: [...path.links, link] });
    }
  }
  return found;
};

interface Neighbour {
  readonly to: string;
  readonly link: string;
}

const neighboursOf = (
  links: readonly RouterLink[],
  routers: ReadonlyMap<string, RouterCost>,
): ReadonlyMap<string, readonly Neighbour[]> => {
  const neighbours = new Map<string, Neighbour[]>();
  const add = (from: string, to: string, link: string) => {
    if (!routers.has(from) || !routers.has(to) || from === to) return;
    const existing = neighbours.get(from);
    if (existing) existing.push({ to, link });
    else neighbours.set(from, [{ to, link }]);
  };
  for (const { id, from, to } of links) {
    add(from, to, id);
    add(to, from, id);
  }
  return neighbours;
};

/** The cheapest path; the first one if several are equally cheap. @param open not empty */
const cheapest = (open: ReadonlyMap<string, FabricPath>): readonly [string, FabricPath] =>
  [...open].reduce((best, next) => (next[1].cost < best[1].cost ? next : best));
