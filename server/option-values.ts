/**
 * Parsers for option values. Errors use the command-line spelling of an option; `readOptions` replaces it with the spelling in its source.
 */
import { isIP } from 'node:net';
import type { TrustedProxies } from '../adapters/http/node.ts';
import { readProxies } from '../adapters/http/trusted-proxies.ts';
import { CONTROLLER_ID, ROUTER_ADDRESS } from '../src/contract/wire/known-controller.ts';
import { shownAddress } from '../src/contract/wire/shown-address.ts';
import { hostInUrl } from './addresses.ts';
import type { EventsFileOptions } from './events-file.ts';
import { StartFailure, sentenceOf } from './failure.ts';
import type { Application } from './single-page.ts';

const isHost = (host: string): boolean =>
  isIP(host) ? !host.includes('%') : host.length <= 253 && /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host) && !/^[\d.]+$/.test(host);

/** Creates a parser that accepts only these values. */
export const oneOf =
  <const V extends string>(...values: readonly V[]) =>
  (text: string, option: string): V => {
    const value = values.find((each) => each === text);
    if (value !== undefined) return value;
    throw new StartFailure(`--${option} must be ${values.join(' or ')}, got '${text}'`);
  };

export const parseSwitch = (text: string, option: string): boolean => oneOf('on', 'off')(text, option) === 'on';

/** @returns milliseconds */
export const parseDrain = (seconds: string): number => {
  if (/^\d{1,4}$/.test(seconds) && Number(seconds) <= 3600) return Number(seconds) * 1000;
  throw new StartFailure(`--drain must be a number of seconds from 0 to 3600, got '${seconds}'`);
};

/** Creates a parser for whole numbers from 1. */
export const upTo =
  (maximum: number) =>
  (text: string, option: string): number => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= maximum) return Number(text);
    throw new StartFailure(`--${option} must be a number from 1 to ${maximum}, got '${text}'`);
  };

export const parsePositive = upTo(999_999_999);

export const parseHost = (host: string): string => {
  if (isHost(host)) return host;
  throw new StartFailure(`--host must be a host name or an IP address, got '${host}'`);
};

/** The error message omits the invalid value, which may contain a password. */
export const parseAddress = (address: string): string => {
  const { protocol, origin, pathname = '', href, hostname } = URL.parse(address) ?? {};
  const isAddress =
    href === `${origin}${pathname}` && (protocol === 'https:' || protocol === 'http:') && /^(\/[\w.~%-]+)*\/?$/.test(pathname);
  if (origin && isAddress && isHost(hostInUrl(hostname ?? ''))) return origin + pathname.replace(/\/$/, '');
  throw new StartFailure(
    '--address must be an address such as https://overlay.example.com, https://10.0.0.7:1280, or https://gateway.example.com/overlay',
  );
};

export const parsePort = (port: string, option: string): number => {
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65535) return Number(port);
  throw new StartFailure(`--${option} must be a number from 0 to 65535, got '${port}'`);
};

/**
 * Accepts an address with or without the prefix `tls:`, which routers use.
 * @returns the address with the prefix
 */
export const parseRouterAddress = (address: string): string => {
  const [, host, port] = ROUTER_ADDRESS.exec(address.replace(/^(tls:)?/i, 'tls:')) ?? [];
  if (host && Number(port) >= 1 && Number(port) <= 65535) return `tls:${host}:${port}`;
  throw new StartFailure(`--router-address must be HOST:PORT, such as routers.example.com:6262, got '${shownAddress(address)}'`);
};

export const parseControllerId = (id: string): string => {
  if (CONTROLLER_ID.test(id)) return id;
  throw new StartFailure('--controller-id must have 1 to 255 characters, and no control characters');
};

type TlsChoice = { readonly is: 'auto' } | { readonly is: 'off' } | { readonly is: 'files'; readonly cert: string; readonly key: string };

export const parseTls = (tls: string): TlsChoice => {
  if (tls === 'auto' || tls === 'off') return { is: tls };
  const [cert, key, ...rest] = tls.split(',');
  if (cert && key && rest.length === 0) return { is: 'files', cert, key };
  throw new StartFailure(`--tls must be auto, off, or the PEM files of a certificate and its key as CERT,KEY, got '${tls}'`);
};

export const parseListener = (listener: string): { readonly host: string; readonly port: number } => {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(listener) ?? [];
  if (port !== '' && Number(port) <= 65535 && isHost(hostInUrl(host))) return { host: hostInUrl(host), port: Number(port) };
  throw new StartFailure(`--metrics must be a port from 0 to 65535, or HOST:PORT, such as 9464 or 0.0.0.0:9464, got '${listener}'`);
};

/** Maximum size of a file of events in megabytes, and number of former ones. */
const MAX_EVENTS_MEGABYTES = 10_000;
const MAX_EVENTS_FILES = 100;

export const parseEventsFile = (value: string): EventsFileOptions => {
  const [, file, megabytes = '10', backups = '1'] = /^([^,]+)(?:,(\d{1,5}))?(?:,(\d{1,3}))?$/.exec(value) ?? [];
  const isValid = Number(megabytes) >= 1 && Number(megabytes) <= MAX_EVENTS_MEGABYTES && Number(backups) <= MAX_EVENTS_FILES;
  if (file && isValid) return { file, maxBytes: Number(megabytes) * 1_000_000, backups: Number(backups) };
  throw new StartFailure(
    `--events-file must be FILE, FILE,MEGABYTES or FILE,MEGABYTES,FILES, such as events.jsonl,10,3, with 1 to 10000 megabytes and at most 100 files, got '${value}'`,
  );
};

export const parseHostNames = (hosts: string): readonly string[] => {
  const names = hosts.split(',').map((host) => hostInUrl(host).toLowerCase());
  if (names.every((name) => name === '*' || isHost(name))) return names;
  throw new StartFailure(`--metrics-hosts must be host names or IP addresses, separated by commas, or *, got '${hosts}'`);
};

/** Paths of the server itself, which an application must not shadow. */
const RESERVED_PATHS = ['/edge', '/fabric', '/oidc', '/health', '/ready', '/console', '/guides'];

export const parseApplications = (spas: readonly string[]): readonly Application[] => {
  const applications = spas.map((spa) => {
    const [, path, folder] = /^(\/[A-Za-z0-9][\w-]*)=(.+)$/s.exec(spa) ?? [];
    if (path === undefined || folder === undefined)
      throw new StartFailure(`--spa must be /PATH=FOLDER, such as /zac=dist/console, got '${spa}'`);
    if (RESERVED_PATHS.includes(path))
      throw new StartFailure(`--spa cannot serve an application at ${path}, which is the server's own: choose another path`);
    return { path, folder };
  });
  const duplicate = applications.find(({ path }, index) => applications.findIndex((other) => other.path === path) < index);
  if (duplicate) throw new StartFailure(`--spa was given two applications at ${duplicate.path}`);
  return applications;
};

/** Headers that contain an address. Any other header contains a certificate. */
const ADDRESS_HEADERS = ['x-forwarded-for', 'x-real-ip'];

/** @throws StartFailure for a value that is neither an address nor a header, and for a range that would trust every client */
export const parseProxies = (given: readonly string[]): readonly TrustedProxies[] => given.map(parseProxy);

const parseProxy = (given: string): TrustedProxies => {
  const items = given.split(',').map((item) => item.trim());
  const isRange = (item: string) => isIP(item.split('/', 1)[0] ?? '') !== 0;
  const headers = items.filter((item) => !isRange(item)).map((header) => header.toLowerCase());
  const [addressHeader = 'x-forwarded-for', ...extraAddressHeaders] = headers.filter((header) => ADDRESS_HEADERS.includes(header));
  const [certificateHeader, chainHeader, ...extraHeaders] = headers.filter((header) => !ADDRESS_HEADERS.includes(header));
  const from = items.filter(isRange);
  if (
    from.length === 0 ||
    extraAddressHeaders.length + extraHeaders.length > 0 ||
    !headers.every((header) => /^[\w!#$%&'*+.^`|~-]+$/.test(header))
  )
    throw new StartFailure(
      `--trusted-proxy must be addresses or ranges, and headers with the client's certificate and its chain, such as 10.0.0.7 or 10.2.0.0/16,client-cert, got '${given}'`,
    );
  // Unless a certificate header is configured, none is trusted: a proxy that does not set the header would forward one sent by a client.
  const proxies = { from, addressHeader, certificateHeader: certificateHeader ?? false, ...(chainHeader ? { chainHeader } : {}) } as const;
  try {
    readProxies(proxies);
  } catch (error) {
    throw new StartFailure(sentenceOf(error).replace('trustedProxies.from', '--trusted-proxy'));
  }
  return proxies;
};
