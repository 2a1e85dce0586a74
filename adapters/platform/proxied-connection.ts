import { connect, isIP, type TcpNetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectByTls } from 'node:tls';
import { type AddressRule, isLoopback, OutboundRefused } from '../../src/adapter-kit.ts';
import { hostIn, portIn } from './destination.ts';
import { permittedLookup, type Resolve } from './permitted-addresses.ts';
import type { HttpProxy } from './proxies.ts';
import { openTunnel, TunnelRefused } from './proxy-tunnel.ts';

/** Maximum number of addresses of a name to which a proxy is asked to connect. */
const MAX_DESTINATIONS = 4;

export interface ProxiedOptions {
  readonly proxy: HttpProxy;
  readonly resolve: Resolve;
  readonly permits: AddressRule;
  readonly signal: AbortSignal;
}

/**
 * A tunnel through a proxy to a permitted address of the URL's host, which has been checked if it is an address itself. Plain http uses a tunnel, too: otherwise
 * the proxy would resolve the name. Undefined if the name leads to this machine, whose loopback addresses the proxy cannot reach.
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
      if (!(error instanceof TunnelRefused && error.isOfDestination)) throw error;
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
          new Error(`${name} cannot be resolved (${error.code ?? error.message}): if only the proxy can, see 'proxied' of outboundAllow`),
        );
      else found([addresses].flat().map((entry) => (typeof entry === 'string' ? entry : entry.address)));
    });
  });

/** The connection for a request: a tunnel or a new one, with TLS for the host in the URL if it is https. */
export const connectTo = (url: URL, by: Duplex | TcpNetConnectOpts): Duplex => {
  const isTunnel = by instanceof Duplex;
  if (url.protocol !== 'https:') return isTunnel ? by : connect(by);
  const host = hostIn(url);
  const tls = { host, ...(isIP(host) === 0 ? { servername: host } : {}), ALPNProtocols: ['http/1.1'] };
  return connectByTls(isTunnel ? { ...tls, socket: by } : { ...by, ...tls });
};
