import ipaddr from 'ipaddr.js';

const { IPv4, IPv6 } = ipaddr;

/** The bytes of an IP address: four for IPv4, sixteen for IPv6. */
type Bytes = readonly number[];

/** The scope of an address, as seen from this machine. `never`: never a valid destination, e.g. link-local, multicast, and cloud metadata services. */
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

/** IPv6 forms that embed an IPv4 address, and its byte offset: mapped, translated, compatible, NAT64, 6to4. */
const EMBEDDED: readonly (readonly [range: string, at: number])[] = [
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['::/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
];

/** @returns the bytes of an address in its usual text form, with or without a zone; undefined for any other text */
const readAddress = (text: string): Bytes | undefined => {
  const [address = ''] = text.split('%', 1);
  if (IPv4.isValidFourPartDecimal(address)) return IPv4.parse(address).toByteArray();
  return isIpv6(address) ? IPv6.parse(address).toByteArray() : undefined;
};

/** Rejects groups of more than four digits, and octets with leading zeros: the library accepts them, but RFC 4291, 2.2, does not. */
const isIpv6 = (text: string): boolean => !/[\da-f]{5}|(?<![\da-f])0\d+\./i.test(text) && IPv6.isValid(text);

/** @throws TypeError if it is not a range in CIDR notation */
const readRange = (text: string): Range => {
  const [address = '', length = ''] = text.split('/');
  const start = readAddress(address);
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

const reaches = REACH.map(([text, reach]) => [readRange(text), reach] as const);
const embedded = EMBEDDED.map(([text, at]) => [readRange(text), at] as const);

const reachOf = (address: Bytes): Reach => reaches.find(([range]) => contains(range, address))?.[1] ?? 'never';

/** The IPv4 address that is embedded in an IPv6 one; other addresses unchanged. */
const withoutEmbedding = (address: Bytes): Bytes => {
  if (reachOf(address) === 'loopback') return address; // ::1 is not an embedded IPv4 address, although it looks like 0.0.0.1
  const at = embedded.find(([range]) => contains(range, address))?.[1];
  return at === undefined ? address : address.slice(at, at + 4);
};

/**
 * @returns whether an address, in any of its text forms, is one of the entries or in one of their ranges
 * @param entries addresses, or ranges in CIDR notation
 * @throws TypeError for an entry that is neither
 */
export const addressesIn = (entries: readonly string[]): ((address: string) => boolean) => {
  const ranges = entries.map((entry) => readRange(entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`));
  return (text) => {
    const address = readAddress(text);
    return address !== undefined && ranges.some((range) => contains(range, address));
  };
};

/** The canonical text form of an address; that of the IPv4 address if one is embedded in IPv6 (`::ffff:10.0.0.1`). undefined for any other text. */
export const canonicalAddress = (text: string): string | undefined => {
  const address = readAddress(text);
  if (!address) return undefined;
  const bytes = withoutEmbedding(address);
  if (bytes.length === 4) return bytes.join('.');
  return Array.from({ length: 8 }, (_, i) => (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16)).join(':');
};

/** True for loopback and unspecified addresses, which denote the local machine. */
export const isLoopback = (text: string): boolean => {
  const address = readAddress(text);
  return address !== undefined && reachOf(withoutEmbedding(address)) === 'loopback';
};

/**
 * The network of a subscriber: an IPv4 address itself, or the /64 prefix of an IPv6 address, which is assigned to one subscriber
 * (RFC 6177). Other text is returned as it is.
 */
export const networkOf = (address: string): string => {
  const read = readAddress(address);
  if (!read) return address;
  const bytes = withoutEmbedding(read);
  return bytes.length === 4 ? bytes.join('.') : bytes.slice(0, 8).join('.');
};

/** Returns true if connections to an address, in any of its text forms, are allowed. */
export interface AddressRule {
  (address: string): boolean;
  /**
   * True if names whose requests go through a proxy are left to it: the proxy resolves them, and decides where they may lead. Default: they are resolved and
   * checked before, and the proxy learns only the address.
   */
  readonly proxied?: boolean;
}

/**
 * Allows public addresses, and those loopback and private addresses that `allowed` lists: `loopback`, `private`, or ranges in CIDR notation; `proxied` sets
 * the property of that name. Never allows link-local addresses, cloud metadata services, multicast, or text that is not an address.
 * @throws TypeError for any other entry
 */
export const addressRule = (allowed: readonly string[]): AddressRule => {
  const words: readonly string[] = allowed.filter((entry) => entry === 'loopback' || entry === 'private' || entry === 'proxied');
  const ranges = allowed.filter((entry) => !words.includes(entry)).map(readRange);
  const permits = (text: string): boolean => {
    const read = readAddress(text);
    if (!read) return false;
    const address = withoutEmbedding(read);
    const reach = reachOf(address);
    return reach !== 'never' && (reach === 'public' || words.includes(reach) || ranges.some((range) => contains(range, address)));
  };
  return Object.assign(permits, { proxied: words.includes('proxied') });
};

/** The IP address in a URL; loopback for names that always mean it (RFC 6761, section 6.3); undefined for names that must be resolved. */
export const literalAddress = ({ hostname }: URL): string | undefined => {
  if (/^(.+\.)?localhost\.?$/i.test(hostname)) return '127.0.0.1';
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return readAddress(bare) ? bare : undefined;
};
