import { isLoopback, OutboundRefused } from '../../src/adapter-kit.ts';
import { hostIn, portIn } from './destination.ts';
import { type Exempt, readNoProxy } from './no-proxy.ts';

/**
 * The proxies for outbound requests, by the names of the usual environment variables; in lower case, a name takes precedence. Others are ignored, so it can be
 * `process.env`.
 */
export interface ProxyVariables {
  /** The proxy for https addresses: `http://proxy.example:3128`, with `https:` if it speaks TLS, and `USER:PASSWORD@` if it asks for them. */
  readonly HTTPS_PROXY?: string | undefined;
  /** The proxy for http addresses. */
  readonly HTTP_PROXY?: string | undefined;
  /** What is asked directly, with commas between: names, which include those below them, addresses, ranges, or `*`. Loopback always is. */
  readonly NO_PROXY?: string | undefined;
  readonly https_proxy?: string | undefined;
  readonly http_proxy?: string | undefined;
  readonly no_proxy?: string | undefined;
}

/** An HTTP proxy. */
export interface HttpProxy {
  /** It is reached by TLS. */
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** The header `proxy-authorization`. Must not be logged. */
  readonly authorization: string | undefined;
}

/**
 * Reads the variables once. The returned function finds the proxy for an address; undefined if it is asked directly.
 * @throws OutboundRefused, when called, if the variable for the address is not that of a proxy. The value may contain a password, so the message omits it.
 */
export const proxiesOf = (variables: ProxyVariables): ((url: URL) => HttpProxy | undefined) => {
  const isExempt = readNoProxy(variables.no_proxy || variables.NO_PROXY || '');
  const read = { 'https:': readProxy(variables, 'HTTPS_PROXY', 'https_proxy'), 'http:': readProxy(variables, 'HTTP_PROXY', 'http_proxy') };
  return (url) => {
    const proxy = read[url.protocol === 'https:' ? 'https:' : 'http:'];
    if (proxy === undefined || isLocal(url) || isExempt(url)) return undefined;
    if (typeof proxy === 'string') throw new OutboundRefused(`the variable ${proxy} must be the address of an http or https proxy`);
    return proxy;
  };
};

/** The loopback addresses of the proxy are not those of this machine. */
const isLocal: Exempt = (url) => isLoopback(hostIn(url)) || /^(.+\.)?localhost$/.test(hostIn(url));

/** @returns undefined if there is none; the name of the variable if it is not the address of a proxy */
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

/** @throws URIError if they are not percent-encoded UTF-8 */
const authorizationIn = ({ username, password }: URL): string | undefined => {
  if (username === '' && password === '') return undefined;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return `Basic ${credentials.toString('base64')}`;
};
