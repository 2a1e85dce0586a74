import type { AdmissionQueue } from './admission-queue.ts';

/** The place of a request among those in progress. */
export interface Place {
  /** Takes no place while the request waits for its body. */
  suspend(): void;
  /** @returns false if there is no free place, or the request has left: it then holds none */
  resume(): boolean;
  /** Final and idempotent: a body that arrives after its request has been answered takes no place. */
  leave(): void;
}

/** Counts of the requests of one standing. */
export interface AdmissionLoad {
  readonly running: number;
  readonly waiting: number;
  /** Since the start. */
  readonly refused: number;
}

/** The time for which a request counts as started recently. ms */
export const RECENT_MS = 500;

interface LaneLimits {
  readonly maxConcurrent: number;
  readonly maxRecent: number;
}

/** The requests of one standing: those in progress, and those that wait. */
export class Lane {
  readonly queue: AdmissionQueue;
  readonly #limits: LaneLimits;
  readonly #now: () => number;
  readonly #onLeave: () => void;
  /** The places of requests in progress that started less than `RECENT_MS` ago, and when they did, in order. May contain older ones. */
  readonly #recent = new Map<Place, number>();
  /** Numbers of requests in progress, by client. */
  readonly #byOrigin = new Map<string, number>();
  #running = 0;

  constructor(limits: LaneLimits, queue: AdmissionQueue, { now, onLeave }: { readonly now: () => number; readonly onLeave: () => void }) {
    this.queue = queue;
    this.#limits = limits;
    this.#now = now;
    this.#onLeave = onLeave;
  }

  get running(): number {
    return this.#running;
  }

  runningOf(origin: string): number {
    return this.#byOrigin.get(origin) ?? 0;
  }

  get counts(): AdmissionLoad {
    return { running: this.#running, waiting: this.queue.length, refused: this.queue.refused };
  }

  hasPlace(): boolean {
    if (this.#running >= this.#limits.maxConcurrent) return false;
    this.#forgetOlder();
    return this.#recent.size < this.#limits.maxRecent;
  }

  /** Removes the places of requests that did not start recently. */
  #forgetOlder(): void {
    const now = this.#now();
    for (const [place, startedAt] of this.#recent) {
      if (now - startedAt < RECENT_MS) return;
      this.#recent.delete(place);
    }
  }

  takePlace(origin: string): Place {
    let [isTaken, hasLeft] = [false, false];
    const take = (): void => {
      isTaken = true;
      this.#count(origin, 1);
      this.#recent.set(place, this.#now());
    };
    const suspend = (): void => {
      if (!isTaken) return;
      isTaken = false;
      this.#count(origin, -1);
      this.#recent.delete(place);
      this.#onLeave();
    };
    const resume = (): boolean => {
      const isFree = !hasLeft && this.#running < this.#limits.maxConcurrent;
      if (isFree) take();
      return isFree;
    };
    const leave = (): void => {
      hasLeft = true;
      suspend();
    };
    const place: Place = { suspend, resume, leave };
    take();
    return place;
  }

  #count(origin: string, change: 1 | -1): void {
    this.#running += change;
    const running = this.runningOf(origin) + change;
    if (running > 0) this.#byOrigin.set(origin, running);
    else this.#byOrigin.delete(origin);
  }

  wait(origin: string, since: number): Promise<Place | undefined> {
    return new Promise((resolve) => {
      this.queue.add({ origin, since, start: () => resolve(this.takePlace(origin)), refuse: () => resolve(undefined) });
    });
  }
}
