import { rowsById } from '../../call/resources/references.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { router } from '../../contract/api/routers.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type LinkChange, type LinkTable, linkCost } from './link-table.ts';

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

/** The additional cost of a quiesced router: more than that of a path over 15 routers of the highest cost. */
const QUIESCED_COST = 1_000_000;

type CostlyRow = Pick<RowOf<typeof router>, 'cost' | 'noTraversal' | 'disabled' | 'isQuiesced'>;

/** The cost of a router; undefined if circuits may not use it. */
export const routerCost = (row: CostlyRow | null): RouterCost | undefined =>
  row && !row.disabled
    ? { cost: (row.cost ?? 0) + (row.isQuiesced ? QUIESCED_COST : 0), noTraversal: row.noTraversal ?? false }
    : undefined;

/** The costs of the routers that circuits may use. */
export const routerCosts = async (entities: Entities, routerIds: readonly string[]): Promise<ReadonlyMap<string, RouterCost>> => {
  const rows = await rowsById(entities, router, routerIds);
  return new Map(
    [...rows].flatMap(([id, row]) => {
      const cost = routerCost(row);
      return cost ? [[id, cost]] : [];
    }),
  );
};

/** The cheapest paths from one router to all others that can be reached. */
export interface CheapestPaths {
  /** The cost of the path to a router; undefined if it cannot be reached. */
  costTo(routerId: string): number | undefined;
  to(routerId: string): FabricPath | undefined;
  /** True if some path changes with a link that is used between two routers since. */
  isChangedBy(change: LinkChange): boolean;
  /** Number of steps that it took to find them. */
  readonly steps: number;
}

/** The last step of a path. */
interface Step {
  readonly to: string;
  readonly cost: number;
  /** Undefined where the path begins. */
  readonly from: Step | undefined;
  readonly link: string;
}

/**
 * Finds the cheapest paths from a router (Dijkstra's algorithm). Among several links between two routers, the cheapest is used, and of
 * those the one known longest. Yields the number of steps since the last time.
 * @param routers the routers that may be used, by id
 */
export function* cheapestPaths(
  from: string,
  links: Pick<LinkTable, 'neighbours'>,
  routers: ReadonlyMap<string, RouterCost>,
): Generator<number, CheapestPaths> {
  const open = createQueue();
  const found = new Map<string, Step>();
  const least = new Map<string, number>();
  let steps = 0;
  const isPassable = (id: string) => id === from || !routers.get(id)?.noTraversal;
  if (routers.has(from)) open.add({ to: from, cost: 0, from: undefined, link: '' });
  for (let step = open.take(); step; step = open.take()) {
    const { to: current } = step;
    if (found.has(current)) continue;
    found.set(current, step);
    if (!isPassable(current)) continue;
    const neighbours = links.neighbours(current);
    // Routers may report links to any number of routers that do not exist.
    const isShorter = neighbours.size <= routers.size;
    for (const to of isShorter ? neighbours.keys() : routers.keys()) {
      const router = routers.get(to);
      if (!router) continue;
      const link = neighbours.get(to)?.used;
      if (!link) continue;
      const cost = step.cost + linkCost(link) + router.cost;
      if (cost >= (least.get(to) ?? Infinity)) continue;
      least.set(to, cost);
      open.add({ to, cost, from: step, link: link.id });
    }
    const taken = 1 + Math.min(neighbours.size, routers.size);
    steps += taken;
    yield taken;
  }
  const isChangedAt = (one: string, other: string, { former, current }: LinkChange): boolean => {
    const [step, last, router] = [found.get(one), found.get(other), routers.get(other)];
    if (former !== undefined && last?.link === former) return true;
    if (!current || !step || !router || !isPassable(one)) return false;
    return step.cost + linkCost(current) + router.cost < (last?.cost ?? Infinity);
  };
  return {
    costTo: (routerId) => found.get(routerId)?.cost,
    to: (routerId) => pathOf(found.get(routerId)),
    isChangedBy: (change) => isChangedAt(change.from, change.to, change) || isChangedAt(change.to, change.from, change),
    steps,
  };
}

const pathOf = (last: Step | undefined): FabricPath | undefined => {
  if (!last) return undefined;
  const [routers, links] = [[last.to], [] as string[]];
  for (let step = last; step.from; step = step.from) {
    routers.unshift(step.from.to);
    links.unshift(step.link);
  }
  return { cost: last.cost, routers, links };
};

/** A queue of steps, the cheapest first; among equally cheap ones, the one that was added first. It is a binary heap. */
const createQueue = () => {
  const heap: { readonly step: Step; readonly at: number }[] = [];
  let added = 0;
  const isBefore = (a: number, b: number): boolean => {
    const [one, other] = [heap[a], heap[b]];
    return one !== undefined && (!other || one.step.cost < other.step.cost || (one.step.cost === other.step.cost && one.at < other.at));
  };
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]];
    if (one && other) [heap[a], heap[b]] = [other, one];
  };
  return {
    add: (step: Step): void => {
      let at = heap.push({ step, at: added++ }) - 1;
      for (let parent = (at - 1) >> 1; at > 0 && isBefore(at, parent); at = parent, parent = (at - 1) >> 1) swap(at, parent);
    },
    take: (): Step | undefined => {
      swap(0, heap.length - 1);
      const first = heap.pop()?.step;
      for (let at = 0, next = 0; ; at = next) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        if (isBefore(left, next)) next = left;
        if (isBefore(right, next)) next = right;
        if (next === at) return first;
        swap(at, next);
      }
    },
  };
};
