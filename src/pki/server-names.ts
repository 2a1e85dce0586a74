import { addressesIn, canonicalAddress, isLoopback } from '../platform/addresses.ts';
import type { AlternativeNames } from './certificate.ts';

export type ServerNames = Pick<AlternativeNames, 'dnsNames' | 'ipAddresses'>;

/** Selects the permitted names and addresses among those that a server requests. `own` is the name of its entity. */
export type NameRule = (requested: ServerNames, own: string) => ServerNames;

/**
 * @param allowed DNS names; `*.example.org` for all names with one label before `example.org`; addresses, or address ranges such as `10.0.0.0/8`;
 * `*` for everything
 * @throws TypeError for an entry that is none of these
 */
export const allowedNames = (allowed: readonly string[]): NameRule => {
  if (allowed.includes('*')) return ({ dnsNames, ipAddresses }) => ({ dnsNames, ipAddresses });
  const names = allowed.filter(isName).map((name) => name.toLowerCase());
  const isAllowedAddress = addressesIn(allowed.filter((entry) => !isName(entry)));
  return ({ dnsNames, ipAddresses }, own) => ({
    dnsNames: dnsNames.filter((name) => isOwn(own, name) || names.some((known) => covers(known, name.toLowerCase()))),
    ipAddresses: ipAddresses.filter((address) => address === own || isAllowedAddress(address)),
  });
};

/**
 * The canonical form of a name or an address: lower case, without the trailing dot of a fully qualified name.
 * @returns undefined if it cannot belong to a server, e.g. with invalid labels, or with a wildcard other than for the whole first label
 */
export const canonicalHost = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return isName(bare) ? bare.toLowerCase() : canonicalAddress(bare);
};

/** True for hosts that denote each client's own machine, and so cannot belong to a router: `localhost` (RFC 6761, section 6.3) and loopback addresses. */
export const isLocalMachine = (host: string): boolean => /^(.+\.)?localhost$/.test(host) || isLoopback(host);

/** The keys under which a host is indexed, so that conflicting hosts find it: its name, and the part of a matching wildcard after the star. */
export const indexKeysOf = (host: string): readonly string[] => (parentOf(host) === '' ? [host] : [host, parentOf(host)]);

/** The keys of hosts that are equal to this one, that it matches as a wildcard, or that match it as wildcards. */
export const conflictKeysOf = (host: string): readonly string[] =>
  host.startsWith('*') ? [host, host.slice(1)] : parentOf(host) === '' ? [host] : [host, `*${parentOf(host)}`];

/** True if a host equals the known one, or is a wildcard that matches it. As in some software, a star may match several labels. */
export const matchesHost = (host: string, known: string): boolean =>
  host === known || (host.startsWith('*') && known.endsWith(host.slice(1)));

/** `.example.org` for `a.example.org`; empty for a wildcard, an address or a single label. */
const parentOf = (host: string): string => (isName(host) && !host.startsWith('*') ? host.replace(/^[^.]*/, '') : '');

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const NAME = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*$`, 'i');
const FIRST_LABEL = new RegExp(`^${LABEL}\\.`);

/** True for a valid name. A name that ends in a number is an address, or intended as one (RFC 1123, section 2.1). */
const isName = (entry: string): boolean => NAME.test(entry) && !/(^|\.)\d+$/.test(entry);

/** True if a name is that of the entity. An entity may have a name that is not a valid server name; it then matches nothing. */
const isOwn = (own: string, name: string): boolean => isName(own) && !own.startsWith('*') && name.toLowerCase() === own.toLowerCase();

/** True if an allowed entry covers a name. A wildcard covers only names, not other wildcards. */
const covers = (known: string, name: string): boolean =>
  known.startsWith('*.') ? FIRST_LABEL.test(name) && name.replace(FIRST_LABEL, '') === known.slice(2) : name === known;
