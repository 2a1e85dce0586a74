import { constants } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import { checkedOptions } from '../../src/adapter-kit.ts';
import type { Handling } from './handling.ts';
import { nodeBridge } from './node-bridge.ts';
import { refuseConnection } from './node-refusal.ts';
import { REFUSAL_HEADERS, refusalBody } from './refusal.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import { BODY_LIMITS, type BodyLimits } from './waiting-bodies.ts';

/** Limits of a server. */
export interface ServeLimits extends BodyLimits {
  /** Maximum of concurrent requests; beyond it, requests get 503. Requests with an incomplete body do not count. Default 1,000. */
  readonly maxConcurrent?: number;
  /** Maximum of open connections; beyond it, new ones are closed. Default 10,000. */
  readonly maxConnections?: number;
  /** Milliseconds for the TLS handshake. Default 5,000. */
  readonly handshakeTimeoutMs?: number;
  /** Milliseconds within which the headers of a request must arrive. Default 5,000. */
  readonly headersTimeoutMs?: number;
  /** Milliseconds within which the whole request must arrive. Default 15,000, later than the controller's own limit, which answers better. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds that a connection may idle between requests. Default 5,000. */
  readonly keepAliveTimeoutMs?: number;
  /** Milliseconds without any traffic while a request is open. Default 100,000. */
  readonly socketTimeoutMs?: number;
  /** Maximum of bytes of request line and headers. Default 16,384. */
  readonly maxHeaderBytes?: number;
}

/** The controller, and where to serve it. */
export interface ServeOptions {
  readonly controller: Handling;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Key and certificate chain of the server, in PEM. Without them, the server speaks plain HTTP and sees no client certificates. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  readonly limits?: ServeLimits;
  /** See `NodeOptions.trustedProxies`. */
  readonly trustedProxies?: TrustedProxies;
}

/** A listening server. */
export interface Serving {
  /** E.g. `https://127.0.0.1:1280`. */
  readonly address: string;
  readonly port: number;
  readonly server: http.Server | https.Server;
  /** Sets key and certificate for new connections; open ones are not affected. Does nothing without TLS. */
  renewTls(tls: { readonly key: string | Buffer; readonly cert: string | Buffer }): void;
  /**
   * Accepts no more connections, answers open requests, then closes.
   * @param drainMs milliseconds after which open connections are destroyed. Default 10,000.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Serves a controller on its own port. Client certificates are requested and passed to the controller, but neither required nor verified here.
 * @throws errors of `listen`, e.g. `EADDRINUSE`
 */
export const serve = async (options: ServeOptions): Promise<Serving> => {
  const { controller, host = '127.0.0.1', port = 0, tls, limits = {}, trustedProxies } = checkedOptions('serve', options, OPTIONS);
  checkedOptions("the option 'limits' of serve", limits, LIMITS);
  const {
    maxConnections = 10_000,
    handshakeTimeoutMs = 5000,
    headersTimeoutMs = 5000,
    requestTimeoutMs = 15_000,
    keepAliveTimeoutMs = 5000,
    socketTimeoutMs = 100_000,
    maxHeaderBytes = 16_384,
    ...ofRequests
  } = limits;
  const common = {
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    // How often Node checks for late requests, by default every 30 seconds.
    connectionsCheckingInterval: Math.min(1000, Math.max(50, headersTimeoutMs / 4)),
    // The bridge checks it instead, because Node's own answer has no body.
    requireHostHeader: false,
    noDelay: true,
  };
  const server = tls
    ? https.createServer({ ...common, ...clientCertificates, handshakeTimeout: handshakeTimeoutMs, ...tls })
    : http.createServer(common);
  server.maxConnections = maxConnections;
  server.timeout = socketTimeoutMs;

  const bridge = nodeBridge(controller, { ...ofRequests, ...(trustedProxies ? { trustedProxies } : {}) });
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
  // Other expectations are ignored (RFC 9110, 10.1.1): Node would refuse them with neither body nor headers.
  server.on('checkExpectation', listener(false));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (isBusy(socket) && answers.get(socket)?.headersSent) socket.destroy();
    else refuseConnection(error, socket);
  });
  const sockets = tracked(server, 'connection');
  const connections = tls ? tracked(server, 'secureConnection') : sockets;

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address() as AddressInfo; // a listening TCP server has one

  return {
    address: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    port: bound.port,
    server,
    renewTls: (renewed) => {
      if (server instanceof https.Server) server.setSecureContext({ ...clientCertificates, ...renewed });
    },
    close: (drainMs = 10_000) =>
      new Promise((resolve) => {
        bridge.drain();
        // Node counts connections without a first request as busy. They get a moment, because a request may be arriving.
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

const OPTIONS = { controller: true, host: true, port: true, tls: true, limits: true, trustedProxies: true } as const;
const LIMITS = {
  maxConcurrent: true,
  maxConnections: true,
  handshakeTimeoutMs: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
  keepAliveTimeoutMs: true,
  socketTimeoutMs: true,
  maxHeaderBytes: true,
  ...BODY_LIMITS,
} as const;

const GRACE_MS = 250;

/** The open sockets that a server has emitted with an event. */
const tracked = (server: http.Server | https.Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};

/**
 * TLS options for your own HTTPS server: it requests client certificates and accepts any.
 *
 * ```ts
 * https.createServer({ ...clientCertificates, key, cert }, nodeHandler(controller));
 * ```
 *
 * An empty `ca` keeps the authorities of the machine out of the presented chains. Session resumption is off: a ticket keeps the client's
 * certificate but drops the intermediate ones, so a client would be recognised on its first connection but not on the next.
 */
export const clientCertificates = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  // HTTP/1.0 is offered too, because clients that announce only 1.0 would otherwise be refused.
  ALPNProtocols: ['http/1.1', 'http/1.0'],
  rejectUnauthorized: false,
  ca: [],
  secureOptions: constants.SSL_OP_NO_TICKET,
} satisfies TlsOptions;
