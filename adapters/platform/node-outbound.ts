import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type AddressRule, createOutbound, type Outbound, OutboundRefused, type OutboundTransport } from '../../src/adapter-kit.ts';

/** Resolves the addresses of a name, like `dns.lookup` with `all`. */
type Resolve = (name: string, found: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void;

const resolveBySystem: Resolve = (name, found) => lookup(name, { all: true }, (error, addresses) => found(error, addresses ?? []));

/**
 * Outbound requests through Node's `http` and `https`. A name is resolved once, and the socket connects only to permitted addresses of that answer, which
 * prevents DNS rebinding.
 * @param resolve Default: the system's resolver.
 */
export const nodeOutbound = (resolve: Resolve = resolveBySystem): Outbound => createOutbound(transport(resolve));

const transport =
  (resolve: Resolve): OutboundTransport =>
  async (url, { method, headers, body, signal, permits }) => {
    const answer = await new Promise<IncomingMessage>((answered, failed) => {
      const request = url.protocol === 'https:' ? requestByHttps : requestByHttp;
      request(url, {
        // Bypasses the host's global agent, which may have open connections or a proxy.
        agent: false,
        signal,
        lookup: permittedOnly(resolve, permits),
        method,
        headers: { ...headers, 'accept-encoding': 'identity', ...(body && { 'content-length': String(body.byteLength) }) },
      })
        .once('response', answered)
        .once('error', failed)
        .end(body);
    });
    const { statusCode: status = 0, headers: received } = answer;
    // Node joins the values of a repeated header, except for `set-cookie`.
    const header = (name: string) => (name === 'set-cookie' ? undefined : (received[name] as string | undefined));
    return { status, location: received.location, body: answer, header };
  };

const permittedOnly =
  (resolve: Resolve, permits: AddressRule): LookupFunction =>
  (name, { all }, found) =>
    resolve(name, (error, addresses) => {
      const permitted = addresses.filter(({ address }) => permits(address));
      const [first] = permitted;
      if (error) found(error, []);
      else if (!first)
        found(
          new OutboundRefused(`requests to ${name} are not allowed: it leads to ${addresses.map(({ address }) => address).join(', ')}`),
          [],
        );
      else if (all) found(null, permitted);
      else found(null, first.address, first.family);
    });
