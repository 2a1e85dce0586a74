import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import { monotonic } from '../../runtime/platform/clock.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { Unanswered } from '../control-channel/requests.ts';
import type { FabricPath } from '../links/paths.ts';
import type { RouterLinks } from '../links/router-links.ts';
import type { Fabric } from '../registry/fabric.ts';
import type { Circuit, CircuitTable } from './circuit-table.ts';
import { changeRoute, RouteFailed } from './route.ts';
import type { Unrouting } from './unroute.ts';

/** The outcome for a circuit that has no other path. */
export type NoPathOutcome = 'end' | 'keep';

/** Moves circuits to other paths when theirs are broken. */
export interface Rerouting {
  /** Moves circuits to the currently cheapest paths. A circuit ends if one of its routers fails to change the route. */
  reroute(circuits: readonly Circuit[], withoutPath: NoPathOutcome): void;
  /** True while a circuit is being rerouted. Router reports may then refer to the old or the new path. */
  isRerouting(circuitId: string): boolean;
}

/** Dependencies of rerouting. */
export interface ReroutingDependencies extends Pick<Unrouting, 'unroute'> {
  readonly fabric: Fabric;
  readonly links: Pick<RouterLinks, 'table' | 'paths'>;
  readonly circuits: CircuitTable;
  end(circuitId: string): void;
}

/** Maximum number of circuits that are rerouted concurrently: a broken link may have carried thousands. */
const CONCURRENCY = 64;

/** A circuit that still has no path after this time ends: its client and host have timed out by then. ms */
const TIMEOUT = 30_000;

/** Maximum number of times that a circuit is rerouted within a period (ms). The next fault ends it. */
const MAX_REROUTES = 3;
const PERIOD = 60_000;

export const createRerouting = ({ fabric, links, circuits, unroute, end }: ReroutingDependencies): Rerouting => {
  const { core, connected } = fabric;
  const { clock, logger } = core.platform;
  const repeated = createRepeatedLog(core.platform);
  const semaphore = createSemaphore(CONCURRENCY);
  const rerouting = new Map<string, NoPathOutcome>();
  /** Times of recent reroutes per circuit, monotonic ms. The most recently rerouted circuit is the last entry. */
  const recent = new Map<string, readonly number[]>();

  const currentPath = async ({ path }: Circuit): Promise<FabricPath | undefined> => {
    try {
      return (await links.paths.from(path[0] ?? '', 'current')).to(path.at(-1) ?? '');
    } catch (error) {
      // Not worth a warning while the controller closes: all routers are disconnected then.
      if (connected.all().length > 0)
        repeated('warn', 'could not reroute circuits, because the costs of routers could not be read', { error });
      return undefined;
    }
  };

  /** @returns false if the circuit was rerouted too often */
  const countReroute = (id: string): boolean => {
    const now = monotonic(clock);
    for (const [other, times] of recent) {
      if (now - (times.at(-1) ?? 0) < PERIOD) break;
      recent.delete(other);
    }
    const times = (recent.get(id) ?? []).filter((at) => now - at < PERIOD);
    if (times.length === MAX_REROUTES) return false;
    recent.delete(id);
    recent.set(id, [...times, now]);
    return true;
  };

  /** @throws RouteFailed; Unanswered */
  const changePath = async ({ id, ingress, egress, tags, attempts, path }: Circuit, next: FabricPath): Promise<void> => {
    const routers = next.routers.map((routerId) => connected.get(routerId));
    const added = next.routers.filter((routerId) => !path.includes(routerId));
    const removed = path.filter((routerId) => !next.routers.includes(routerId));
    try {
      await changeRoute({ circuitId: id, attempt: attempts, ingress, egress, tags, routers, links: next.links });
    } catch (error) {
      unroute(added, id, true);
      throw error;
    }
    // The circuit may have ended during the change.
    if (!circuits.get(id)) return unroute(added, id, true);
    circuits.reroute(id, { path: next.routers, links: next.links });
    unroute(removed, id, false);
  };

  const isIntact = ({ links: used }: Circuit): boolean => used.every((id) => links.table.get(id));

  /**
   * Repeats until no link of the path is known to be broken.
   * @returns false if there is no path
   * @throws RouteFailed; Unanswered
   */
  const rerouteOne = async (id: string): Promise<boolean> => {
    for (let isFirst = true; ; isFirst = false) {
      const before = circuits.get(id);
      if (!before || (!isFirst && isIntact(before))) return true;
      const path = await currentPath(before);
      const circuit = circuits.get(id);
      if (!circuit) return true;
      if (!path || !countReroute(id)) return false;
      await changePath(circuit, path);
    }
  };

  const rerouteAll = async (ids: readonly string[]): Promise<void> => {
    const since = monotonic(clock);
    const rerouteOrEnd = async (id: string) => {
      try {
        const hasPath = monotonic(clock) - since <= TIMEOUT && (await rerouteOne(id));
        if (!hasPath && rerouting.get(id) === 'end') end(id);
      } catch (error) {
        // Some of its routers may use the old path, and others the new one.
        end(id);
        if (!(error instanceof RouteFailed || error instanceof Unanswered))
          logger.warn('could not reroute a circuit, which has ended', { circuitId: id, error });
      } finally {
        rerouting.delete(id);
      }
    };
    await Promise.all(ids.map((id) => semaphore.run(() => rerouteOrEnd(id))));
  };

  return {
    isRerouting: (id) => rerouting.has(id),
    reroute: (affected, withoutPath) => {
      const ids = affected.map(({ id }) => id).filter((id) => !rerouting.has(id));
      for (const { id } of affected) if (withoutPath === 'end' || !rerouting.has(id)) rerouting.set(id, withoutPath);
      if (ids.length > 0) void rerouteAll(ids);
    },
  };
};
