import { createSemaphore } from '../../../concurrency/semaphore.ts';
import { Unanswered } from '../../../control-channel/requests.ts';
import { monotonic } from '../../../platform/timers.ts';
import { memoized } from '../../policy/posture/memoized.ts';
import { routerCosts } from '../links/costs.ts';
import type { Links } from '../links/link-table.ts';
import { cheapestPaths, type RouterCost, type RouterPath } from '../links/paths.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import type { Circuit, Circuits } from './circuit-table.ts';
import { RouteFailed, reroute } from './route.ts';

/** What becomes of a circuit for which there is no other way. */
export type Otherwise = 'end' | 'stay';

/** Gives circuits other ways when theirs are broken. */
export interface Rerouting {
  /** Has circuits go over the cheapest ways that there are now. One whose routers do not do so ends. */
  move(circuits: readonly Circuit[], otherwise: Otherwise): void;
  /** Whether a circuit is given another way now: what routers say of it meanwhile may be of either way. */
  isMoving(circuitId: string): boolean;
}

/** Where circuits are moved. */
export interface ReroutingPlace {
  readonly fabric: Fabric;
  readonly links: Links;
  readonly circuits: Circuits;
  /** Has routers forget a circuit, those that are not there as soon as they are. @param now without waiting for what is under way */
  leave(routerIds: readonly string[], circuitId: string, now: boolean): void;
  /** Ends a circuit on all its routers. */
  end(circuitId: string): void;
}

/** Circuits that are moved at once: a link that breaks may have carried thousands. */
const AT_ONCE = 64;

/** A circuit that has no way for that long ends: its ends have given it up. ms */
const MOVED_WITHIN = 30_000;

/** How often a circuit is moved within some time, ms; the next fault ends it. */
const MOST_MOVES = 3;
const COUNTED_FOR = 60_000;

/** The cheapest way from one router to another, as the fabric was when it was looked at. */
type Ways = (from: string, to: string) => RouterPath | undefined;

export const createRerouting = ({ fabric: { core, connected }, links, circuits, leave, end }: ReroutingPlace): Rerouting => {
  const { clock, logger } = core.platform;
  const turns = createSemaphore(AT_ONCE);
  const moving = new Map<string, Otherwise>();
  /** When circuits were moved lately, monotonic ms; those moved last at the end. */
  const moved = new Map<string, readonly number[]>();

  const look = async (): Promise<Ways> => {
    const ids = connected.all().map(({ id }) => id);
    const costs = await forRouters(core, (job) => job.read((entities) => routerCosts(entities, ids))).catch((error: unknown) => {
      // All routers are gone when the controller closes.
      if (connected.all().length > 0) logger.warn('other ways for circuits could not be looked for', { error });
      return new Map<string, RouterCost>();
    });
    const from = memoized((id: string) => cheapestPaths(id, links.all(), costs));
    return (one, other) => from(one).get(other);
  };

  /** @returns whether the circuit may be moved once more */
  const count = (id: string): boolean => {
    const now = monotonic(clock);
    for (const [other, times] of moved) {
      if (now - (times.at(-1) ?? 0) < COUNTED_FOR) break;
      moved.delete(other);
    }
    const lately = (moved.get(id) ?? []).filter((at) => now - at < COUNTED_FOR);
    if (lately.length === MOST_MOVES) return false;
    moved.delete(id);
    moved.set(id, [...lately, now]);
    return true;
  };

  /** @throws RouteFailed; Unanswered */
  const over = async ({ id, ingress, egress, tags, attempts, path }: Circuit, way: RouterPath): Promise<void> => {
    const routers = way.routers.map((routerId) => connected.get(routerId));
    const added = way.routers.filter((routerId) => !path.includes(routerId));
    try {
      await reroute({ circuitId: id, attempt: attempts, ingress, egress, tags, routers, links: way.links });
    } catch (error) {
      leave(added, id, true);
      throw error;
    }
    // It may have ended meanwhile.
    if (!circuits.get(id)) return leave(added, id, true);
    circuits.move(id, { path: way.routers, links: way.links });
    // What is under way there may come to its end.
    leave(
      path.filter((routerId) => !way.routers.includes(routerId)),
      id,
      false,
    );
  };

  const isWhole = ({ links: used }: Circuit): boolean => used.every((id) => links.get(id));

  /** Until it has a way of which nothing is known to be broken. @returns whether there is one @throws RouteFailed; Unanswered */
  const moveOne = async (id: string, first: Ways): Promise<boolean> => {
    for (let ways = first, isFirst = true; ; ways = await look(), isFirst = false) {
      const circuit = circuits.get(id);
      if (!circuit || (!isFirst && isWhole(circuit))) return true;
      const way = ways(circuit.path[0] ?? '', circuit.path.at(-1) ?? '');
      if (!way || !count(id)) return false;
      await over(circuit, way);
    }
  };

  const moveAll = async (ids: readonly string[]): Promise<void> => {
    const since = monotonic(clock);
    const ways = await look();
    const one = async (id: string) => {
      try {
        const hasWay = monotonic(clock) - since <= MOVED_WITHIN && (await moveOne(id, ways));
        if (!hasWay && moving.get(id) === 'end') end(id);
      } catch (error) {
        // Some of its routers hand it on one way, and some the other.
        end(id);
        if (!(error instanceof RouteFailed || error instanceof Unanswered))
          logger.warn('a circuit could not be given another way', { circuitId: id, error });
      } finally {
        moving.delete(id);
      }
    };
    await Promise.all(ids.map((id) => turns.run(() => one(id))));
  };

  return {
    isMoving: (id) => moving.has(id),
    move: (some, otherwise) => {
      const ids = some.map(({ id }) => id).filter((id) => !moving.has(id));
      for (const { id } of some) if (otherwise === 'end' || !moving.has(id)) moving.set(id, otherwise);
      if (ids.length > 0) void moveAll(ids);
    },
  };
};
