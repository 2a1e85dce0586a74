import ipaddr from 'ipaddr.js';

const { IPv4, IPv6 } = ipaddr;

/** The bytes of an IP address: four for IPv4, sixteen for IPv6. */
type Bytes = readonly number[];

/**
 * The scope of an address, as seen from this machine. `never`: never an allowed destination, such as link-local and multicast addresses,
 * and cloud metadata services.
 */
type Reach = 'public' | 'loopback' | 'private' | 'never';

interface Range {
  readonly start: Bytes;
  readonly bits: number;
}

/** The first range that contains an address applies (IANA special-purpose registries; RFC 6890). */
const REACH: readonly (readonly [range: string, reach: Reach])[] = [
  ['169.254.0.0/16', 'never'],
  // Cloud metadata services in ranges that are otherwise private or public.
  ['100.100.100.200/32', 'never'],
  ['168.63.129.16/32', 'never'],
  ['192.0.0.192/32', 'never'],
  ['0.0.0.0/8', 'never'],
  ['224.0.0.0/4', 'never'],
  ['240.0.0.0/4', 'never'],
  ['127.0.0.0/8', 'loopback'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'private'],
  ['192.0.2.0/24', 'private'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'private'],
  ['198.51.100.0/24', 'private'],
  ['203.0.113.0/24', 'private'],
  ['0.0.0.0/0', 'public'],
  ['::1/128', 'loopback'],
  ['fe80::/10', 'never'],
  ['fd00:ec2::254/128', 'never'],
  ['fd20:ce::254/128', 'never'],
  ['2001::/32', 'never'],
  ['2001:db8::/32', 'private'],
  ['fc00::/7', 'private'],
  ['fec0::/10', 'private'],
  ['64:ff9b:1::/48', 'private'],
  ['2000::/3', 'public'],
  ['::/0', 'never'],
];

/** IPv6 ranges that embed an IPv4 address, with its byte offset: mapped, translated, compatible, NAT64, 6to4. */
const EMBEDDED: readonly (readonly [range: string, at: number])[] = [
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['::/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
];

/** @returns the bytes of an address in its usual text form, with or without a zone; undefined for any other text */
const parseAddress = (text: string): Bytes | undefined => {
  const [address = ''] = text.split('%', 1);
  if (IPv4.isValidFourPartDecimal(address)) return IPv4.parse(address).toByteArray();
  return isIpv6(address) ? IPv6.parse(address).toByteArray() : undefined;
};

/**
 * Rejects groups of more than four digits, octets with leading zeros, and hexadecimal octets: the library accepts them, but RFC 4291, 2.2,
 * does not.
 */
const isIpv6 = (text: string): boolean => !/[\da-f]{5}|(?<![\da-f])0\d+\.|x/i.test(text) && IPv6.isValid(text);

/** @throws TypeError if the text is not a range in CIDR notation */
const parseRange = (text: string): Range => {
  const [address = '', length = ''] = text.split('/');
  const start = parseAddress(address);
  const bits = Number(length);
  if (!start || !/^[^/%]+\/\d{1,3}$/.test(text) || bits > start.length * 8)
    throw new TypeError(`'${text}' is not a range of addresses such as 10.0.0.0/8 or fd00::/8`);
  return { start, bits };
};

const contains = ({ start, bits }: Range, address: Bytes): boolean =>
  start.length === address.length &&
  address.every((byte, i) => {
    const ignoredBits = Math.min(Math.max((i + 1) * 8 - bits, 0), 8);
    return byte >> ignoredBits === (start[i] ?? 0) >> ignoredBits;
  });

const reaches = REACH.map(([text, reach]) => [parseRange(text), reach] as const);
const embedded = EMBEDDED.map(([text, at]) => [parseRange(text), at] as const);

const reachOf = (address: Bytes): Reach => reaches.find(([range]) => contains(range, address))?.[1] ?? 'never';

/** The IPv4 address that is embedded in an IPv6 one; other addresses unchanged. */
const withoutEmbedding = (address: Bytes): Bytes => {
  if (reachOf(address) === 'loopback') return address; // ::1 is not an embedded IPv4 address, although it looks like 0.0.0.1
  const at = embedded.find(([range]) => contains(range, address))?.[1];
  return at === undefined ? address : address.slice(at, at + 4);
};

/**
 * @param entries addresses, or ranges in CIDR notation
 * @returns a function that returns true if an address, in any text form, is one of the entries or in one of their ranges
 * @throws TypeError for an entry that is neither
 */
export const addressesIn = (entries: readonly string[]): ((address: string) => boolean) => {
  const ranges = entries.map((entry) => parseRange(entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`));
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && ranges.some((range) => contains(range, address));
  };
};

/**
 * The canonical text form of an address; that of the IPv4 address if one is embedded in IPv6 (`::ffff:10.0.0.1`). Undefined for text that
 * is not an address.
 */
export const canonicalAddress = (text: string): string | undefined => {
  const address = parseAddress(text);
  if (!address) return undefined;
  const bytes = withoutEmbedding(address);
  if (bytes.length === 4) return bytes.join('.');
  return Array.from({ length: 8 }, (_, i) => (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16)).join(':');
};

/** True for loopback and unspecified addresses, which denote the local machine. */
export const isLoopback = (text: string): boolean => {
  const address = parseAddress(text);
  return address !== undefined && reachOf(withoutEmbedding(address)) === 'loopback';
};

/**
 * The network of a subscriber: an IPv4 address itself, or the /64 prefix of an IPv6 address, which is assigned to one subscriber
 * (RFC 6177). Other text is returned unchanged.
 */
export const networkOf = (address: string): string => {
  const parsed = parseAddress(address);
  if (!parsed) return address;
  const bytes = withoutEmbedding(parsed);
  return bytes.length === 4 ? bytes.join('.') : bytes.slice(0, 8).join('.');
};

/** Returns true if connections to an address, in any of its text forms, are allowed. */
export interface AddressRule {
  (address: string): boolean;
  /**
   * True if a proxy resolves the names in requests through it, and decides which destinations are allowed. Default: false, which means that
   * names are resolved and checked first, and the proxy receives only the address.
   */
  readonly proxied?: boolean;
}

/**
 * Creates a rule that allows public addresses, and those loopback and private addresses that `allowed` lists: `loopback`, `private`, or
 * ranges in CIDR notation; `proxied` sets the property of that name. Never allows link-local addresses, cloud metadata services, multicast,
 * or text that is not an address.
 * @throws TypeError for any other entry
 */
export const addressRule = (allowed: readonly string[]): AddressRule => {
  const keywords: readonly string[] = allowed.filter((entry) => entry === 'loopback' || entry === 'private' || entry === 'proxied');
  const ranges = allowed.filter((entry) => !keywords.includes(entry)).map(parseRange);
  const permits = (text: string): boolean => {
    const parsed = parseAddress(text);
    if (!parsed) return false;
    const address = withoutEmbedding(parsed);
    const reach = reachOf(address);
    return reach !== 'never' && (reach === 'public' || keywords.includes(reach) || ranges.some((range) => contains(range, address)));
  };
  return Object.assign(permits, { proxied: keywords.includes('proxied') });
};

/** The IP address in a URL; a loopback address for `localhost` (RFC 6761, section 6.3); undefined for names that must be resolved. */
export const literalAddress = ({ hostname }: URL): string | undefined => {
  if (/^(.+\.)?localhost\.?$/i.test(hostname)) return '127.0.0.1';
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return parseAddress(bare) ? bare : undefined;
};
