import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createOutbound, type Outbound, type OutboundTransport } from '../../src/adapter-kit.ts';
import { hostIn, portIn } from './destination.ts';
import { permittedLookup, type Resolve, resolveBySystem } from './permitted-addresses.ts';
import { connectTo, tunnelTo } from './proxied-connection.ts';
import { type HttpProxy, type ProxyVariables, readProxies } from './proxies.ts';

/**
 * Creates outbound requests with Node's `http` and `https`. A name is resolved only once, and the socket connects only to permitted
 * addresses in that answer, which prevents DNS rebinding. A tunnel through a proxy connects to such an address, too, unless the rule leaves
 * the resolution to the proxy.
 * @param variables the variables with the proxies. Default: no proxies
 * @param resolve resolves names. Default: the resolver of the system
 */
export const nodeOutbound = (variables: ProxyVariables = {}, resolve: Resolve = resolveBySystem): Outbound =>
  createOutbound(createTransport(readProxies(variables), resolve));

const createTransport =
  (proxyFor: (url: URL) => HttpProxy | undefined, resolve: Resolve): OutboundTransport =>
  async (url, { method, headers, body, signal, permits }) => {
    const proxy = proxyFor(url);
    const tunnel = proxy && (await tunnelTo(url, { proxy, resolve, permits, signal }));
    const answer = await new Promise<IncomingMessage>((resolveAnswer, reject) => {
      const request = url.protocol === 'https:' ? requestByHttps : requestByHttp;
      request(url, {
        // Without an agent, because an agent may reuse connections or use its own proxy. Therefore, `defaultPort` must be set, so that the
        // header `host` omits it.
        createConnection: () =>
          connectTo(url, tunnel ?? { host: hostIn(url), port: portIn(url), lookup: permittedLookup(resolve, permits) }),
        defaultPort: url.protocol === 'https:' ? 443 : 80,
        signal,
        method,
        headers: { ...headers, 'accept-encoding': 'identity', ...(body && { 'content-length': String(body.byteLength) }) },
      })
        .once('response', resolveAnswer)
        .once('error', reject)
        // If the response switches to another protocol, Node closes the connection without emitting another event.
        .once('close', () => reject(new Error('the connection was closed without a response')))
        .end(body);
    });
    const { statusCode: status = 0, headers: received } = answer;
    // Node joins the values of a repeated header, except for `set-cookie`.
    const header = (name: string) => (name === 'set-cookie' ? undefined : (received[name] as string | undefined));
    // Some servers compress the body although the request does not accept it. The size limit applies to the decompressed body.
    const isGzip = /^(x-)?gzip$/i.test(received['content-encoding'] ?? '');
    const decoded = isGzip ? pipeline(answer, createGunzip(), () => {}) : answer; // errors reach the reader of the last stream
    return { status, location: received.location, body: decoded, header };
  };
