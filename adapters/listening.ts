/** Common parts of Node servers, independent of their protocol. */
import type { AddressInfo, Server, Socket } from 'node:net';

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
