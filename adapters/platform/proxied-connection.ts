import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { connect, isIP, isIPv6, type TcpNetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectByTls } from 'node:tls';
import { type AddressRule, isLoopback, OutboundRefused } from '../../src/adapter-kit.ts';
import { hostIn, portIn } from './destination.ts';
import { permittedLookup, type Resolve } from './permitted-addresses.ts';
import type { HttpProxy } from './proxies.ts';

/** Maximum number of addresses of a name that are tried through a proxy. */
const MAX_DESTINATIONS = 4;

export interface ProxiedOptions {
  readonly proxy: HttpProxy;
  readonly resolve: Resolve;
  readonly permits: AddressRule;
  readonly signal: AbortSignal;
}

/**
 * Opens a tunnel through a proxy to a permitted address of the URL's host. A host that is itself an address must have been checked. Plain
 * http uses a tunnel, too: otherwise the proxy would resolve the name.
 * @returns undefined if the name resolves to a loopback address, which the proxy cannot reach
 */
export const tunnelTo = async (url: URL, { proxy, resolve, permits, signal }: ProxiedOptions): Promise<Duplex | undefined> => {
  const name = hostIn(url);
  const hosts = isIP(name) !== 0 || permits.proxied ? [name] : await addressesOf(name, permittedLookup(resolve, permits), signal);
  if (hosts.some(isLoopback)) return undefined;
  let refusal: unknown;
  for (const host of hosts.slice(0, MAX_DESTINATIONS))
    try {
      return await openTunnel(proxy, host, portIn(url), signal);
    } catch (error) {
      if (!(error instanceof TunnelRefused && error.mayTryNext)) throw error;
      refusal = error;
    }
  throw refusal;
};

const addressesOf = (name: string, lookup: ReturnType<typeof permittedLookup>, signal: AbortSignal): Promise<readonly string[]> =>
  new Promise((found, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    lookup(name, { all: true }, (error, addresses) => {
      if (error instanceof OutboundRefused) reject(error);
      else if (error)
        reject(
          new Error(
            `${name} cannot be resolved (${error.code ?? error.message}): if only the proxy can resolve it, see 'proxied' of outboundAllow`,
          ),
        );
      else found([addresses].flat().map((entry) => (typeof entry === 'string' ? entry : entry.address)));
    });
  });

/** Connects for a request, through a tunnel or directly. For https, adds TLS for the host of the URL. */
export const connectTo = (url: URL, via: Duplex | TcpNetConnectOpts): Duplex => {
  const isTunnel = via instanceof Duplex;
  if (url.protocol !== 'https:') return isTunnel ? via : connect(via);
  const host = hostIn(url);
  const tls = { host, ...(isIP(host) === 0 ? { servername: host } : {}), ALPNProtocols: ['http/1.1'] };
  return connectByTls(isTunnel ? { ...tls, socket: via } : { ...via, ...tls });
};

/** A proxy has not opened a tunnel. */
class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused';
  /** True if the next address of the name may be tried: the proxy refused this address. */
  readonly mayTryNext: boolean;

  constructor(message: string, { mayTryNext = false } = {}) {
    super(message);
    this.mayTryNext = mayTryNext;
  }
}

/**
 * Opens a tunnel through a proxy (RFC 9110, 9.3.6). Data of the proxy itself is never mistaken for data of the destination: the body of its
 * response is not read, and the tunnel is closed if data arrives before any was sent.
 * @throws TunnelRefused if the proxy refuses the tunnel, or does not respond like a proxy; the reason of `signal` when it is aborted
 */
const openTunnel = (proxy: HttpProxy, host: string, port: number, signal: AbortSignal): Promise<Duplex> => {
  const destination = hostAndPort(host, port);
  const name = `the proxy ${hostAndPort(proxy.host, proxy.port)}`;
  const address = { host: proxy.host, port: proxy.port, ...(isIP(proxy.host) === 0 ? { servername: proxy.host } : {}) };
  return new Promise((resolve, reject) => {
    const request = proxy.isSecure ? requestByHttps : requestByHttp;
    request({
      method: 'CONNECT',
      path: destination,
      headers: { host: destination, ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }) },
      // Without an agent, which may use a proxy itself.
      createConnection: () => (proxy.isSecure ? connectByTls({ ...address, ALPNProtocols: ['http/1.1'] }) : connect(address)),
      signal,
    })
      .once('connect', ({ statusCode = 0 }, socket, head) => {
        const isOpen = statusCode >= 200 && statusCode <= 299;
        if (isOpen && head.length === 0) return resolve(socket);
        socket.destroy();
        if (isOpen) reject(new TunnelRefused(`${name} sent data into the tunnel`));
        else if (statusCode === 407)
          reject(new TunnelRefused(`${name} does not accept the credentials in its address, or requires credentials`));
        else reject(new TunnelRefused(`${name} refused a tunnel to ${destination}: status ${statusCode}`, { mayTryNext: true }));
      })
      .once('response', (answer) => {
        // Node does not emit `response` for a CONNECT; other runtimes do.
        answer.destroy();
        reject(new TunnelRefused(`${name} refused a tunnel to ${destination}`));
      })
      // Only the message is used: the error for a malformed response contains the response.
      .once('error', (error) => reject(signal.aborted ? signal.reason : new TunnelRefused(`${name} cannot be used: ${error.message}`)))
      .end();
  });
};

const hostAndPort = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;
