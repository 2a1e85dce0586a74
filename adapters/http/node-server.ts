import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';
import type { TLSSocket } from 'node:tls';
import { type AnswerLimits, checkedOptions } from '../../src/adapter-kit.ts';
import { authorityOf, listenOn, openSockets } from '../listening.ts';
import { CONTROL_PROTOCOL, type RouterHandler } from '../routers/router-handler.ts';
import { clientCertificates } from '../tls/client-certificates.ts';
import { choiceOf, type TlsPairs } from '../tls/pairs.ts';
import type { Handling } from './handling.ts';
import { nodeBridge, REQUEST_LIMITS } from './node-bridge.ts';
import { refuseConnection } from './node-refusal.ts';
import { REFUSAL_HEADERS, refusalBody } from './refusal.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import type { BodyLimits } from './waiting-bodies.ts';

/** Limits of a server. */
export interface ServeLimits extends BodyLimits, AnswerLimits {
  /** Maximum number of concurrent requests; beyond it, requests get 503. Requests with an incomplete body do not count. Default 1,000. */
  readonly maxConcurrent?: number;
  /** Maximum number of open connections; beyond it, new ones are closed. Default 10,000. */
  readonly maxConnections?: number;
  /** Milliseconds for the TLS handshake. Default 5,000. */
  readonly handshakeTimeoutMs?: number;
  /** Milliseconds within which the headers of a request must arrive. Default 5,000. */
  readonly headersTimeoutMs?: number;
  /** Time limit for receiving the whole request, in milliseconds. Default 15,000, so that the controller's own, shorter limit usually answers first. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds that a connection may idle between requests. Default 5,000. */
  readonly keepAliveTimeoutMs?: number;
  /** Milliseconds without any traffic while a request is open. Default 100,000. */
  readonly socketTimeoutMs?: number;
  /** Maximum size of the request line and headers, in bytes. Default 16,384. */
  readonly maxHeaderBytes?: number;
}

/** The controller, and where to serve it. */
export interface ServeOptions {
  readonly controller: Handling;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /**
   * Key and certificate chain of the server, in PEM, and further ones for other names. Without them, the server speaks plain HTTP and sees no client
   * certificates.
   */
  readonly tls?: TlsPairs;
  readonly limits?: ServeLimits;
  /** See `NodeOptions.trustedProxies`. */
  readonly trustedProxies?: TrustedProxies | readonly TrustedProxies[];
  /** Accepts router connections on the same port: `routerHandler(controller)` of `overlay-controller/routers/node`. Requires `tls`. Default: none. */
  readonly routers?: RouterHandler;
}

/** A listening server. */
export interface Serving {
  /** E.g. `https://127.0.0.1:1280`. */
  readonly address: string;
  readonly port: number;
  readonly server: http.Server | https.Server;
  /** Sets key and certificate for new connections; open ones are not affected. Does nothing without TLS. */
  renewTls(tls: TlsPairs): void;
  /**
   * Stops accepting connections, answers open requests, then closes.
   * @param drainMs milliseconds after which open connections are destroyed. Default 10,000.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Serves a controller on its own port. Client certificates are requested and passed to the controller, but neither required nor verified here.
 * @throws errors of `listen`, e.g. `EADDRINUSE`
 */
export const serve = async (options: ServeOptions): Promise<Serving> => {
  const { controller, host = '127.0.0.1', port = 0, tls, limits = {}, trustedProxies, routers } = checkedOptions('serve', options, OPTIONS);
  checkedOptions("the option 'limits' of serve", limits, LIMITS);
  const {
    maxConnections = 10_000,
    handshakeTimeoutMs = 5000,
    headersTimeoutMs = 5000,
    requestTimeoutMs = 15_000,
    keepAliveTimeoutMs = 5000,
    socketTimeoutMs = 100_000,
    maxHeaderBytes = 16_384,
    ...requestLimits
  } = limits;
  const common = {
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    // How often Node checks for late requests, by default every 30 seconds.
    connectionsCheckingInterval: Math.min(1000, Math.max(50, headersTimeoutMs / 4)),
    // The listener below checks it instead, because Node's own answer has no body.
    requireHostHeader: false,
    noDelay: true,
  };
  const tlsOptions = routers
    ? { ...clientCertificates, ALPNProtocols: [CONTROL_PROTOCOL, ...clientCertificates.ALPNProtocols] }
    : clientCertificates;
  if (routers && !tls) throw new TypeError("the option 'routers' of serve needs the option 'tls'");
  const choice = tls && choiceOf(tls, tlsOptions);
  const server = choice
    ? https.createServer({ ...common, ...choice.options, handshakeTimeout: handshakeTimeoutMs })
    : http.createServer(common);
  server.maxConnections = maxConnections;
  server.timeout = socketTimeoutMs;

  const bridge = nodeBridge(controller, { ...requestLimits, ...(trustedProxies ? { trustedProxies } : {}) });
  /** The latest answer of each connection. */
  const answers = new WeakMap<Duplex, http.ServerResponse>();
  const isBusy = (socket: Duplex) => answers.get(socket)?.writableFinished === false;
  const listener =
    (awaitsContinue: boolean): http.RequestListener =>
    (req, res) => {
      answers.set(req.socket, res);
      if (req.headers.host === undefined && req.httpVersion === '1.1')
        res.writeHead(400, { ...REFUSAL_HEADERS, connection: 'close' }).end(refusalBody(400));
      else void bridge.answer({ req, res, awaitsContinue }); // never rejects
    };
  server.on('request', listener(false));
  server.on('checkContinue', listener(true));
  // Other expectations are ignored (RFC 9110, 10.1.1). Node would reject them with neither body nor headers.
  server.on('checkExpectation', listener(false));
  server.on('clientError', refuseConnection);
  if (routers) divertRouters(server, routers);
  const sockets = openSockets(server, 'connection');
  const connections = tls ? openSockets(server, 'secureConnection') : sockets;

  const boundPort = await listenOn(server, port, host);

  return {
    address: `${tls ? 'https' : 'http'}://${authorityOf(host, boundPort)}`,
    port: boundPort,
    server,
    renewTls: (renewed) => {
      if (choice && server instanceof https.Server) server.setSecureContext(choice.renew(renewed));
    },
    close: (drainMs = 10_000) =>
      new Promise((resolve) => {
        bridge.drain();
        routers?.close();
        // Node counts connections that have not sent a request yet as busy. They get a grace period, because a request may be arriving.
        const grace = setTimeout(
          () => {
            for (const socket of connections) if (!isBusy(socket)) socket.destroy();
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
      }),
  };
};

const OPTIONS = { controller: true, host: true, port: true, tls: true, limits: true, trustedProxies: true, routers: true } as const;
const LIMITS = {
  maxConnections: true,
  handshakeTimeoutMs: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
  keepAliveTimeoutMs: true,
  socketTimeoutMs: true,
  maxHeaderBytes: true,
  ...REQUEST_LIMITS,
} as const;

const GRACE_MS = 250;

/** Passes connections that have negotiated the router protocol to `routers` instead of the HTTP server. */
const divertRouters = (server: http.Server | https.Server, routers: RouterHandler): void => {
  const listeners = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === CONTROL_PROTOCOL) routers.accept(socket);
    else for (const listener of listeners) listener.call(server, socket);
  });
};
