import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { checkedOptions } from '../../src/adapter-kit.ts';
import { authorityOf, listenOn, paceHandshakes, trackOpenSockets } from '../listening.ts';
import { CONTROL_PROTOCOL, type RouterHandler } from '../routers/router-handler.ts';
import { clientCertificates } from '../tls/client-certificates.ts';
import { createPairChoice, type TlsPairs } from '../tls/pairs.ts';
import type { ServerLoad } from './admission.ts';
import type { Handling } from './handling.ts';
import { type NodeBridge, nodeBridge } from './node-bridge.ts';
import { refuseConnection } from './node-refusal.ts';
import type { HostRequest } from './node-request.ts';
import { REFUSAL_HEADERS, refusalBody } from './refusal.ts';
import { type NodeLimits, nodeLimits, SERVE_LIMITS, type ServeLimits } from './serve-limits.ts';
import { shutDown } from './server-shutdown.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import type { UpgradeHandler } from './upgrade-handler.ts';

/** Options of `serve`. */
export interface ServeOptions {
  readonly controller: Handling;
  /** The host name or IP address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /**
   * Key and certificate chain of the server, in PEM, and further pairs for other names. Without it, the server uses plain HTTP and receives
   * no client certificates.
   */
  readonly tls?: TlsPairs;
  readonly limits?: ServeLimits;
  /** See `NodeOptions.trustedProxies`. */
  readonly trustedProxies?: TrustedProxies | readonly TrustedProxies[];
  /**
   * Accepts router connections on the same port: `routerHandler(controller)` of `overlay-controller/routers/node`. Requires `tls`. Default:
   * none.
   */
  readonly routers?: RouterHandler;
  /**
   * Serves the management channel of the reference's command line: `managementChannels(controller)` of `overlay-controller/channels/node`.
   * Default: none.
   */
  readonly channels?: UpgradeHandler;
}

/** A listening server. */
export interface Serving {
  /** E.g. `https://127.0.0.1:1280`. */
  readonly address: string;
  readonly port: number;
  readonly server: http.Server | https.Server;
  /** The requests that are in progress, that wait, and that were refused because of too many others. */
  load(): ServerLoad;
  /** Sets key and certificate for new connections; open ones are not affected. Does nothing without TLS. */
  renewTls(tls: TlsPairs): void;
  /**
   * Stops accepting connections, answers open requests, then closes.
   * @param drainMs milliseconds after which the remaining connections are destroyed. Default 10,000.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Serves a controller on its own port. Client certificates are requested and passed to the controller, but neither required nor verified
 * here.
 * @throws TypeError for invalid options; errors of `listen`, e.g. `EADDRINUSE`
 */
export const serve = async (options: ServeOptions): Promise<Serving> => {
  const {
    controller,
    host = '127.0.0.1',
    port = 0,
    tls,
    limits = {},
    trustedProxies,
    routers,
    channels,
  } = checkedOptions('serve', options, OPTIONS);
  checkedOptions("the option 'limits' of serve", limits, SERVE_LIMITS);
  if (routers && !tls) throw new TypeError("the option 'routers' of serve needs the option 'tls'");
  const forNode = nodeLimits(limits);
  const { server, renewTls } = createServer(forNode, tls, routers, channels);
  const bridge = nodeBridge(controller, { ...forNode.request, ...(trustedProxies ? { trustedProxies } : {}) });
  const { isBusy } = addListeners(server, bridge);
  if (routers) divertRouters(server, routers);
  if (channels) server.on('upgrade', channels.upgrade);
  const sockets = trackOpenSockets(server, 'connection');
  const connections = tls ? trackOpenSockets(server, 'secureConnection') : sockets;
  const boundPort = await listenOn(server, port, host);
  return {
    address: `${tls ? 'https' : 'http'}://${authorityOf(host, boundPort)}`,
    port: boundPort,
    server,
    load: bridge.load,
    renewTls,
    close: (drainMs = 10_000) => {
      bridge.drain();
      routers?.close();
      channels?.close();
      return shutDown(server, { sockets, connections, isBusy, drainMs });
    },
  };
};

const OPTIONS = {
  controller: true,
  host: true,
  port: true,
  tls: true,
  limits: true,
  trustedProxies: true,
  routers: true,
  channels: true,
} as const;

/** A server over TLS if there are keys for it, and otherwise over plain HTTP. */
const createServer = (
  limits: NodeLimits,
  tls: TlsPairs | undefined,
  routers: RouterHandler | undefined,
  channels: UpgradeHandler | undefined,
) => {
  // The request listener checks the header `Host`, because Node's own answer has no body.
  const common = {
    ...limits.http,
    requireHostHeader: false,
    noDelay: true,
    // Requests for other upgrades are answered as if they asked for none (RFC 9110, 7.8).
    ...(channels && { shouldUpgradeCallback: (req: http.IncomingMessage) => channels.isFor(req) }),
  };
  if (!tls) return { server: Object.assign(http.createServer(common), limits.server), renewTls: () => undefined };
  const { ALPNProtocols } = clientCertificates;
  const protocols = routers ? [CONTROL_PROTOCOL, ...ALPNProtocols] : ALPNProtocols;
  const choice = createPairChoice(tls, { ...clientCertificates, ALPNProtocols: protocols });
  const server = Object.assign(https.createServer({ ...common, ...choice.options, ...limits.tls }), limits.server);
  paceHandshakes(server);
  return { server, renewTls: (renewed: TlsPairs) => server.setSecureContext(choice.renew(renewed)) };
};

/**
 * Passes the requests of a server to the bridge.
 * @returns a function that checks whether a connection has an unfinished answer
 */
const addListeners = (server: http.Server | https.Server, bridge: NodeBridge): { readonly isBusy: (socket: Duplex) => boolean } => {
  /** The latest answer of each connection. */
  const answers = new WeakMap<Duplex, http.ServerResponse>();
  const listener =
    ({ awaitsContinue }: Required<Pick<HostRequest, 'awaitsContinue'>>): http.RequestListener =>
    (req, res) => {
      answers.set(req.socket, res);
      if (req.headers.host === undefined && req.httpVersion === '1.1')
        res.writeHead(400, { ...REFUSAL_HEADERS, connection: 'close' }).end(refusalBody(400));
      else void bridge.answer({ req, res, awaitsContinue }); // never rejects
    };
  server.on('request', listener({ awaitsContinue: false }));
  server.on('checkContinue', listener({ awaitsContinue: true }));
  // Other expectations are ignored (RFC 9110, 10.1.1). Node would reject them with neither body nor headers.
  server.on('checkExpectation', listener({ awaitsContinue: false }));
  server.on('clientError', refuseConnection);
  return { isBusy: (socket) => answers.get(socket)?.writableFinished === false };
};

/** Passes connections that have negotiated the router protocol to `routers` instead of the HTTP server. */
const divertRouters = (server: http.Server | https.Server, routers: RouterHandler): void => {
  const listeners = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === CONTROL_PROTOCOL) routers.accept(socket);
    else for (const listener of listeners) listener.call(server, socket);
  });
};
