/** Limits of a queue. */
export interface QueueLimits {
  readonly maxQueued: number;
  readonly maxQueueMs: number;
}

/** A request that waits. */
export interface Waiting {
  /** The client: requests leave the queue alternately between clients. */
  readonly origin: string;
  /** The time of its arrival. ms */
  readonly since: number;
  start(): void;
  refuse(): void;
}

/** The part of the time limit that applies while there have been requests waiting for as long as the limit. */
const LASTING_PART = 1 / 6;
/** The weight of the latest interval in the average of intervals between starts. */
const LATEST_PART = 1 / 16;
/**
 * A queue of at most `SHORT` requests, such as those of two browsers that open a page, does not mean that the server cannot keep up: on a
 * slow machine, its requests may wait `PATIENCE` times as long as in a longer queue.
 */
const SHORT = 16;
const PATIENCE = 5;

/**
 * Requests that wait to start. Clients take turns, so that none can keep the others out by sending more; from a full queue, the newest
 * request of the client with the most is refused. A rush may take its time, but under a lasting overload waiting is useless: later
 * requests would wait as long. Then the queue is as long as it can be emptied in a short time (controlled delay, K. Nichols and
 * V. Jacobson, 2012).
 */
export class AdmissionQueue {
  readonly #limits: QueueLimits;
  /** In order of arrival. */
  readonly #all = new Set<Waiting>();
  /** The requests of each client in order of arrival; the client that is next is the first. */
  readonly #byOrigin = new Map<string, Waiting[]>();
  /** The time since when there have been requests waiting. */
  #since = 0;
  #startedAt = 0;
  /** The average time between starts. ms */
  #interval = 0;
  #refused = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#all.size;
  }

  /** The number of requests that were refused. */
  get refused(): number {
    return this.#refused;
  }

  add(waiting: Waiting): void {
    const { origin, since } = waiting;
    if (this.#all.size === 0) this.#since = this.#startedAt = since;
    this.#all.add(waiting);
    const ofOrigin = this.#byOrigin.get(origin);
    if (ofOrigin) ofOrigin.push(waiting);
    else this.#byOrigin.set(origin, [waiting]);
    if (this.#all.size > this.#maxLength(since)) this.#refuse(this.#byOrigin.get(this.#largestOrigin())?.at(-1));
  }

  /**
   * Starts the next request of a client that may start one.
   * @returns false if there is none
   */
  startNext(now: number, mayStart: (origin: string) => boolean): boolean {
    for (const [origin, [first]] of this.#byOrigin) {
      if (!mayStart(origin)) continue;
      this.#interval += (now - this.#startedAt - this.#interval) * LATEST_PART;
      this.#startedAt = now;
      this.#remove(first);
      const rest = this.#byOrigin.get(origin);
      if (rest) {
        this.#byOrigin.delete(origin);
        this.#byOrigin.set(origin, rest);
      }
      first?.start();
      return true;
    }
    return false;
  }

  /** Refuses requests that have waited too long. */
  expire(now: number): void {
    const { maxQueueMs } = this.#limits;
    const limit = this.#isLasting(now) ? maxQueueMs * LASTING_PART : maxQueueMs;
    for (const waiting of this.#all) {
      if (now - waiting.since < (this.#all.size > SHORT ? limit : maxQueueMs * PATIENCE)) return;
      this.#refuse(waiting);
    }
  }

  /** True if there have been requests waiting for longer than a rush takes. */
  #isLasting(now: number): boolean {
    return now - this.#since > this.#limits.maxQueueMs;
  }

  #maxLength(now: number): number {
    const { maxQueued, maxQueueMs } = this.#limits;
    if (!this.#isLasting(now)) return maxQueued;
    return Math.min(maxQueued, Math.max(SHORT, Math.floor((maxQueueMs * LASTING_PART) / this.#interval)));
  }

  #refuse(waiting: Waiting | undefined): void {
    this.#remove(waiting);
    this.#refused++;
    waiting?.refuse();
  }

  /** Removes the first or the last request of a client. */
  #remove(waiting: Waiting | undefined): void {
    if (!waiting || !this.#all.delete(waiting)) return;
    const ofOrigin = this.#byOrigin.get(waiting.origin) ?? [];
    if (ofOrigin[0] === waiting) ofOrigin.shift();
    else ofOrigin.pop();
    if (ofOrigin.length === 0) this.#byOrigin.delete(waiting.origin);
  }

  /** The client with the most requests; of several, the first. */
  #largestOrigin(): string {
    let [largest, most] = ['', 0];
    for (const [origin, { length }] of this.#byOrigin) if (length > most) [largest, most] = [origin, length];
    return largest;
  }
}
