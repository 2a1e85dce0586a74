import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { boundedCache } from '../../runtime/platform/bounded-cache.ts';
import { createAddressRate } from '../../runtime/platform/request-rate.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import type { ConnectedRouters } from '../registry/connected-routers.ts';
import { type Fabric, forRouters, onRouterChange } from '../registry/fabric.ts';
import type { LinkChange, LinkTable } from './link-table.ts';
import { type CheapestPaths, cheapestPaths, type RouterCost, routerCost, routerCosts } from './paths.ts';

/** The cheapest paths between connected routers. They are computed once, until a router changes, or a link that affects them. */
export interface FabricPaths {
  /**
   * @param accuracy `recent`: where links change more often than paths can be computed, those from before the latest changes
   * @throws errors of the store
   */
  from(routerId: string, accuracy: 'current' | 'recent'): Promise<CheapestPaths>;
}

/** Number of steps before yielding to the event loop. 5000 take about a millisecond. */
const STEP_BATCH = 10_000;

/** A twentieth of the processor time, or six seconds of it at once. */
const STEPS = { perMinute: 15_000_000, burst: 30_000_000 };

/**
 * Maximum number of steps in kept paths, each to another router, of about 100 bytes: enough for the paths of all routers in a network of
 * 1,000. Fewer origins would be useless there: dials of all routers in turn would compute each path again.
 */
const MAX_KEPT_STEPS = 1_000_000;

/** Maximum number of changes after which paths may still be in use. */
const MAX_CHANGES = 5000;

/** The paths from one router. */
interface KeptPaths {
  readonly found: Promise<CheapestPaths>;
  /** The number of changes that are known to have left them as they are. */
  unchangedBy: number;
}

/** The state of the network that paths depend on. */
interface Graph {
  readonly generations: readonly [connected: number, routers: number];
  readonly costs: Promise<ReadonlyMap<string, RouterCost>>;
  /** By the router where they begin. */
  readonly paths: ReturnType<typeof boundedCache<string, KeptPaths>>;
  /** The changes of the links that paths use, since the first paths were computed, in order. */
  readonly changes: LinkChange[];
}

type Dependencies = Pick<Fabric, 'core' | 'events'> & {
  readonly connected: Pick<ConnectedRouters, 'generation'> & { get(id: string): unknown; all(): readonly { readonly id: string }[] };
};

/** @param allowance the steps for recent paths from one router */
export const findPaths = ({ core, connected, events }: Dependencies, links: LinkTable, allowance = STEPS): FabricPaths => {
  const rate = createAddressRate(core.platform.clock, allowance.perMinute, allowance.burst);
  let routerChanges = 0;
  onRouterChange(events, ({ before, after }) => {
    if (!isSameJson(routerCost(before), routerCost(after))) routerChanges++;
  });

  let graph: Graph | undefined;
  links.onChange((change) => {
    // Routers may report links to any number of routers that do not exist.
    if (!graph || !connected.get(change.from) || !connected.get(change.to)) return;
    if (graph.changes.push(change) > MAX_CHANGES) graph = undefined;
  });
  const currentGraph = (): Graph => {
    const generations = [connected.generation, routerChanges] as const;
    if (graph?.generations.every((generation, i) => generation === generations[i])) return graph;
    const ids = connected.all().map(({ id }) => id);
    const costs = forRouters(core, (job) => job.read((entities) => routerCosts(entities, ids)));
    const next: Graph = { generations, costs, paths: boundedCache(Math.ceil(MAX_KEPT_STEPS / Math.max(1, ids.length))), changes: [] };
    costs.catch(() => {
      if (graph === next) graph = undefined;
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
    from: async (routerId, accuracy) => {
      const { costs, paths, changes } = currentGraph();
      const kept = paths.get(routerId);
      if (kept) {
        const found = await kept.found;
        const changed = changes.slice(kept.unchangedBy).findIndex((change) => found.isChangedBy(change));
        if (changed < 0) {
          kept.unchangedBy = changes.length;
          return found;
        }
        kept.unchangedBy += changed;
        // Another request may already have begun to compute them again.
        const next = paths.get(routerId);
        if (next && next !== kept) return next.found;
        if (accuracy === 'recent' && rate.take(routerId, found.steps) > 0) return found;
      }
      const computed = { found: compute(routerId, costs), unchangedBy: changes.length };
      paths.set(routerId, computed);
      computed.found.catch(() => undefined);
      return computed.found;
    },
  };
};
