import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isLoopback } from '../src/adapter-kit.ts';

/** The names under which clients reach a server that listens on `host`. */
export interface Names {
  /** The name for clients on other machines. */
  readonly advertised: string;
  /** The name for clients on this machine. */
  readonly local: string;
}

export const namesOf = (host: string): Names => {
  // A server that listens on all addresses advertises the machine's name.
  if (host === '0.0.0.0') return { advertised: machineName(), local: '127.0.0.1' };
  if (/^[0:]+$/.test(host)) return { advertised: machineName(), local: '::1' };
  return { advertised: host, local: host };
};

/** The names and addresses that a server certificate must cover: `advertised` is the name in the address given to clients. */
export const certifiedNames = (host: string, advertised = namesOf(host).advertised): readonly string[] => [
  ...new Set(['localhost', '127.0.0.1', '::1', namesOf(host).advertised, advertised]),
];

/** The name or address in a URL's `hostname`, without the brackets around an IPv6 address. */
export const hostInUrl = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * The host in an address for routers.
 * @param address `tls:HOST:PORT`
 */
export const hostOfRouters = (address: string): string => hostInUrl(new URL(address.replace(/^tls:/, 'https://')).hostname);

/** True for names and addresses that denote the local machine (RFC 6761, 6.3). */
export const isLoopbackHost = (host: string): boolean => isLoopback(host) || /^(.+\.)?localhost\.?$/i.test(host);

/** The name or address in a `Host` header (RFC 9110, 7.2), in lower case; undefined if there is none. */
const hostInHeader = (header = ''): string | undefined => {
  const [, host] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?$/i.exec(header) ?? [];
  return host && hostInUrl(host.toLowerCase());
};

/**
 * Creates the check of `Host` headers for a port without a login. It accepts loopback, the address that the port listens on, and the names
 * given by the operator. For a port that listens on all addresses, it also accepts the machine's name and every IP address, since DNS
 * rebinding always uses a name.
 * @param allowed names given by the operator; `*` allows any
 */
export const createHostCheck =
  (listening: string, allowed: readonly string[]): ((header: string | undefined) => boolean) =>
  (header) => {
    const host = hostInHeader(header);
    if (host === undefined) return allowed.includes('*');
    const { advertised, local } = namesOf(listening);
    const isOwn = host === advertised.toLowerCase() || (local !== listening && isIP(host) !== 0);
    return isOwn || isLoopbackHost(host) || allowed.includes('*') || allowed.includes(host);
  };

export const urlOf = (isTls: boolean, name: string, port: number): string =>
  `${isTls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;

const machineName = (): string => {
  const name = hostname();
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(name) ? name : 'localhost';
};
