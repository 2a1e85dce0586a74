import type { Core } from '../../call/core.ts';
import type { KindName } from '../../contract/api/kind-names.ts';
import { kinds } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { ALL } from '../../query/index.ts';
import type { TrafficBytes } from '../../runtime/presence/traffic.ts';
import { inView, tableOf } from '../../store/changelog/views.ts';
import type { RoleIndexSize } from '../../store/indexes/role-indexes.ts';
import type { ControllerParts } from './parts.ts';

/** The state of a queue. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
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
  readonly traffic: { readonly links: number; readonly circuits: number; readonly bytes: TrafficBytes };
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
): (() => Promise<Statistics>) => {
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
  return async () => ({
    entities: await entities(),
    queues: { writes: loadOf(writes), enrollments: loadOf(enrollments), passwordChecks: loadOf(passwordChecks) },
    connectedRouters: presence.localCount,
    traffic: { links: traffic.links().length, circuits: traffic.circuits().length, bytes: traffic.carried() },
    roleIndexes: roleIndexes.sizes(),
    readCacheBytes: readCache.bytes,
  });
};

const loadOf = ({ running, waiting }: QueueLoad): QueueLoad => ({ running, waiting });
