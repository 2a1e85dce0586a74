import { BlockList, isIP } from 'node:net';
import { checkedOptions } from '../../src/adapter-kit.ts';
import { certificatesIn, MAX_CERTIFICATES } from './forwarded-certificates.ts';
import type { NodeIncoming } from './node-request.ts';

/** Proxies between clients and this server that are trusted to identify clients in headers. */
export interface TrustedProxies {
  /** Their addresses and ranges: `['10.1.2.3', '10.2.0.0/16', 'fd00::/8']`. */
  readonly from: readonly string[];
  /**
   * Header with the address of the client, such as `x-forwarded-for`: one address, or a list to which each proxy appends. The client's is
   * the last one that does not belong to a trusted proxy. The proxy must set the header, or append to it, on every request. Default: none;
   * the address of the client is then the one that the host gives, or the proxy's.
   */
  readonly addressHeader?: string;
  /**
   * Header with the certificate of the client: a byte sequence (RFC 9440), percent-encoded PEM as in nginx's `$ssl_client_escaped_cert`, or
   * Envoy's `x-forwarded-client-cert`. The proxy must set it on every request, so that clients cannot send it themselves. Default
   * `client-cert`; false for none.
   */
  readonly certificateHeader?: string | false;
  /** Header with the intermediate certificates, in one of the same forms. Default `client-cert-chain`. */
  readonly chainHeader?: string;
}

export interface Proxies {
  has(address: string): boolean;
  /**
   * The address of the client: the one that a trusted proxy forwards, otherwise `given`, the address according to the connection or the
   * host.
   */
  addressOf(req: NodeIncoming, given: string): string;
  /**
   * The certificates that a trusted proxy forwards: none if the header is missing or invalid. Undefined for a request from any other
   * address, whose headers are ignored.
   */
  certificatesOf(req: NodeIncoming): readonly Uint8Array[] | undefined;
}

/** Maximum number of entries of a header that are examined, starting with the last one. */
const MAX_HOPS = 30;

/** @throws TypeError for an invalid address, or a range so large that it would trust all clients */
export const readProxies = (options: TrustedProxies | readonly TrustedProxies[]): Proxies => {
  const entries = [options].flat().map(readOne);
  const entryOf = (address: string) => entries.find((entry) => entry.has(address));
  const has = (address: string): boolean => entryOf(address) !== undefined;
  return {
    has,
    addressOf: (req, given) => {
      const header = entryOf(given)?.addressHeader;
      if (header === undefined) return given;
      let nearest = given;
      for (const hop of hopsIn(header, req).slice(-MAX_HOPS).reverse()) {
        // An entry that is not an address hides the client: the proxy that added it is the last known sender.
        if (hop === undefined) return nearest;
        nearest = hop;
        if (!has(hop)) return hop;
      }
      return nearest;
    },
    certificatesOf: (req) => entryOf(req.socket.remoteAddress ?? '')?.certificatesOf(req),
  };
};

const readOne = (options: TrustedProxies) => {
  const {
    from,
    addressHeader,
    certificateHeader = 'client-cert',
    chainHeader = 'client-cert-chain',
  } = checkedOptions('trustedProxies', options, { from: true, addressHeader: true, certificateHeader: true, chainHeader: true });
  const proxies = addresses(from);
  return {
    has: (address: string): boolean => {
      const family = isIP(address);
      return family !== 0 && proxies.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
    addressHeader: addressHeader?.toLowerCase(),
    certificatesOf: (req: NodeIncoming): readonly Uint8Array[] => {
      const [leaf, ...more] = certificateHeader === false ? [] : certificatesIn(onlyHeader(req, certificateHeader));
      if (!leaf) return [];
      return [leaf, ...more, ...certificatesIn(onlyHeader(req, chainHeader))].slice(0, MAX_CERTIFICATES);
    },
  };
};

/** The values of all headers of this name, as they were sent. */
const valuesOf = ({ rawHeaders }: NodeIncoming, name: string): readonly string[] =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name.toLowerCase());

/** The value of a header; empty if it occurs twice, because then one of them may come from the client. */
const onlyHeader = (req: NodeIncoming, name: string): string => {
  const values = valuesOf(req, name);
  return values.length === 1 ? (values[0] ?? '') : '';
};

/** The addresses in a header, the nearest last; undefined for an entry that is not an address. */
const hopsIn = (name: string, req: NodeIncoming): readonly (string | undefined)[] =>
  valuesOf(req, name)
    .flatMap((value) => value.split(','))
    .map((hop) => addressIn(hop.trim()));

/** An address, without the port that may follow it. */
const addressIn = (text: string): string | undefined => {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|([0-9.]+):\d{1,5})$/i.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  return isIP(address) !== 0 && !address.includes('%') ? address : undefined;
};

const addresses = (from: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const entry of from) {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address);
    const maxPrefix = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? maxPrefix : Number(bits);
    if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits ?? '0') || prefix > maxPrefix)
      throw new TypeError(`trustedProxies.from must contain addresses and ranges like 10.2.0.0/16, got '${entry}'`);
    if (isTooWide(address, prefix))
      throw new TypeError(
        `trustedProxies.from must contain only proxies, but '${entry}' would trust all clients: give ranges of /8 (IPv6: /7) or smaller`,
      );
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
};

/** True if a range is larger than any private network. An IPv6 range may contain all of IPv4 (`::ffff:0:0/96`). */
const isTooWide = (address: string, prefix: number): boolean => {
  if (isIP(address) === 4) return prefix < 8;
  const mapped = new BlockList();
  mapped.addSubnet('::ffff:0:0', Math.min(prefix, 96), 'ipv6');
  return prefix < 7 || (prefix < 104 && mapped.check(address, 'ipv6'));
};
