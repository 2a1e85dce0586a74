import { setImmediate, setTimeout } from 'node:timers';
import { allPendingTurns, pendingTurns, performanceNow } from '../../src/adapter-kit.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { type AdmissionLoad, Lane, type Place } from './lane.ts';
import type { Client, Standing } from './standings.ts';

/** Limits on the requests that are handled, and on those that wait until they are. */
export interface AdmissionLimits {
  /**
   * Maximum number of requests that are in progress, separately for administrators, other identities and clients that are not logged in.
   * Requests with an incomplete body do not count. Default 1,000.
   */
  readonly maxConcurrent?: number;
  /**
   * Maximum number of waiting requests, separately for the same three groups. Further ones get 503 with `Retry-After`.
   * Default 2,000.
   */
  readonly maxQueued?: number;
  /**
   * Milliseconds that a request may wait during a burst before it gets 503 with `Retry-After`. Once there have been requests waiting for
   * as long, a sixth of it applies. In a queue of at most 16 requests, they may wait five times as long. Default 600.
   */
  readonly maxQueueMs?: number;
}

/** The names of `AdmissionLimits`, for the validation of options. */
export const ADMISSION_LIMITS = { maxConcurrent: true, maxQueued: true, maxQueueMs: true } as const;

/** The load of a server, by what is known of the clients. */
export type ServerLoad = Readonly<Record<Standing, AdmissionLoad>>;

/**
 * Decides when requests start. The process has one thread: requests that started together would all be late, so those that cannot start
 * within a few milliseconds wait here, and are refused while a client still expects an answer.
 */
export interface Admission {
  /** @returns the place of the request; a promise if it has to wait, of undefined if it is refused */
  enter(client: Client): Place | Promise<Place | undefined>;
  load(): ServerLoad;
}

/** The time and the event loop. */
export interface Turns {
  /** Returns the time in milliseconds. */
  readonly now: () => number;
  /** Calls a function after the events of this turn of the event loop. */
  readonly onNextTurn: (task: () => void) => void;
  /** Calls a function after some milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void;
  /** Returns the number of long computations that wait for their next slice. */
  readonly computations: () => number;
  /** Returns the number of all that wait for a turn, with the bodies that wait until they are parsed. */
  readonly pending: () => number;
}

/** Milliseconds within one turn of the event loop after which no further request starts, at least and at most. */
const BUDGET_MS = 5;
const MAX_BUDGET_MS = 15;
/** The same as a multiple of the time that reading, and refusing, further requests has taken, so that this does not take all time. */
const SERVING = 4;
/** Maximum number of waiting requests that start in one turn. */
const MAX_STARTS = 256;
/**
 * Requests of identities that started recently: more would wait for one another. What takes longer than that waits for
 * something else, or runs in slices.
 */
const MAX_RECENT = 100;
/**
 * The number of long computations in progress with which no further request starts; administrators may start as many again. Where no
 * request is in progress, one may start in any case. Bodies of strangers count only for strangers, of whom each may start one in any case,
 * so that probes are answered.
 */
const MAX_COMPUTATIONS = 4;
/** The queues in the order in which requests leave them, as long as each has some. */
const CYCLE: readonly Standing[] = ['administrator', 'identity', 'administrator', 'identity', 'newcomer'];

export const createAdmission = (limits: AdmissionLimits = {}, turns: Turns = NODE_TURNS): Admission => {
  const { maxConcurrent = 1000, maxQueued = 2000, maxQueueMs = 600 } = limits;
  const { now, onNextTurn, after, computations, pending } = turns;
  const createLane = (maxRecent: number): Lane =>
    new Lane({ maxConcurrent, maxRecent }, new AdmissionQueue({ maxQueued, maxQueueMs }), { now, onLeave: () => awaitTurnIfWaiting() });
  const lanes: Readonly<Record<Standing, Lane>> = {
    administrator: createLane(MAX_RECENT),
    identity: createLane(MAX_RECENT),
    // Logins wait for their passwords to be checked, which has a queue of its own.
    newcomer: createLane(Number.POSITIVE_INFINITY),
  };
  const all = Object.values(lanes);
  /** The time at which the first request of this turn started. */
  let startedAt: number | undefined;
  /** The time in this turn after which no further request starts. ms */
  let budget = BUDGET_MS;
  /** The time at which the starts of the last turn were over. */
  let endedAt = Number.POSITIVE_INFINITY;
  let isTurnAwaited = false;
  let isExpiryAwaited = false;
  let position = 0;

  const isTurnSpent = (time: number): boolean => startedAt !== undefined && time - startedAt >= budget;
  /** True if a request of this client has to wait for what is in progress. */
  const isBusy = ({ standing, origin }: Client): boolean => {
    const lane = lanes[standing];
    if (standing === 'newcomer') return lane.runningOf(origin) > 0 && pending() >= MAX_COMPUTATIONS;
    return lane.running > 0 && computations() >= (standing === 'administrator' ? 2 * MAX_COMPUTATIONS : MAX_COMPUTATIONS);
  };
  const awaitTurn = (): void => {
    if (isTurnAwaited) return;
    isTurnAwaited = true;
    onNextTurn(onTurn);
    for (let starts = 1; starts < MAX_STARTS && starts < waiting(); starts++) onNextTurn(startAnother);
    onNextTurn(onTurnEnd);
  };
  const waiting = (): number => all.reduce((sum, { queue }) => sum + queue.length, 0);
  const awaitTurnIfWaiting = (): void => {
    if (waiting() > 0) awaitTurn();
  };
  const startNext = (): void => {
    for (let tried = 0; tried < CYCLE.length; tried++) {
      const standing = CYCLE[position++ % CYCLE.length] as Standing; // the cycle is not empty
      const lane = lanes[standing];
      if (lane.queue.length === 0 || !lane.hasPlace()) continue;
      const time = now();
      if (!lane.queue.startNext(time, (origin) => !isBusy({ standing, origin }))) continue;
      startedAt ??= time;
      return;
    }
  };
  const expire = (): void => {
    const time = now();
    for (const { queue } of all) queue.expire(time);
  };
  const startAnother = (): void => {
    if (startedAt !== undefined && !isTurnSpent(now())) startNext();
  };
  /** Without a place, requests wait for one to be left, or until they have waited too long. */
  const wait = (): void => {
    if (all.some((lane) => lane.queue.length > 0 && lane.hasPlace())) awaitTurn();
    if (isExpiryAwaited || waiting() === 0) return;
    isExpiryAwaited = true;
    after(EXPIRY_MS, () => {
      isExpiryAwaited = false;
      expire();
      wait();
    });
  };
  const onTurn = (): void => {
    const time = now();
    budget = Math.min(MAX_BUDGET_MS, Math.max(BUDGET_MS, (time - endedAt) * SERVING));
    isTurnAwaited = false;
    startedAt = undefined;
    expire();
    startNext();
  };
  const onTurnEnd = (): void => {
    endedAt = now();
    if (startedAt !== undefined) awaitTurn();
    wait();
  };

  return {
    enter: (client) => {
      const { standing, origin } = client;
      const lane = lanes[standing];
      const time = now();
      if (!isTurnSpent(time) && lane.queue.length === 0 && lane.hasPlace() && !isBusy(client)) {
        startedAt ??= time;
        awaitTurn();
        return lane.takePlace(origin);
      }
      const admitted = lane.wait(origin, time);
      wait();
      return admitted;
    },
    load: () => ({ administrator: lanes.administrator.counts, identity: lanes.identity.counts, newcomer: lanes.newcomer.counts }),
  };
};

/** The interval at which waiting requests are looked at while none can start. */
const EXPIRY_MS = 50;

const NODE_TURNS: Turns = {
  now: performanceNow,
  onNextTurn: (task) => void setImmediate(task),
  after: (milliseconds, task) => void setTimeout(task, milliseconds),
  computations: pendingTurns,
  pending: allPendingTurns,
};
