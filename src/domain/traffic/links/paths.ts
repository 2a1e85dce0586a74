import type { RouterLink } from './link-table.ts';

/** What a router costs that a circuit goes through. */
export interface RouterCost {
  readonly cost: number;
  /** Whether circuits may only begin or end there. */
  readonly noTraversal: boolean;
}

/** A way from one router to another. */
export interface RouterPath {
  readonly cost: number;
  /** Ids, from the first to the last. */
  readonly routers: readonly string[];
  /** Ids of the links between them. */
  readonly links: readonly string[];
}

/** What a link costs, beside the router that it leads to. */
export const LINK_COST = 1;

/**
 * The cheapest way from a router to each that can be reached (Dijkstra). Of several links between two routers, and of several ways of one cost, the one that
 * is known longest is taken.
 * @param routers those that may be used, by id
 */
export const cheapestPaths = (
  from: string,
  links: readonly RouterLink[],
  routers: ReadonlyMap<string, RouterCost>,
): ReadonlyMap<string, RouterPath> => {
  const neighbours = neighboursOf(links, routers);
  const open = new Map<string, RouterPath>();
  const found = new Map<string, RouterPath>();
  if (routers.has(from)) open.set(from, { cost: 0, routers: [from], links: [] });
  while (open.size > 0) {
    const [at, path] = cheapest(open);
    open.delete(at);
    found.set(at, path);
    if (at !== from && routers.get(at)?.noTraversal) continue;
    for (const { to, link } of neighbours.get(at) ?? []) {
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
    const known = neighbours.get(from);
    if (known) known.push({ to, link });
    else neighbours.set(from, [{ to, link }]);
  };
  for (const { id, from, to } of links) {
    add(from, to, id);
    add(to, from, id);
  }
  return neighbours;
};

/** The first of the cheapest; there is one. */
const cheapest = (open: ReadonlyMap<string, RouterPath>): readonly [string, RouterPath] =>
  [...open].reduce((best, next) => (next[1].cost < best[1].cost ? next : best));
