/** Serialises the writers of this process, so that writers waiting for the lock occupy no connections that readers could use. */
import type { Connections } from './connection.ts';

export const inTurns = (connections: Connections): Connections => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    use(work, options) {
      const turn = last.then(() => {
        // The caller may have given up while it waited.
        options?.signal?.throwIfAborted();
        return connections.use(work, options);
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
};
