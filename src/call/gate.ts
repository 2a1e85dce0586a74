import { ApiError } from '../errors/index.ts';

/** Lets so many through at once, makes so many wait, and turns the rest away. */
export interface Gate {
  /** @throws ApiError `SERVER_TOO_MANY_REQUESTS` with `retryAfter` when the queue is full */
  pass<T>(work: () => Promise<T>): Promise<T>;
}

export const createGate = (atOnce: number, queued: number, retryAfter = 1): Gate => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    pass: async (work) => {
      if (running >= atOnce) {
        if (waiting.length >= queued) throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter });
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else running++;
      try {
        return await work();
      } finally {
        // Whoever waits longest takes over this place; only when nobody waits does it become free.
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
};

/** One gate per key, gone when nobody is in it: work on one thing one at a time. */
export const createKeyedGate = (queued: number): ((key: string) => Gate) => {
  const gates = new Map<string, { gate: Gate; users: number }>();
  return (key) => ({
    pass: async (work) => {
      const entry = gates.get(key) ?? { gate: createGate(1, queued), users: 0 };
      gates.set(key, entry);
      entry.users++;
      try {
        return await entry.gate.pass(work);
      } finally {
        if (--entry.users === 0) gates.delete(key);
      }
    },
  });
};
