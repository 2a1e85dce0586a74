import { BlockList, isIP } from 'node:net';
import { checkedOptions, readPem } from '../../src/adapter-kit.ts';
import type { NodeIncoming } from './node-request.ts';

/** Proxies that terminate the TLS connections of clients, and are trusted to forward their certificates. */
export interface TrustedProxies {
  /** Their addresses and ranges: `['10.1.2.3', '10.2.0.0/16', 'fd00::/8']`. */
  readonly from: readonly string[];
  /**
   * Header with the certificate of the client: a byte sequence (RFC 9440), or percent-encoded PEM as in nginx's
   * `$ssl_client_escaped_cert`. The proxy must set it on every request, so that clients cannot send it themselves. Default `client-cert`.
   */
  readonly certificateHeader?: string;
  /** Header with the intermediate certificates, in one of the same forms. Default `client-cert-chain`. */
  readonly chainHeader?: string;
}

/** Maximum of certificates per request: no valid chain is longer. */
const MOST = 11;

export interface Proxies {
  has(address: string): boolean;
  /**
   * The certificates that a proxy forwards: none if the header is missing or invalid. Undefined for a request from any other address, whose headers
   * are ignored.
   */
  certificatesOf(req: NodeIncoming): readonly Uint8Array[] | undefined;
}

/** @throws TypeError for an invalid address */
export const readProxies = (options: TrustedProxies): Proxies => {
  const {
    from,
    certificateHeader = 'client-cert',
    chainHeader = 'client-cert-chain',
  } = checkedOptions('trustedProxies', options, { from: true, certificateHeader: true, chainHeader: true });
  const proxies = addresses(from);
  const [leafName, chainName] = [certificateHeader.toLowerCase(), chainHeader.toLowerCase()];
  const has = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && proxies.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
  return {
    has,
    certificatesOf: (req) => {
      if (!has(req.socket.remoteAddress ?? '')) return undefined;
      const [leaf, ...more] = certificatesIn(onlyHeader(req, leafName));
      if (!leaf) return [];
      return [leaf, ...more, ...certificatesIn(onlyHeader(req, chainName))].slice(0, MOST);
    },
  };
};

/** The value of a header; empty if it occurs twice, because then one of them may come from the client. */
const onlyHeader = (req: NodeIncoming, name: string): string => {
  const values = req.rawHeaders.filter((_, i) => i % 2 === 1 && req.rawHeaders[i - 1]?.toLowerCase() === name);
  return values.length === 1 ? (values[0] ?? '') : '';
};

const BYTE_SEQUENCE = /^:([A-Za-z0-9+/]+={0,2}):$/;

/** @returns no certificates if any part is malformed */
const certificatesIn = (value: string): readonly Uint8Array[] => {
  if (value.startsWith(':')) {
    const sequences = value.split(',').map((item) => BYTE_SEQUENCE.exec(item.trim())?.[1]);
    return sequences.every((base64) => base64 !== undefined)
      ? sequences.map((base64) => new Uint8Array(Buffer.from(base64, 'base64')))
      : [];
  }
  try {
    return readPem(decodeURIComponent(value), { labels: ['CERTIFICATE'], most: MOST }).value ?? [];
  } catch {
    return []; // malformed percent-encoding
  }
};

const addresses = (from: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const entry of from) {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address);
    const prefix = bits === undefined ? undefined : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === 0 || rest.length > 0 || (prefix !== undefined && !(prefix <= (family === 4 ? 32 : 128))))
      throw new TypeError(`trustedProxies.from must hold addresses and ranges like 10.2.0.0/16, got '${entry}'`);
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, type);
    else list.addSubnet(address, prefix, type);
  }
  return list;
};
