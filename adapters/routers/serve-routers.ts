import tls from 'node:tls';
import { checkedOptions } from '../../src/adapter-kit.ts';
import type { ManagementController } from '../../src/index.ts';
import { authorityOf, listenOn, openSockets } from '../listening.ts';
import { clientCertificates } from '../tls/client-certificates.ts';
import { CONTROL_PROTOCOL, routerHandler } from './router-handler.ts';

/** Limits of a server for routers. */
export interface RouterLimits {
  /** Maximum number of open connections; further ones are closed. Default 10,000. */
  readonly maxConnections?: number;
  /** Time limit for the TLS handshake in milliseconds. Default 5,000. */
  readonly handshakeTimeoutMs?: number;
}

/** Options of a server for routers. */
export interface ServeRoutersOptions {
  readonly controller: ManagementController;
  /** Key and certificate chain of the server, in PEM. Routers validate the chain against the authorities that they received when they enrolled. */
  readonly tls: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly limits?: RouterLimits;
}

/** A listening server for routers. */
export interface ServingRouters {
  /** The address in the form that enrollments use: `tls:127.0.0.1:6262`. */
  readonly address: string;
  readonly port: number;
  readonly server: tls.Server;
  /** Sets key and certificate for new connections; open ones are not affected. */
  renewTls(tls: { readonly key: string | Buffer; readonly cert: string | Buffer }): void;
  /** Closes all connections, and accepts no more. */
  close(): Promise<void>;
}

/**
 * Connects routers to a controller on a separate port. To share the port of the HTTPS server, as routers expect by default, see `routerHandler`.
 *
 * ```ts
 * const { address, close } = await serveRouters({ controller, tls, port: 6262 });
 * ```
 * @throws errors of `listen`, e.g. `EADDRINUSE`
 */
export const serveRouters = async (options: ServeRoutersOptions): Promise<ServingRouters> => {
  const { controller, tls: pair, host = '127.0.0.1', port = 0, limits = {} } = checkedOptions('serveRouters', options, OPTIONS);
  const { maxConnections = 10_000, handshakeTimeoutMs = 5000 } = checkedOptions("the option 'limits' of serveRouters", limits, LIMITS);
  const handler = routerHandler(controller);
  const ofTls = { ...clientCertificates, ALPNProtocols: [CONTROL_PROTOCOL] };
  const server = tls.createServer({ ...ofTls, ...pair, handshakeTimeout: handshakeTimeoutMs }, (socket) => {
    // Node accepts handshakes without ALPN.
    if (socket.alpnProtocol === CONTROL_PROTOCOL) handler.accept(socket);
    else socket.destroy();
  });
  server.maxConnections = maxConnections;
  const sockets = openSockets(server, 'connection');
  const boundPort = await listenOn(server, port, host);
  return {
    address: `tls:${authorityOf(host, boundPort)}`,
    port: boundPort,
    server,
    renewTls: (renewed) => server.setSecureContext({ ...ofTls, ...renewed }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        handler.close();
        const late = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, GRACE_MS);
        late.unref();
        server.once('close', () => clearTimeout(late));
      }),
  };
};

const OPTIONS = { controller: true, tls: true, host: true, port: true, limits: true } as const;
const LIMITS = { maxConnections: true, handshakeTimeoutMs: true } as const;

/** Time that handshakes in progress and buffered data have to finish on close. */
const GRACE_MS = 1500;
