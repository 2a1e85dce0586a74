import { addressesIn, canonicalAddress, isLoopback } from '../../runtime/platform/addresses.ts';
import type { AlternativeNames } from './certificate.ts';

export type ServerNames = Pick<AlternativeNames, 'dnsNames' | 'ipAddresses'>;

/** Selects the permitted names and addresses among the requested ones. `own` is the name of the server's entity. */
export type NameRule = (requested: ServerNames, own: string) => ServerNames;

/**
 * @param allowed DNS names; `*.example.org` for all names with one label before `example.org`; addresses, or address ranges such as
 * `10.0.0.0/8`; `*` for everything
 * @throws TypeError for an entry that is not one of these
 */
export const createNameRule = (allowed: readonly string[]): NameRule => {
  if (allowed.includes('*')) return ({ dnsNames, ipAddresses }) => ({ dnsNames, ipAddresses });
  const names = allowed.filter(isName).map((name) => name.toLowerCase());
  const isAllowedAddress = addressesIn(allowed.filter((entry) => !isName(entry)));
  return ({ dnsNames, ipAddresses }, own) => ({
    dnsNames: dnsNames.filter((name) => isOwn(own, name) || names.some((pattern) => covers(pattern, name.toLowerCase()))),
    ipAddresses: ipAddresses.filter((address) => address === own || isAllowedAddress(address)),
  });
};

/**
 * The canonical form of a name or an address: lower case, without the trailing dot of a fully qualified name.
 * @returns undefined if the host cannot belong to a server, e.g. with invalid labels, or with a wildcard other than for the entire first
 * label
 */
export const canonicalHost = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return isName(bare) ? bare.toLowerCase() : canonicalAddress(bare);
};

/**
 * True for hosts that denote each client's own machine, so that they cannot belong to a router: `localhost` (RFC 6761, section 6.3) and
 * loopback addresses.
 */
export const isLocalHost = (host: string): boolean => /^(.+\.)?localhost$/.test(host) || isLoopback(host);

/**
 * The keys under which a host is indexed, so that conflicting hosts can find it: its name, and the part of a matching wildcard after the
 * star.
 */
export const indexKeysOf = (host: string): readonly string[] => (parentOf(host) === '' ? [host] : [host, parentOf(host)]);

/** The keys of hosts that are equal to this one, that it matches as a wildcard, or that match it as wildcards. */
export const conflictKeysOf = (host: string): readonly string[] => {
  if (host.startsWith('*')) return [host, host.slice(1)];
  return parentOf(host) === '' ? [host] : [host, `*${parentOf(host)}`];
};

/**
 * True if two hosts are equal, or the first is a wildcard that matches the second. As in some software, a star may match several labels.
 */
export const matchesHost = (pattern: string, host: string): boolean =>
  pattern === host || (pattern.startsWith('*') && host.endsWith(pattern.slice(1)));

/** `.example.org` for `a.example.org`; empty for a wildcard, an address or a single label. */
const parentOf = (host: string): string => (isName(host) && !host.startsWith('*') ? host.replace(/^[^.]*/, '') : '');

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const NAME = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*$`, 'i');
const FIRST_LABEL = new RegExp(`^${LABEL}\\.`);

/** True for a valid name. A name that ends with a number counts as an address (RFC 1123, section 2.1). */
const isName = (entry: string): boolean => NAME.test(entry) && !/(^|\.)\d+$/.test(entry);

/** True if a name is that of the entity. An entity name that is not a valid server name matches nothing. */
const isOwn = (own: string, name: string): boolean => isName(own) && !own.startsWith('*') && name.toLowerCase() === own.toLowerCase();

/** True if an allowed entry covers a name. A wildcard covers only names, not other wildcards. */
const covers = (pattern: string, name: string): boolean =>
  pattern.startsWith('*.') ? FIRST_LABEL.test(name) && name.replace(FIRST_LABEL, '') === pattern.slice(2) : name === pattern;
