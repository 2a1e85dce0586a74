import { type KindName, kinds } from '../api/index.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Core } from '../call/core.ts';
import { inView, tableOf } from '../changes/views.ts';
import type { Semaphore } from '../concurrency/semaphore.ts';
import { ALL } from '../query/index.ts';

/** How much of something goes on, and how much waits for its turn. */
export interface Turns {
  readonly running: number;
  readonly waiting: number;
}

/** What there is in a network, and what a controller is busy with. */
export interface Statistics {
  /** Entities by kind, those of all controllers on the store. API sessions that ended by idling count until they are tidied away. */
  readonly entities: Readonly<Partial<Record<KindName, number>>>;
  readonly queues: Readonly<Record<'writes' | 'enrollments' | 'passwordChecks', Turns>>;
  /** Routers that are connected to this controller. */
  readonly connectedRouters: number;
}

/** What is counted is remembered for so long: to count is a question to the store for each kind. ms */
const REMEMBERED_MS = 5000;

/** What the controller keeps for itself, and no operation shows. */
const OWN: readonly Kind[] = [kinds.keptSecret, kinds.builtInRow, kinds.lease, kinds.cursor, kinds.sessionReview, kinds.maintenanceTask];

/** @returns what there is now; those who ask at the same time, or soon after each other, get the same numbers of entities */
export const createStatistics = (core: Core, writes: Semaphore): (() => Promise<Statistics>) => {
  const { store, platform, enrollments, passwordChecks, presence } = core;
  const counted: readonly Kind[] = Object.values<Kind>(kinds).filter((kind) => !OWN.includes(kind));
  const count = (): Promise<Statistics['entities']> =>
    store.transaction('read', async (tx) => {
      const numbers: Record<string, number> = {};
      for (const kind of counted) numbers[kind.kind] = await tx.count(tableOf(kind), inView(kind, ALL));
      return numbers;
    });

  let last: { readonly at: number; readonly entities: Promise<Statistics['entities']> } | undefined;
  const entities = (): Promise<Statistics['entities']> => {
    const now = platform.clock.now();
    if (last && Math.abs(now - last.at) < REMEMBERED_MS) return last.entities;
    const counting = count();
    last = { at: now, entities: counting };
    counting.catch(() => {
      last = undefined;
    });
    return counting;
  };
  return async () => ({
    entities: await entities(),
    queues: { writes: turnsOf(writes), enrollments: turnsOf(enrollments), passwordChecks: turnsOf(passwordChecks) },
    connectedRouters: presence.keys().length,
  });
};

const turnsOf = ({ running, waiting }: Turns): Turns => ({ running, waiting });
