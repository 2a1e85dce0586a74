import { clearTimeout, setTimeout } from 'node:timers';
import tls from 'node:tls';
import { checkedOptions } from '../../src/adapter-kit.ts';
import type { ManagementController } from '../../src/index.ts';
import { authorityOf, listenOn, paceHandshakes, trackOpenSockets } from '../listening.ts';
import { clientCertificates } from '../tls/client-certificates.ts';
import { createPairChoice, type TlsPairs } from '../tls/pairs.ts';
import { CONTROL_PROTOCOL, type RouterHandler, routerHandler } from './router-handler.ts';

/** Limits of a server for routers. */
export interface RouterLimits {
  /** Maximum number of open connections. Additional ones are closed. Default: 10,000. */
  readonly maxConnections?: number;
  /** Time limit for the TLS handshake, in milliseconds. Default: 5,000. */
  readonly handshakeTimeoutMs?: number;
}

/** Options of a server for routers. */
export interface ServeRoutersOptions {
  readonly controller: ManagementController;
  /**
   * Key and certificate chain of the server in PEM, and further pairs for other names. Routers validate the chain against the authorities
   * that they received at enrollment.
   */
  readonly tls: TlsPairs;
  /** Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly limits?: RouterLimits;
}

/** A listening server for routers. */
export interface ServingRouters {
  /** The address in the format that enrollments use: `tls:127.0.0.1:6262`. */
  readonly address: string;
  readonly port: number;
  readonly server: tls.Server;
  /** Sets the key and certificate for new connections. Open connections are not affected. */
  renewTls(tls: TlsPairs): void;
  /** Closes the server and all connections. */
  close(): Promise<void>;
}

/**
 * Connects routers to a controller on a separate port. Routers expect by default that the control channel shares the port of the HTTPS
 * server: for that, use `routerHandler`.
 *
 * ```ts
 * const { address, close } = await serveRouters({ controller, tls, port: 6262 });
 * ```
 * @throws errors of `listen`, e.g. `EADDRINUSE`
 */
export const serveRouters = async (options: ServeRoutersOptions): Promise<ServingRouters> => {
  const { controller, ...others } = checkedOptions('serveRouters', options, OPTIONS);
  return listenForRouters(routerHandler(controller), others);
};

/**
 * Listens for routers, and passes their sockets to `handler`.
 * @throws errors of `listen`
 */
export const listenForRouters = async (
  handler: RouterHandler,
  { tls: pairs, host = '127.0.0.1', port = 0, limits = {} }: Omit<ServeRoutersOptions, 'controller'>,
): Promise<ServingRouters> => {
  const { maxConnections = 10_000, handshakeTimeoutMs = 5000 } = checkedOptions("the option 'limits' of serveRouters", limits, LIMITS);
  const choice = createPairChoice(pairs, { ...clientCertificates, ALPNProtocols: [CONTROL_PROTOCOL] });
  const server = tls.createServer({ ...choice.options, handshakeTimeout: handshakeTimeoutMs }, (socket) => {
    // Checked here, because Node also accepts handshakes without ALPN.
    if (socket.alpnProtocol === CONTROL_PROTOCOL) handler.accept(socket);
    else socket.destroy();
  });
  paceHandshakes(server);
  server.maxConnections = maxConnections;
  const sockets = trackOpenSockets(server, 'connection');
  const boundPort = await listenOn(server, port, host);
  return {
    address: `tls:${authorityOf(host, boundPort)}`,
    port: boundPort,
    server,
    renewTls: (renewed) => server.setSecureContext(choice.renew(renewed)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        handler.close();
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, GRACE_MS);
        timer.unref();
        server.once('close', () => clearTimeout(timer));
      }),
  };
};

const OPTIONS = { controller: true, tls: true, host: true, port: true, limits: true } as const;
const LIMITS = { maxConnections: true, handshakeTimeoutMs: true } as const;

/** Time limit on close for handshakes in progress and buffered data to complete. */
const GRACE_MS = 1500;
