import { tooManyRequests, type Waiter, WaitQueue } from './semaphore.ts';

/** The client that requests a permit for some work. */
export interface Applicant {
  /** The origin of the request. Permits alternate between origins. */
  readonly from: string;
  /** The subject of the work: work with the same name runs one at a time. Undefined for no such restriction. */
  readonly name?: string;
  /** The signal of the request. If it is aborted, waiting work leaves the queue without being started. */
  readonly signal: AbortSignal;
  /** Resolves to true if the work precedes all other waiting work. Called only if the work has to wait. */
  readonly isUrgent?: () => Promise<boolean>;
}

/** A semaphore that shares its permits fairly among origins, so that no origin can starve the others by sending more requests. */
export interface FairSemaphore {
  /** The number of permits in use. */
  readonly running: number;
  /** The length of the queue. */
  readonly waiting: number;
  /**
   * Runs `work` when a permit is free. The work may release the permit early by calling `release()`; its name is released when the work
   * ends.
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` if the work is dropped from a full queue; the reason of the applicant's
   * signal
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

/** The origin of a request, and the subject of its work. */
interface Flow {
  readonly from: string;
  readonly name: string | undefined;
}

interface QueueEntry extends Flow {
  readonly isUrgent: boolean;
  /** The entry with the lowest start tag is next (start-time fair queueing, P. Goyal et al., 1996). */
  readonly startTag: number;
}

export const createFairSemaphore = (limits: FairSemaphoreLimits): FairSemaphore => new FairQueueSemaphore(limits);

class FairQueueSemaphore implements FairSemaphore {
  readonly #limits: FairSemaphoreLimits;
  readonly #queue = new WaitQueue<QueueEntry>();
  /** The names of the work that is running. */
  readonly #busy = new Set<string | undefined>();
  #running = 0;
  #startTag = 0;
  /** Settles when all earlier applicants have been queued or started. */
  #arrived: Promise<unknown> = Promise.resolve();

  constructor(limits: FairSemaphoreLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  async run<T>(applicant: Applicant, work: (release: () => void) => Promise<T>): Promise<T> {
    const { name, signal } = applicant;
    signal.throwIfAborted();
    if (this.#canStart(name)) this.#start(name);
    else await this.#wait(applicant);
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.#running--;
      isReleased = true;
      this.#startWaiting();
    };
    try {
      return await work(release);
    } finally {
      this.#busy.delete(name);
      release();
    }
  }

  #canStart(name: string | undefined): boolean {
    return this.#running < this.#limits.atOnce && !this.#busy.has(name);
  }

  #start(name: string | undefined): void {
    this.#running++;
    if (name !== undefined) this.#busy.add(name);
  }

  /** Starts all waiting work that can start. */
  #startWaiting(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#startTag = Math.max(this.#startTag, next.entry.startTag);
      this.#start(next.entry.name);
      next.admit();
    }
  }

  /** The startable request with the lowest start tag. */
  #next(): Waiter<QueueEntry> | undefined {
    let next: Waiter<QueueEntry> | undefined;
    for (const waiter of this.#queue)
      if (this.#canStart(waiter.entry.name) && !(next && next.entry.startTag <= waiter.entry.startTag)) next = waiter;
    return next;
  }

  async #wait({ from, name, signal, isUrgent: checkUrgency }: Applicant): Promise<void> {
    const urgency = Promise.resolve(checkUrgency?.() ?? false);
    // The queue keeps the order of arrival, even if an earlier call of `isUrgent` takes longer.
    this.#arrived = Promise.allSettled([this.#arrived, urgency]);
    await this.#arrived;
    const isUrgent = await urgency;
    signal.throwIfAborted();
    if (this.#canStart(name)) return this.#start(name);
    const tagsOfOrigin = [...this.#queue].filter(({ entry }) => entry.from === from).map(({ entry }) => entry.startTag);
    const entry = { from, name, isUrgent, startTag: isUrgent ? 0 : Math.max(this.#startTag, ...tagsOfOrigin) + 1 };
    if (!isUrgent) this.#makeRoom(entry);
    const started = this.#queue.wait(entry, signal);
    this.#startWaiting();
    return started;
  }

  /** Drops an entry if the queue is full. */
  #makeRoom(newcomer: QueueEntry): void {
    const others = [...this.#queue].filter(({ entry }) => !entry.isUrgent);
    const ofName = others.filter(({ entry }) => entry.name !== undefined && entry.name === newcomer.name);
    let full: typeof others = [];
    if (ofName.length >= this.#limits.queuedPerName) full = ofName;
    else if (others.length >= this.#limits.queued) full = others;
    selectLongestQueueDrop(full, newcomer)?.refuse(tooManyRequests());
  }
}

interface Entry {
  readonly entry: Flow;
}

/**
 * Selects the entry to drop from a full queue (longest queue drop, B. Suter et al., 1998): from the origin with the most entries, and
 * within it from the name with the most entries, the oldest one, whose client is closest to giving up. So a single origin may fill the
 * queue, but cannot keep others out.
 */
const selectLongestQueueDrop = <W extends Entry>(full: readonly W[], newcomer: Flow): W | undefined => {
  const fromLargestOrigin = largestGroup(full, newcomer, ({ from }) => from);
  return largestGroup(fromLargestOrigin, newcomer, ({ name }) => name)[0];
};

/** The entries of the largest group. The newcomer counts as a member of its group. */
const largestGroup = <W extends Entry>(all: readonly W[], newcomer: Flow, keyOf: (flow: Flow) => unknown): readonly W[] => {
  let [largest, maxSize]: [readonly W[], number] = [[], 0];
  for (const [key, group] of Map.groupBy(all, ({ entry }) => keyOf(entry))) {
    const size = group.length + (key === keyOf(newcomer) ? 1 : 0);
    if (size > maxSize) [largest, maxSize] = [group, size];
  }
  return largest;
};
