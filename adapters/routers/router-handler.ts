import type { TLSSocket } from 'node:tls';
import type { ManagementController } from '../../src/index.ts';
import { acceptRouterOf, type RouterSocket } from '../../src/routers.ts';
import { peerCertificates } from '../tls/peer-certificates.ts';
import { pacedWriter } from './paced-writer.ts';

/** The protocol that routers ask for in the TLS handshake (ALPN). */
export const CONTROL_PROTOCOL = 'ziti-ctrl';

/** Takes the sockets of routers. */
export interface RouterHandler {
  /** Takes a socket after its TLS handshake, in which the protocol `CONTROL_PROTOCOL` was agreed upon. */
  accept(socket: TLSSocket): void;
  /** Ends all connections, and takes no more. */
  close(): void;
}

/** How long a connection that has ended may take to send what was written last. ms */
const LAST_WORDS = 1000;

/**
 * Connects routers to a controller: for `serve` of `overlay-controller/http/node`, or a server of your own.
 *
 * ```ts
 * await serve({ controller, tls, port: 1280, routers: routerHandler(controller) });
 * ```
 * @throws TypeError for what is no controller
 */
export const routerHandler = (controller: ManagementController): RouterHandler => {
  const { logger } = controller;
  const acceptRouter = acceptRouterOf(controller);
  const ends = new Set<() => void>();
  let isClosed = false;
  const accept = (socket: TLSSocket): void => {
    const remoteAddress = socket.remoteAddress ?? '';
    const certificates = peerCertificates(socket);
    // An error destroys the socket, which is then read no more: that is where it is dealt with.
    socket.on('error', () => undefined);
    if (isClosed || certificates.length === 0) {
      if (!isClosed) logger.warn('a connection to the control port came without a client certificate', { remoteAddress });
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    const accepted = acceptRouter(wireOf(socket, certificates, remoteAddress));
    const end = () => accepted.lost('the server was closed');
    ends.add(end);
    socket.once('close', () => {
      ends.delete(end);
      accepted.lost();
    });
    void pump(socket, accepted.received);
  };
  return {
    accept,
    close: () => {
      isClosed = true;
      for (const end of [...ends]) end();
    },
  };
};

const wireOf = (socket: TLSSocket, certificates: readonly Uint8Array[], remoteAddress: string): RouterSocket => {
  const writer = pacedWriter(socket);
  return {
    certificates,
    remoteAddress,
    write: writer.write,
    get kept() {
      return writer.kept;
    },
    drained: writer.drained,
    end: () => {
      writer.end();
      setTimeout(() => socket.destroy(), LAST_WORDS).unref();
    },
  };
};

/** Hands on what comes. While it is worked on, nothing more is read: the other end waits. */
const pump = async (socket: TLSSocket, received: (part: Uint8Array) => Promise<void>): Promise<void> => {
  try {
    for await (const part of socket) await received(part);
  } catch {
    // The socket has failed, and is closed.
  }
};
