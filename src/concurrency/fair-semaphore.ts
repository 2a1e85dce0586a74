import { type Flow, longestQueueDrop } from './longest-queue-drop.ts';
import { tooManyRequests, type Waiter, WaitQueue } from './wait-queue.ts';

/** For whom some work is. */
export interface Applicant {
  /** Where it comes from: those from different places take turns. */
  readonly from: string;
  /** The subject of the work: work with the same name runs one at a time. Undefined: no such restriction. */
  readonly name?: string;
  /** Of the request that the work is for: once it is aborted the work leaves the queue, and is not begun. */
  readonly signal: AbortSignal;
  /** Whether the work precedes all other waiting work. Called only if it has to wait. */
  readonly isUrgent?: () => Promise<boolean>;
}

/** A semaphore whose permits are shared among those who apply, so that none keeps the others out, however many requests it sends. */
export interface FairSemaphore {
  /** Permits that are held. */
  readonly running: number;
  /** Work that waits for one. */
  readonly waiting: number;
  /**
   * Runs `work` in its turn. By `over()` it says that the part is done for which the permit is needed: it is given back then, the name when
   * the work ends.
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` for work that makes way in a full queue; the reason of the applicant's signal
   */
  run<T>(applicant: Applicant, work: (over: () => void) => Promise<T>): Promise<T>;
}

export interface FairSemaphoreLimits {
  readonly atOnce: number;
  /** How many may wait. */
  readonly queued: number;
  /** How many of them may be of one name. */
  readonly queuedPerName: number;
}

interface Facts extends Flow {
  readonly isUrgent: boolean;
  /** The lowest is next (start-time fair queueing, P. Goyal et al., 1996). */
  readonly turn: number;
}

export const createFairSemaphore = ({ atOnce, queued, queuedPerName }: FairSemaphoreLimits): FairSemaphore => {
  let running = 0;
  let turn = 0;
  /** Settled when all that came so far are queued, or begun. */
  let arrived: Promise<unknown> = Promise.resolve();
  const busy = new Set<string | undefined>();
  const queue = new WaitQueue<Facts>();

  const canStart = (name: string | undefined): boolean => running < atOnce && !busy.has(name);
  /** Starts all that can start. */
  const advance = () => {
    for (;;) {
      const startable = [...queue].filter(({ entry }) => canStart(entry.name));
      const next = startable.reduce<Waiter<Facts> | undefined>(
        (first, each) => (first && first.entry.turn <= each.entry.turn ? first : each),
        undefined,
      );
      if (!next) return;
      turn = Math.max(turn, next.entry.turn);
      take(next.entry.name);
      next.admit();
    }
  };
  const take = (name: string | undefined) => {
    running++;
    if (name !== undefined) busy.add(name);
  };

  const wait = async ({ from, name, signal, isUrgent }: Applicant): Promise<void> => {
    const asked = Promise.resolve(isUrgent?.() ?? false);
    // Whoever came first is queued first, however long the answers take.
    await (arrived = Promise.allSettled([arrived, asked]));
    const urgent = await asked;
    signal.throwIfAborted();
    if (canStart(name)) return take(name);
    const before = [...queue].filter(({ entry }) => entry.from === from).map(({ entry }) => entry.turn);
    const facts = { from, name, isUrgent: urgent, turn: urgent ? 0 : Math.max(turn, ...before) + 1 };
    if (!urgent) makeRoom(facts);
    const started = queue.wait(facts, signal);
    advance();
    return started;
  };
  const makeRoom = (newcomer: Facts) => {
    const others = [...queue].filter(({ entry }) => !entry.isUrgent);
    const ofName = others.filter(({ entry }) => entry.name !== undefined && entry.name === newcomer.name);
    const full = ofName.length >= queuedPerName ? ofName : others.length >= queued ? others : [];
    longestQueueDrop(full, newcomer)?.refuse(tooManyRequests());
  };

  return {
    get running() {
      return running;
    },
    get waiting() {
      return queue.length;
    },
    run: async (applicant, work) => {
      const { name, signal } = applicant;
      signal.throwIfAborted();
      if (canStart(name)) take(name);
      else await wait(applicant);
      let isOver = false;
      const over = () => {
        if (!isOver) running--;
        isOver = true;
        advance();
      };
      try {
        return await work(over);
      } finally {
        busy.delete(name);
        over();
      }
    },
  };
};
