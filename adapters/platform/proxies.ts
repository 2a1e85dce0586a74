import { BlockList, isIP } from 'node:net';
import { isLoopback, OutboundRefused } from '../../src/adapter-kit.ts';
import { hostIn, portIn } from './destination.ts';

/**
 * The proxies for outbound requests, as in the usual environment variables. Lower-case names take precedence. Other properties are ignored,
 * so `process.env` can be passed.
 */
export interface ProxyVariables {
  /**
   * The proxy for https URLs: `http://proxy.example:3128`, with `https:` if it uses TLS, and with `USER:PASSWORD@` if it requires
   * credentials.
   */
  readonly HTTPS_PROXY?: string | undefined;
  /** The proxy for http URLs. */
  readonly HTTP_PROXY?: string | undefined;
  /**
   * Destinations that are contacted directly, separated by commas: names, which include their subdomains, addresses, ranges, or `*`.
   * Loopback addresses are always contacted directly.
   */
  readonly NO_PROXY?: string | undefined;
  readonly https_proxy?: string | undefined;
  readonly http_proxy?: string | undefined;
  readonly no_proxy?: string | undefined;
}

/** An HTTP proxy. */
export interface HttpProxy {
  /** True if the connection to the proxy uses TLS. */
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** The header `proxy-authorization`. Must not be logged. */
  readonly authorization: string | undefined;
}

/**
 * Reads the variables.
 * @returns a function that returns the proxy for a URL, or undefined if the URL is requested directly. It throws OutboundRefused if the
 * variable for the URL is not the address of a proxy; the message omits its value, which may contain a password
 */
export const readProxies = (variables: ProxyVariables): ((url: URL) => HttpProxy | undefined) => {
  const isExempt = parseNoProxy(variables.no_proxy || variables.NO_PROXY || '');
  const proxies = {
    'https:': readProxy(variables, 'HTTPS_PROXY', 'https_proxy'),
    'http:': readProxy(variables, 'HTTP_PROXY', 'http_proxy'),
  };
  return (url) => {
    const proxy = proxies[url.protocol === 'https:' ? 'https:' : 'http:'];
    if (proxy === undefined || isLocalhost(url) || isExempt(url)) return undefined;
    if (typeof proxy === 'string') throw new OutboundRefused(`the variable ${proxy} must be the address of an http or https proxy`);
    return proxy;
  };
};

/** Requests to loopback addresses never use a proxy: to the proxy, a loopback address would mean its own machine. */
const isLocalhost: Exempt = (url) => isLoopback(hostIn(url)) || /^(.+\.)?localhost$/.test(hostIn(url));

/** @returns undefined if neither variable is set; the name of the variable if its value is not the address of a proxy */
const readProxy = (
  variables: ProxyVariables,
  upper: 'HTTPS_PROXY' | 'HTTP_PROXY',
  lower: 'https_proxy' | 'http_proxy',
): HttpProxy | string | undefined => {
  const text = variables[lower] || variables[upper];
  if (!text) return undefined;
  const variable = variables[lower] ? lower : upper;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) return variable;
  try {
    return { isSecure: url.protocol === 'https:', host: hostIn(url), port: portIn(url), authorization: authorizationIn(url) };
  } catch {
    return variable;
  }
};

/** @throws URIError if username or password are not percent-encoded UTF-8 */
const authorizationIn = ({ username, password }: URL): string | undefined => {
  if (username === '' && password === '') return undefined;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return `Basic ${credentials.toString('base64')}`;
};

/** Returns true for URLs that are requested directly. */
type Exempt = (url: URL) => boolean;

/**
 * Parses the variable `NO_PROXY` like curl and Go: entries separated by commas or spaces, each a name (`corp.example` or `.corp.example`),
 * which includes its subdomains, an address, a range (`10.0.0.0/8`), or `*` for everything. A port may follow a name or an address. Other
 * text exempts nothing. Ranges and addresses apply to addresses in the URL, not to those to which a name resolves.
 */
export const parseNoProxy = (text: string): Exempt => {
  const rules = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseRule);
  return (url) => rules.some((exempts) => exempts(hostIn(url), portIn(url)));
};

type Rule = (host: string, port: number) => boolean;

const parseRule = (entry: string): Rule => {
  if (entry === '*') return () => true;
  const [, bracketed, plain, digits] = /^(?:\[(.+)\]|(.+?))(?::(\d+))?$/.exec(isIP(entry) === 0 ? entry : `[${entry}]`) ?? [];
  const pattern = bracketed ?? plain ?? '';
  const isExempt = pattern.includes('/') || isIP(pattern) !== 0 ? matchRange(pattern) : matchDomain(pattern);
  return (host, port) => (digits === undefined || Number(digits) === port) && isExempt(host);
};

const matchDomain = (pattern: string): ((host: string) => boolean) => {
  const name = pattern
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  return (host) => host === name || host.endsWith(`.${name}`);
};

const matchRange = (text: string): ((host: string) => boolean) => {
  const list = new BlockList();
  const [address = '', bits] = text.split('/');
  const family = familyOf(address);
  try {
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  } catch {
    return () => false;
  }
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host));
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
