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

/** Lets those who come for the same thing take their turns in the order in which they came. */
export interface Line {
  /**
   * Stands in line from now until `work` is over. Only who calls `turn` waits for all that came before.
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` when the line is full
   */
  join<T>(key: string, work: (turn: () => Promise<void>) => Promise<T>): Promise<T>;
}

export const createLine = (queued: number, retryAfter = 1): Line => {
  const lines = new Map<string, { last: Promise<void>; length: number }>();
  return {
    join: async (key, work) => {
      const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 };
      if (line.length > queued) throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter });
      lines.set(key, line);
      const { promise: over, resolve: leave } = Promise.withResolvers<void>();
      const before = line.last;
      line.last = before.then(() => over);
      line.length++;
      try {
        return await work(() => before);
      } finally {
        leave();
        if (--line.length === 0) lines.delete(key);
      }
    },
  };
};
