import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';

/** The time in which a connection without a request may still send one during the shutdown. */
const GRACE_MS = 250;

interface Shutdown {
  readonly sockets: ReadonlySet<Duplex>;
  /** The connections that carry requests: over TLS, not the sockets themselves. */
  readonly connections: ReadonlySet<Duplex>;
  /** True for a connection with an unfinished answer. */
  readonly isBusy: (connection: Duplex) => boolean;
  /** Milliseconds after which the remaining sockets are destroyed. */
  readonly drainMs: number;
}

/** Stops accepting connections, and resolves once all are closed. */
export const shutDown = (server: Server, { sockets, connections, isBusy, drainMs }: Shutdown): Promise<void> =>
  new Promise((resolve) => {
    // Node counts connections that have not sent a request yet as busy. They get a grace period, because a request may be arriving.
    const grace = setTimeout(
      () => {
        for (const connection of connections) if (!isBusy(connection)) connection.destroy();
      },
      Math.min(GRACE_MS, drainMs),
    );
    const drain = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, drainMs);
    server.close(() => {
      clearTimeout(grace);
      clearTimeout(drain);
      resolve();
    });
  });
