/** Writers of one process take turns here, so that those who wait for the lock of the others hold no connection that readers could use. */
import type { Connections } from './connection.ts';

export const inTurns = (connections: Connections): Connections => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    use(work, terms) {
      const turn = last.then(() => {
        // A caller that gave up while it waited needs no connection.
        terms?.signal?.throwIfAborted();
        return connections.use(work, terms);
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
};
