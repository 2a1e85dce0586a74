import { setTimeout } from 'node:timers';
import type { TLSSocket } from 'node:tls';
import type { ManagementController } from '../../src/index.ts';
import { acceptRouterOf, expectRouters, type RouterSocket } from '../../src/routers.ts';
import { peerCertificates } from '../tls/peer-certificates.ts';
import { createPacedWriter } from './paced-writer.ts';

/** The ALPN protocol that routers request in the TLS handshake. */
export const CONTROL_PROTOCOL = 'ziti-ctrl';

/** Accepts sockets of routers. */
export interface RouterHandler {
  /** Accepts a socket whose TLS handshake is complete and negotiated `CONTROL_PROTOCOL`. */
  accept(socket: TLSSocket): void;
  /** Closes all connections, and rejects new ones. */
  close(): void;
}

/** Time limit for a closed channel to send its buffered data. ms */
const FLUSH_TIMEOUT = 1000;

/**
 * Connects routers to a controller. Pass the handler to `serve` of `overlay-controller/http/node`, or use it in your own server.
 *
 * ```ts
 * await serve({ controller, tls, port: 1280, routers: routerHandler(controller) });
 * ```
 * @throws TypeError if `controller` is not a controller
 */
export const routerHandler = (controller: ManagementController): RouterHandler => {
  const acceptRouter = acceptRouterOf(controller);
  const stopExpecting = expectRouters(controller);
  const ends = new Set<() => void>();
  let isClosed = false;
  const accept = (socket: TLSSocket): void => {
    const remoteAddress = socket.remoteAddress ?? '';
    const certificates = peerCertificates(socket);
    // An error also destroys the socket, which ends `receive`.
    socket.on('error', () => undefined);
    if (isClosed) return void socket.destroy();
    socket.setNoDelay(true);
    const accepted = acceptRouter(toRouterSocket(socket, certificates, remoteAddress));
    const end = () => accepted.close('the server was closed');
    ends.add(end);
    socket.once('close', () => {
      ends.delete(end);
      accepted.close();
    });
    void receive(socket, accepted.received);
  };
  return {
    accept,
    close: () => {
      isClosed = true;
      stopExpecting();
      for (const end of [...ends]) end();
    },
  };
};

const toRouterSocket = (socket: TLSSocket, certificates: readonly Uint8Array[], remoteAddress: string): RouterSocket => {
  const writer = createPacedWriter(socket);
  return {
    certificates,
    remoteAddress,
    write: writer.write,
    get buffered() {
      return writer.buffered;
    },
    drained: writer.drained,
    end: () => {
      writer.end();
      setTimeout(() => socket.destroy(), FLUSH_TIMEOUT).unref();
    },
  };
};

/** Handles received bytes. Does not read more in the meantime, which applies backpressure to the peer. */
const receive = async (socket: TLSSocket, received: (part: Uint8Array) => Promise<void>): Promise<void> => {
  try {
    for await (const part of socket) await received(part);
  } catch {
    // The socket was closed because of an error.
  }
};
