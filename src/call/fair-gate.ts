import { RETRY_AFTER } from '../errors/index.ts';
import { tooManyRequests, type Waiting, waitIn } from './gate.ts';

/** For whom some work is. */
export interface Applicant {
  /** Where it comes from: those from different places take turns. */
  readonly from: string;
  /** What it is about: of one name, one at a time. Undefined: nothing that other work has to wait for. */
  readonly name?: string;
  /** Of the request that the work is for: once it is aborted the work leaves the queue, and is not begun. */
  readonly signal: AbortSignal;
  /** Whether the work goes before all other, however much waits. Asked only where it has to wait. */
  readonly isUrgent?: () => Promise<boolean>;
}

/** A gate whose places are shared among those who apply, so that none keeps the others out, however many requests it sends. */
export interface FairGate {
  /**
   * Runs `work` in its turn. By `over()` it says that the part is done for which the gate is there: its place is free from then on, its name
   * when the work ends.
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` for work that makes way in a full queue; the reason of the applicant's signal
   */
  pass<T>(applicant: Applicant, work: (over: () => void) => Promise<T>): Promise<T>;
}

export interface FairGateLimits {
  readonly atOnce: number;
  /** How many may wait. */
  readonly queued: number;
  /** How many of them may be of one name. */
  readonly queuedPerName: number;
}

interface Facts {
  readonly from: string;
  readonly name: string | undefined;
  readonly isUrgent: boolean;
  /** The lowest is next (start-time fair queueing, P. Goyal et al., 1996). */
  readonly turn: number;
}

export const createFairGate = ({ atOnce, queued, queuedPerName }: FairGateLimits): FairGate => {
  let running = 0;
  let turn = 0;
  const busy = new Set<string | undefined>();
  const waiting: (Waiting & Facts)[] = [];

  const canStart = (name: string | undefined): boolean => running < atOnce && !busy.has(name);
  /** Starts all that can start. */
  const advance = () => {
    for (;;) {
      const startable = waiting.filter(({ name }) => canStart(name));
      const next = startable.reduce<(Waiting & Facts) | undefined>(
        (first, each) => (first && first.turn <= each.turn ? first : each),
        undefined,
      );
      if (!next) return;
      waiting.splice(waiting.indexOf(next), 1);
      turn = Math.max(turn, next.turn);
      take(next.name);
      next.start();
    }
  };
  const take = (name: string | undefined) => {
    running++;
    if (name !== undefined) busy.add(name);
  };

  const wait = async ({ from, name, signal, isUrgent }: Applicant): Promise<void> => {
    const urgent = (await isUrgent?.()) ?? false;
    signal.throwIfAborted();
    if (canStart(name)) return take(name);
    const before = waiting.filter((each) => each.from === from).map((each) => each.turn);
    const facts = { from, name, isUrgent: urgent, turn: urgent ? 0 : Math.max(turn, ...before) + 1 };
    if (!urgent) makeRoom(facts);
    const started = waitIn(waiting, facts, signal);
    advance();
    return started;
  };
  const makeRoom = (newcomer: Facts) => {
    const others = waiting.filter((each) => !each.isUrgent);
    const ofName = others.filter(({ name }) => name !== undefined && name === newcomer.name);
    const full = ofName.length >= queuedPerName ? ofName : others.length >= queued ? others : [];
    const yielding = yieldingOf(full, newcomer);
    if (!yielding) return;
    waiting.splice(waiting.indexOf(yielding), 1);
    yielding.refuse(tooManyRequests(RETRY_AFTER.busy));
  };

  return {
    pass: async (applicant, work) => {
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

/**
 * What makes way for a newcomer in a full queue: of the place that fills it most, and there of the name that does, what waits longest, for its client is
 * the nearest to giving up (longest queue drop, B. Suter et al., 1998). So a place alone may fill the queue, and keeps none of the others out.
 */
const yieldingOf = <W extends Facts>(full: readonly W[], newcomer: Facts): W | undefined => {
  const fromCrowded = largest(full, ({ from }) => from, newcomer);
  return largest(fromCrowded, ({ name }) => name, newcomer)[0];
};

/** The largest group; the newcomer counts in its own. */
const largest = <W extends Facts>(all: readonly W[], by: (facts: Facts) => unknown, newcomer: Facts): readonly W[] => {
  const sizeOf = ([key, group]: readonly [unknown, readonly W[]]) => group.length + (key === by(newcomer) ? 1 : 0);
  const groups = [...Map.groupBy(all, by)];
  return (
    groups.reduce<readonly [unknown, readonly W[]] | undefined>(
      (most, each) => (most && sizeOf(most) >= sizeOf(each) ? most : each),
      undefined,
    )?.[1] ?? []
  );
};
