/** Common parts of Node servers, independent of their protocol. */
import type { AddressInfo, Server, Socket } from 'node:net';
import { setImmediate } from 'node:timers';

/**
 * Starts listening.
 * @returns the bound port.
 * @throws errors of `listen`, e.g. `EADDRINUSE`
 */
export const listenOn = async (server: Server, port: number, host: string): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port; // a listening TCP server has one
};

/** Formats a host and a port as in a URL, with IPv6 addresses in brackets (RFC 3986, 3.2.2). */
export const authorityOf = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Tracks the sockets that the server emits with this event, as long as they are open. */
export const trackOpenSockets = (server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};

/** The number of TLS handshakes that begin in one turn of the event loop. Each takes one to three milliseconds of processor time. */
const HANDSHAKES_PER_TURN = 8;

/**
 * Spreads the handshakes of a TLS server over turns of the event loop. Node begins those of all new connections in one turn: a thousand
 * routers that reconnect would hold it for seconds. Call it before other listeners for `connection` are added.
 */
export const paceHandshakes = (server: Server): void => {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const waiting: Socket[] = [];
  /** The number of handshakes that have begun in this turn. */
  let begun = 0;
  let isTurnAwaited = false;
  const begin = (socket: Socket): void => {
    begun++;
    for (const listener of listeners) listener.call(server, socket);
  };
  const onTurn = (): void => {
    begun = 0;
    isTurnAwaited = false;
    for (const socket of waiting.splice(0, HANDSHAKES_PER_TURN)) {
      socket.off('error', ignoreError);
      if (!socket.destroyed) begin(socket);
    }
    if (begun > 0 || waiting.length > 0) awaitTurn();
  };
  const awaitTurn = (): void => {
    if (isTurnAwaited) return;
    isTurnAwaited = true;
    setImmediate(onTurn);
  };
  server.on('connection', (socket: Socket) => {
    awaitTurn();
    if (begun < HANDSHAKES_PER_TURN && waiting.length === 0) return begin(socket);
    socket.on('error', ignoreError);
    waiting.push(socket);
  });
};

/** Listens on connections that may fail before their handshake has begun. */
const ignoreError = (): void => undefined;
