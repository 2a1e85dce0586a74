import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type AddressRule, createOutbound, type Outbound, OutboundRefused, type OutboundTransport } from '../../src/adapter-kit.ts';

/** Resolves a name to its addresses, like `dns.lookup` with the option `all`. */
type Resolve = (name: string, callback: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void;

const resolveBySystem: Resolve = (name, callback) => lookup(name, { all: true }, (error, addresses) => callback(error, addresses ?? []));

/**
 * Outbound requests through Node's `http` and `https`. A name is resolved only once, and the socket connects only to permitted addresses in that answer, which
 * prevents DNS rebinding.
 * @param resolve default: the system's resolver
 */
export const nodeOutbound = (resolve: Resolve = resolveBySystem): Outbound => createOutbound(transport(resolve));

const transport =
  (resolve: Resolve): OutboundTransport =>
  async (url, { method, headers, body, signal, permits }) => {
    const answer = await new Promise<IncomingMessage>((resolveAnswer, reject) => {
      const request = url.protocol === 'https:' ? requestByHttps : requestByHttp;
      request(url, {
        // Bypasses the host's global agent, which may have open connections or use a proxy.
        agent: false,
        signal,
        lookup: permittedOnly(resolve, permits),
        method,
        headers: { ...headers, 'accept-encoding': 'identity', ...(body && { 'content-length': String(body.byteLength) }) },
      })
        .once('response', resolveAnswer)
        .once('error', reject)
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

const permittedOnly =
  (resolve: Resolve, permits: AddressRule): LookupFunction =>
  (name, { all }, callback) =>
    resolve(name, (error, addresses) => {
      const permitted = addresses.filter(({ address }) => permits(address));
      const [first] = permitted;
      if (error) callback(error, []);
      else if (!first)
        callback(
          new OutboundRefused(`requests to ${name} are not allowed: it leads to ${addresses.map(({ address }) => address).join(', ')}`),
          [],
        );
      else if (all) callback(null, permitted);
      else callback(null, first.address, first.family);
    });
