import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createOutbound, type Outbound, type OutboundTransport } from '../../src/adapter-kit.ts';
import { hostIn, portIn } from './destination.ts';
import { permittedLookup, type Resolve, resolveBySystem } from './permitted-addresses.ts';
import { connectTo, tunnelTo } from './proxied-connection.ts';
import { type HttpProxy, type ProxyVariables, proxiesOf } from './proxies.ts';

/**
 * Outbound requests through Node's `http` and `https`. A name is resolved only once, and the socket connects only to permitted addresses in that answer, which
 * prevents DNS rebinding. Through a proxy, the tunnel leads to such an address, unless the rule leaves names to the proxy.
 * @param variables name the proxies; default none
 * @param resolve default: the system's resolver
 */
export const nodeOutbound = (variables: ProxyVariables = {}, resolve: Resolve = resolveBySystem): Outbound =>
  createOutbound(transport(proxiesOf(variables), resolve));

const transport =
  (proxyFor: (url: URL) => HttpProxy | undefined, resolve: Resolve): OutboundTransport =>
  async (url, { method, headers, body, signal, permits }) => {
    const proxy = proxyFor(url);
    const tunnel = proxy && (await tunnelTo(url, { proxy, resolve, permits, signal }));
    const answer = await new Promise<IncomingMessage>((resolveAnswer, reject) => {
      const request = url.protocol === 'https:' ? requestByHttps : requestByHttp;
      request(url, {
        // Without an agent, because it may have open connections or use a proxy of its own. It would know the port that the header `host` leaves out.
        createConnection: () =>
          connectTo(url, tunnel ?? { host: hostIn(url), port: portIn(url), lookup: permittedLookup(resolve, permits) }),
        defaultPort: url.protocol === 'https:' ? 443 : 80,
        signal,
        method,
        headers: { ...headers, 'accept-encoding': 'identity', ...(body && { 'content-length': String(body.byteLength) }) },
      })
        .once('response', resolveAnswer)
        .once('error', reject)
        // After an answer that switches to another protocol, Node closes the connection and emits nothing else.
        .once('close', () => reject(new Error('the connection was closed without an answer')))
        .end(body);
    });
    const { statusCode: status = 0, headers: received } = answer;
    // Node joins the values of a repeated header, except for `set-cookie`.
    const header = (name: string) => (name === 'set-cookie' ? undefined : (received[name] as string | undefined));
    // Some servers compress although they were asked not to. The limit on the body counts what comes out.
    const isGzip = /^(x-)?gzip$/i.test(received['content-encoding'] ?? '');
    const text = isGzip ? pipeline(answer, createGunzip(), () => {}) : answer; // errors reach the reader of the last stream
    return { status, location: received.location, body: text, header };
  };
