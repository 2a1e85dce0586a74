import { X509Certificate } from 'node:crypto';
import { type Handling, type ServeLimits, type Serving, serve, type TrustedProxies, type UpgradeHandler } from '../adapters/http/node.ts';
import type { RouterHandler, ServingRouters } from '../adapters/routers/node.ts';
import { listenForRouters } from '../adapters/routers/serve-routers.ts';
import type { TlsPairs } from '../adapters/tls/pairs.ts';
import type { Logger } from '../src/index.ts';
import { codeOf, StartFailure, sentenceOf } from './failure.ts';
import type { ReloadTrigger, Tls } from './tls.ts';

/** Interval at which the certificate files are reloaded. */
const RELOAD_MS = 10_000;
const MIN_SOCKET_TIMEOUT_MS = 100_000;
/** Time in which the answer to an aborted request is sent. */
const ANSWER_MS = 5000;

export interface ListenOptions {
  readonly controller: Handling;
  readonly host: string;
  readonly port: number;
  readonly certificate: Tls | undefined;
  /** Accepts connections from routers on the port of the API, over TLS. If undefined, routers cannot connect there. */
  readonly routers: RouterHandler | undefined;
  /** The separate port for routers, and the handler of its connections. */
  readonly routerPort?: { readonly port: number; readonly handler: RouterHandler } | undefined;
  /** Opens the management channels of operators. */
  readonly channels?: UpgradeHandler;
  readonly trustedProxies: readonly TrustedProxies[];
  /** Time limit of a request. ms */
  readonly requestTimeoutMs: number;
  /** Default: those of `serve`. */
  readonly limits?: Pick<ServeLimits, 'maxConcurrent' | 'maxConnections' | 'maxQueued' | 'maxQueueMs'>;
  readonly messages: Logger;
}

/** The open ports of the controller. */
export interface Listening extends Pick<Serving, 'port' | 'close'>, Partial<Pick<Serving, 'load'>> {
  /** The separate port for routers. */
  readonly routerPort?: number | undefined;
}

/** Opens the ports of the controller. */
export type Listen = (options: ListenOptions) => Promise<Listening>;

/**
 * Opens the ports, and reloads the certificate every ten seconds and on SIGHUP.
 * @throws StartFailure if a port cannot be opened
 */
export const listen: Listen = async (options) => {
  const { controller, host, port, certificate, routers, routerPort, channels, trustedProxies, requestTimeoutMs, limits, messages } =
    options;
  const secured = certificate ? { tls: pairsOf(certificate), ...(routers ? { routers } : {}) } : {};
  const serving = await serve({
    controller,
    host,
    port,
    trustedProxies,
    ...(channels && { channels }),
    limits: { ...limits, socketTimeoutMs: socketTimeoutOf(requestTimeoutMs) },
    ...secured,
  }).catch((error: unknown) => {
    throw toPortFailure(host, port, error);
  });
  const routerServer = certificate && routerPort && (await listenForRoutersOn(host, routerPort, certificate));
  if (certificate) {
    const reload = createReload([serving, ...(routerServer ? [routerServer] : [])], certificate, messages);
    setInterval(() => reload('scheduled'), RELOAD_MS).unref();
    process.on('SIGHUP', () => reload('requested'));
  }
  return {
    port: serving.port,
    routerPort: routerServer?.port,
    load: serving.load,
    close: async (drainMs) => {
      await Promise.all([serving.close(drainMs), routerServer?.close()]);
    },
  };
};

/** The time that a connection without traffic stays open: longer than the request that it waits for. ms */
export const socketTimeoutOf = (requestTimeoutMs: number): number => Math.max(MIN_SOCKET_TIMEOUT_MS, requestTimeoutMs + ANSWER_MS);

const listenForRoutersOn = (
  host: string,
  { port, handler }: NonNullable<ListenOptions['routerPort']>,
  certificate: Tls,
): Promise<ServingRouters> =>
  listenForRouters(handler, { tls: pairsOf(certificate), host, port }).catch((error: unknown) => {
    throw toPortFailure(host, port, error, '--router-port');
  });

const pairsOf = ({ pair, alternatives }: Tls): TlsPairs => ({ ...pair, ...(alternatives.length > 0 ? { alternatives } : {}) });

/**
 * @returns a function that reloads the certificate; calls run one after another. A failure that repeats is logged once, unless the reload
 * was requested.
 */
const createReload = (
  servers: readonly Pick<Serving, 'renewTls'>[],
  certificate: Tls,
  messages: Logger,
): ((trigger: ReloadTrigger) => void) => {
  let lastFailure: string | undefined;
  const reload = async (trigger: ReloadTrigger): Promise<void> => {
    try {
      const renewed = await certificate.reload(new Date(), trigger);
      if (renewed) {
        for (const server of servers) server.renewTls(pairsOf({ ...certificate, ...renewed }));
        messages.info(`new connections use the renewed certificate, valid until ${new X509Certificate(renewed.pair.cert).validTo}`);
        if (renewed.warning) messages.warn(renewed.warning);
      } else if (trigger === 'requested') messages.info('the certificate was reloaded and has not changed');
      lastFailure = undefined;
    } catch (error) {
      const failure = sentenceOf(error);
      if (trigger === 'requested' || failure !== lastFailure) messages.warn(`the certificate in use is kept: ${failure}`);
      lastFailure = failure;
    }
  };
  let queue = Promise.resolve();
  return (trigger) => {
    queue = queue.then(() => reload(trigger));
  };
};

/** The error for a port that cannot be opened, with a remedy. */
export const toPortFailure = (host: string, port: number, error: unknown, option = '--port'): StartFailure =>
  new StartFailure(REMEDIES[codeOf(error) ?? '']?.(host, port, option) ?? `cannot listen on port ${port} of ${host}: ${sentenceOf(error)}`);

const REMEDIES: Readonly<Record<string, (host: string, port: number, option: string) => string>> = {
  EADDRINUSE: (host, port, option) =>
    `port ${port} of ${host} is in use: stop the process that listens there, or choose another port with ${option}`,
  EACCES: (_host, port, option) => `this user may not open port ${port}: choose one above 1023 with ${option}`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine: choose another with --host`,
  ENOTFOUND: (host) => `the name ${host} does not resolve to an address: choose another with --host`,
};
