import { tooManyRequests, type Waiter, WaitQueue } from './semaphore.ts';

/** The client that requests a permit for some work. */
export interface Applicant {
  /** Its origin: permits alternate between origins. */
  readonly from: string;
  /** The subject of the work: work with the same name runs one at a time. Undefined: no such restriction. */
  readonly name?: string;
  /** The signal of the request. If it is aborted, waiting work leaves the queue without being started. */
  readonly signal: AbortSignal;
  /** Resolves to true if the work precedes all other waiting work. Called only if the work has to wait. */
  readonly isUrgent?: () => Promise<boolean>;
}

/** A semaphore that shares its permits fairly among origins, so that none can keep the others out by sending more requests. */
export interface FairSemaphore {
  /** The number of permits in use. */
  readonly running: number;
  /** The length of the queue. */
  readonly waiting: number;
  /**
   * Runs `work` when a permit is free. The work may release the permit early by calling `release()`; its name is released when the work ends.
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` if the work is dropped from a full queue; the reason of the applicant's signal
   */
  run<T>(applicant: Applicant, work: (release: () => void) => Promise<T>): Promise<T>;
}

export interface FairSemaphoreLimits {
  /** Number of permits. */
  readonly atOnce: number;
  /** Maximum length of the queue. */
  readonly queued: number;
  /** Maximum number of waiting tasks with the same name. */
  readonly queuedPerName: number;
}

interface QueueEntry extends Flow {
  readonly isUrgent: boolean;
  /** The entry with the lowest start tag is next (start-time fair queueing, P. Goyal et al., 1996). */
  readonly startTag: number;
}

export const createFairSemaphore = ({ atOnce, queued, queuedPerName }: FairSemaphoreLimits): FairSemaphore => {
  let running = 0;
  let startTag = 0;
  /** Settles when all earlier applicants have been queued, or have started. */
  let arrived: Promise<unknown> = Promise.resolve();
  const busy = new Set<string | undefined>();
  const queue = new WaitQueue<QueueEntry>();

  const canStart = (name: string | undefined): boolean => running < atOnce && !busy.has(name);
  /** Starts all waiting work that can start. */
  const advance = () => {
    for (;;) {
      const startable = [...queue].filter(({ entry }) => canStart(entry.name));
      const next = startable.reduce<Waiter<QueueEntry> | undefined>(
        (first, each) => (first && first.entry.startTag <= each.entry.startTag ? first : each),
        undefined,
      );
      if (!next) return;
      startTag = Math.max(startTag, next.entry.startTag);
      take(next.entry.name);
      next.admit();
    }
  };
  const take = (name: string | undefined) => {
    running++;
    if (name !== undefined) busy.add(name);
  };

  const wait = async ({ from, name, signal, isUrgent }: Applicant): Promise<void> => {
    const urgency = Promise.resolve(isUrgent?.() ?? false);
    // The queue keeps the order of arrival, even if an earlier call of `isUrgent` takes longer.
    await (arrived = Promise.allSettled([arrived, urgency]));
    const urgent = await urgency;
    signal.throwIfAborted();
    if (canStart(name)) return take(name);
    const tagsOfOrigin = [...queue].filter(({ entry }) => entry.from === from).map(({ entry }) => entry.startTag);
    const entry = { from, name, isUrgent: urgent, startTag: urgent ? 0 : Math.max(startTag, ...tagsOfOrigin) + 1 };
    if (!urgent) makeRoom(entry);
    const started = queue.wait(entry, signal);
    advance();
    return started;
  };
  const makeRoom = (newcomer: QueueEntry) => {
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
      let isReleased = false;
      const release = () => {
        if (!isReleased) running--;
        isReleased = true;
        advance();
      };
      try {
        return await work(release);
      } finally {
        busy.delete(name);
        release();
      }
    },
  };
};

/** The origin of a request, and its subject. */
interface Flow {
  readonly from: string;
  readonly name: string | undefined;
}

interface Entry {
  readonly entry: Flow;
}

/**
 * Selects the entry to drop from a full queue (longest queue drop, B. Suter et al., 1998). Within the origin with the most entries, and there within the name
 * with the most entries, that is the oldest one, whose client is closest to giving up. A single origin may thus fill the queue, but cannot keep others out.
 */
const longestQueueDrop = <W extends Entry>(full: readonly W[], newcomer: Flow): W | undefined => {
  const fromLargestOrigin = largest(full, ({ from }) => from, newcomer);
  return largest(fromLargestOrigin, ({ name }) => name, newcomer)[0];
};

/** The entries of the largest group. The newcomer counts as a member of its group. */
const largest = <W extends Entry>(all: readonly W[], by: (origin: Flow) => unknown, newcomer: Flow): readonly W[] => {
  const sizeOf = ([key, group]: readonly [unknown, readonly W[]]) => group.length + (key === by(newcomer) ? 1 : 0);
  const groups = [...Map.groupBy(all, ({ entry }) => by(entry))];
  return (
    groups.reduce<readonly [unknown, readonly W[]] | undefined>(
      (most, each) => (most && sizeOf(most) >= sizeOf(each) ? most : each),
      undefined,
    )?.[1] ?? []
  );
};
