import { isIP } from 'node:net';
import type { TrustedProxies } from '../adapters/http/node.ts';
import { readProxies } from '../adapters/http/trusted-proxies.ts';
import { StartFailure, sentenceOf } from './failure.ts';

/** Headers that hold an address. Any other header holds a certificate. */
const ADDRESS_HEADERS = ['x-forwarded-for', 'x-real-ip'];

/** @throws StartFailure for a value that is neither an address nor a header, and for a range that would trust every client */
export const trustedProxiesOf = (given: readonly string[]): readonly TrustedProxies[] => given.map(trustedProxyOf);

const trustedProxyOf = (given: string): TrustedProxies => {
  const items = given.split(',').map((item) => item.trim());
  const isRange = (item: string) => isIP(item.split('/', 1)[0] ?? '') !== 0;
  const headers = items.filter((item) => !isRange(item)).map((header) => header.toLowerCase());
  const [addressHeader = 'x-forwarded-for', ...further] = headers.filter((header) => ADDRESS_HEADERS.includes(header));
  const [certificateHeader, chainHeader, ...more] = headers.filter((header) => !ADDRESS_HEADERS.includes(header));
  const from = items.filter(isRange);
  if (from.length === 0 || further.length + more.length > 0 || !headers.every((header) => /^[\w!#$%&'*+.^`|~-]+$/.test(header)))
    throw new StartFailure(
      `--trusted-proxy must be addresses or ranges, and headers with the client's certificate and its chain, such as 10.0.0.7 or 10.2.0.0/16,client-cert, got '${given}'`,
    );
  // Without a certificate header, none is read: a proxy that sets none would forward the one a client has sent.
  const proxies = { from, addressHeader, certificateHeader: certificateHeader ?? false, ...(chainHeader ? { chainHeader } : {}) } as const;
  try {
    readProxies(proxies);
  } catch (error) {
    throw new StartFailure(sentenceOf(error).replace('trustedProxies.from', '--trusted-proxy'));
  }
  return proxies;
};
