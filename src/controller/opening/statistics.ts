import type { Core } from '../../call/core.ts';
import type { KindName } from '../../contract/api/kind-names.ts';
import { kinds } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { ALL } from '../../query/index.ts';
import type { Traffic, TrafficBytes, TrafficLink } from '../../runtime/presence/traffic.ts';
import { inView, tableOf } from '../../store/changelog/views.ts';
import type { RoleIndexSize } from '../../store/indexes/role-indexes.ts';
import type { ControllerParts } from './parts.ts';

/** The state of a queue. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
}

/** Traffic of a connected router, as it last reported. */
export interface RouterTraffic {
  readonly routerId: string;
  /** Number of circuits over it. */
  readonly circuits: number;
  /** Since it started, by the point where they are counted. */
  readonly bytes: TrafficBytes;
}

/** Traffic of a link, as its routers last reported. */
export interface LinkTraffic extends Pick<TrafficLink, 'id' | 'from' | 'to' | 'cost' | 'isDown' | 'sourceLatency' | 'destLatency'> {
  /** Number of circuits over it. */
  readonly circuits: number;
}

/** Options of `statistics`. */
export interface StatisticsOptions {
  /**
   * Maximum number of routers, and of links, whose traffic is listed: the first routers by id, and the first links by id, one of each
   * dialing router in turn. Default: 0.
   */
  readonly routers?: number;
}

/** Entities of the network, and the load of a controller. */
export interface Statistics {
  /** Number of entities by kind. Expired API sessions count until they are deleted. */
  readonly entities: Readonly<Partial<Record<KindName, number>>>;
  readonly queues: Readonly<Record<'writes' | 'enrollments' | 'passwordChecks', QueueLoad>>;
  /** Number of routers connected to this controller. */
  readonly connectedRouters: number;
  /**
   * Traffic of these routers, as last reported: current links and circuits, and bytes since each router started, by the point where they
   * are counted.
   */
  readonly traffic: {
    readonly links: number;
    readonly circuits: number;
    readonly bytes: TrafficBytes;
    /** Of each router and of each link; only if requested. */
    readonly byRouter?: readonly RouterTraffic[];
    readonly byLink?: readonly LinkTraffic[];
  };
  /** Sizes of the in-memory indexes of role attributes, by table, for tables that have one. */
  readonly roleIndexes: Readonly<Record<string, RoleIndexSize>>;
  /** Approximate size of the read cache in bytes. */
  readonly readCacheBytes: number;
}

/** Time for which counts are cached, because each kind costs a statement. ms */
const CACHED_MS = 5000;

/** Internal kinds, which no operation returns. */
const INTERNAL_KINDS: readonly Kind[] = [
  kinds.authRequest,
  kinds.keptSecret,
  kinds.idempotencyKey,
  kinds.endCount,
  kinds.builtInRow,
  kinds.lease,
  kinds.cursor,
  kinds.sessionReview,
  kinds.maintenanceTask,
  kinds.tenant,
];

/** @returns a function that collects the statistics; entities are counted at most once per `CACHED_MS` */
export const createStatistics = (
  core: Core,
  { writes, roleIndexes }: Pick<ControllerParts, 'writes' | 'roleIndexes'>,
): ((options?: StatisticsOptions) => Promise<Statistics>) => {
  const { store, platform, enrollments, passwordChecks, presence, traffic, readCache } = core;
  const counted: readonly Kind[] = Object.values<Kind>(kinds).filter((kind) => !INTERNAL_KINDS.includes(kind));
  const count = (): Promise<Statistics['entities']> =>
    store.transaction('read', async (tx) => {
      const numbers: Record<string, number> = {};
      for (const kind of counted) numbers[kind.kind] = await tx.count(tableOf(kind), inView(kind, ALL));
      return numbers;
    });

  let last: { readonly at: number; readonly entities: Promise<Statistics['entities']> } | undefined;
  const entities = (): Promise<Statistics['entities']> => {
    const now = platform.clock.now();
    if (last && Math.abs(now - last.at) < CACHED_MS) return last.entities;
    const counting = count();
    last = { at: now, entities: counting };
    counting.catch(() => {
      last = undefined;
    });
    return counting;
  };
  return async ({ routers = 0 } = {}) => ({
    entities: await entities(),
    queues: { writes: loadOf(writes), enrollments: loadOf(enrollments), passwordChecks: loadOf(passwordChecks) },
    connectedRouters: presence.localCount,
    traffic: {
      links: traffic.links().length,
      circuits: traffic.circuits().length,
      bytes: traffic.carried(),
      ...(routers > 0 && eachOf(traffic, routers)),
    },
    roleIndexes: roleIndexes.sizes(),
    readCacheBytes: readCache.bytes,
  });
};

const loadOf = ({ running, waiting }: QueueLoad): QueueLoad => ({ running, waiting });

/** @param most number of routers, and of links. Always the same ones are listed, because they are series of metrics */
const eachOf = (traffic: Pick<Traffic, 'links' | 'circuits' | 'carriedByRouter'>, most: number) => {
  const counts = new Map<string, number>();
  for (const { path, links } of traffic.circuits())
    for (const id of new Set([...path, ...links])) counts.set(id, (counts.get(id) ?? 0) + 1);
  return {
    byRouter: sortedBy(traffic.carriedByRouter(), 'routerId')
      .slice(0, most)
      .map((each) => ({ ...each, circuits: counts.get(each.routerId) ?? 0 })),
    byLink: inTurn(traffic.links(), most).map(({ id, from, to, cost, isDown, sourceLatency, destLatency }) => ({
      ...{ id, from, to, cost, isDown, sourceLatency, destLatency },
      circuits: counts.get(id) ?? 0,
    })),
  };
};

const sortedBy = <T, F extends keyof T>(all: readonly T[], field: F): readonly T[] =>
  all.toSorted((one, other) => (one[field] < other[field] ? -1 : 1));

/**
 * The first links by id, one of each dialing router in turn. Routers choose the ids of their links: otherwise, one with many small ids
 * would displace the links of all others.
 */
const inTurn = (links: readonly TrafficLink[], most: number): readonly TrafficLink[] => {
  const byRouter = [...Map.groupBy(sortedBy(links, 'id'), ({ from }) => from).values()];
  const turns = byRouter.flatMap((ofRouter) => ofRouter.slice(0, most).map((link, turn) => ({ link, turn })));
  return turns
    .sort((one, other) => one.turn - other.turn)
    .slice(0, most)
    .map(({ link }) => link);
};
