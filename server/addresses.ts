import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isLoopback } from '../src/adapter-kit.ts';

/** The names under which a server on `host` is reached. */
export interface Names {
  /** For clients on other machines, if they can reach it: the advertised name. */
  readonly advertised: string;
  /** For clients on this machine. */
  readonly local: string;
}

export const namesOf = (host: string): Names => {
  // A server on all addresses is best known by the name of the machine.
  if (host === '0.0.0.0') return { advertised: machine(), local: '127.0.0.1' };
  if (/^[0:]+$/.test(host)) return { advertised: machine(), local: '::1' };
  return { advertised: host, local: host };
};

/** The names and addresses that a server certificate must cover: `advertised` is the name in the address given to clients. */
export const certifiedNames = (host: string, advertised = namesOf(host).advertised): readonly string[] => [
  ...new Set(['localhost', '127.0.0.1', '::1', namesOf(host).advertised, advertised]),
];

/** The name or address of a URL's `hostname`, which has IPv6 in brackets. */
export const hostInUrl = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** True for names and addresses that denote the local machine (RFC 6761, 6.3). */
export const isLoopbackHost = (host: string): boolean => isLoopback(host) || /^(.+\.)?localhost\.?$/i.test(host);

/** The name or address in a header `Host` (RFC 9110, 7.2), in lower case; undefined if it has none. */
const hostInHeader = (header = ''): string | undefined => {
  const [, host] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?$/i.exec(header) ?? [];
  return host && hostInUrl(host.toLowerCase());
};

/**
 * The `Host` headers that a port without a login accepts: loopback, the address that it listens on, and the names given by the operator. A port on all
 * addresses of the machine accepts its name and, because no other site can have one, every IP address.
 * @param more names; `*` for any
 */
export const answersFor =
  (listening: string, more: readonly string[]): ((header: string | undefined) => boolean) =>
  (header) => {
    const host = hostInHeader(header);
    if (host === undefined) return more.includes('*');
    const { advertised, local } = namesOf(listening);
    const isOwn = host === advertised.toLowerCase() || (local !== listening && isIP(host) !== 0);
    return isOwn || isLoopbackHost(host) || more.includes('*') || more.includes(host);
  };

export const urlOf = (isTls: boolean, name: string, port: number): string =>
  `${isTls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;

const machine = (): string => {
  const name = hostname();
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(name) ? name : 'localhost';
};
