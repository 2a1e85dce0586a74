import { createTimeSlice } from '../../../concurrency/event-loop.ts';
import type { Budget } from '../../../control-channel/budget.ts';
import { boundedCache } from '../../../platform/bounded-cache.ts';
import { type Fabric, forRouters, onRouterChange } from '../routers/fabric.ts';
import type { LinkTable } from './link-table.ts';
import { type CheapestPaths, cheapestPaths, type RouterCost, routerCosts } from './paths.ts';

/** The cheapest paths between connected routers. They are computed once, until a router or a link changes. */
export interface FabricPaths {
  /**
   * @param budget pays for paths that have to be computed first, one element per step
   * @throws OverBudget; errors of the store
   */
  from(routerId: string, budget?: Budget): Promise<CheapestPaths>;
}

/** Number of steps before yielding to the event loop. */
const STEP_BATCH = 10_000;

/** Maximum number of routers whose paths are kept: in a network of 1000 routers, those of one take about 100 KB. */
const MAX_ORIGINS = 500;

/** The state of the network that paths depend on. */
interface Graph {
  readonly of: readonly [links: number, connected: number, routers: number];
  readonly costs: Promise<ReadonlyMap<string, RouterCost>>;
  /** By the router where they begin. */
  readonly paths: ReturnType<typeof boundedCache<string, Promise<CheapestPaths>>>;
}

export const findPaths = ({ core, connected, events }: Fabric, links: LinkTable): FabricPaths => {
  let routerChanges = 0;
  onRouterChange(events, () => void routerChanges++);

  let graph: Graph | undefined;
  const currentGraph = (): Graph => {
    const of = [links.generation, connected.generation, routerChanges] as const;
    if (graph?.of.every((generation, i) => generation === of[i])) return graph;
    // Links do not change what routers cost.
    const isSame = graph?.of[1] === of[1] && graph.of[2] === of[2];
    const ids = connected.all().map(({ id }) => id);
    const costs = (isSame && graph?.costs) || forRouters(core, (job) => job.read((entities) => routerCosts(entities, ids)));
    const next: Graph = { of, costs, paths: boundedCache(MAX_ORIGINS) };
    costs.catch(() => {
      if (graph?.costs === costs) graph = undefined;
    });
    return (graph = next);
  };

  const compute = async (from: string, costs: Graph['costs']): Promise<CheapestPaths> => {
    const work = cheapestPaths(from, links, await costs);
    const yieldAfterBatch = createTimeSlice(STEP_BATCH);
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      await yieldAfterBatch(step.value);
    }
  };

  return {
    from: async (routerId, budget) => {
      const { costs, paths } = currentGraph();
      const known = paths.get(routerId);
      if (known) return known;
      const computed = compute(routerId, costs);
      paths.set(routerId, computed);
      computed.catch(() => undefined);
      const found = await computed;
      budget?.spend({ elements: found.steps });
      return found;
    },
  };
};
