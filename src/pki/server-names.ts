import { addressesIn, canonicalAddress, isLoopback } from '../platform/addresses.ts';
import type { AlternativeNames } from './certificate.ts';

export type ServerNames = Pick<AlternativeNames, 'dnsNames' | 'ipAddresses'>;

/** Selects the permitted ones of the names and addresses that a server requests. `own` is the name of its entity. */
export type NameRule = (requested: ServerNames, own: string) => ServerNames;

/**
 * @param allowed DNS names; `*.example.org` for all names with one label before `example.org`; addresses, or ranges of them such as `10.0.0.0/8`;
 * `*` for everything
 * @throws TypeError for an entry that is none of these
 */
export const allowedNames = (allowed: readonly string[]): NameRule => {
  if (allowed.includes('*')) return ({ dnsNames, ipAddresses }) => ({ dnsNames, ipAddresses });
  const names = allowed.filter(isName).map((name) => name.toLowerCase());
  const isAllowedAddress = addressesIn(allowed.filter((entry) => !isName(entry)));
  return ({ dnsNames, ipAddresses }, own) => ({
    dnsNames: dnsNames.filter((name) => isOwn(own, name) || names.some((known) => isMeant(known, name.toLowerCase()))),
    ipAddresses: ipAddresses.filter((address) => address === own || isAllowedAddress(address)),
  });
};

/**
 * A name or an address in the one form that all its forms have in common: lower case, without the dot at the end of a full name.
 * @returns undefined for what is none of a server: no label, another wildcard than one for the first label
 */
export const canonicalHost = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return isName(bare) ? bare.toLowerCase() : canonicalAddress(bare);
};

/** True for hosts that denote each client's own machine, and so belong to no router: `localhost` (RFC 6761, section 6.3), loopback addresses. */
export const isEverybodys = (host: string): boolean => /^(.+\.)?localhost$/.test(host) || isLoopback(host);

/** The words under which a host is found by others that mean it: its name, and what a wildcard for it would have after the star. */
export const wordsOf = (host: string): readonly string[] => (parentOf(host) === '' ? [host] : [host, parentOf(host)]);

/** The words of hosts that this one is, or stands for, or that stand for it. */
export const rivalsOf = (host: string): readonly string[] =>
  host.startsWith('*') ? [host, host.slice(1)] : parentOf(host) === '' ? [host] : [host, `*${parentOf(host)}`];

/** True if a host is this one, or a wildcard that matches it in some software: some read a star as several labels. */
export const standsFor = (host: string, known: string): boolean =>
  host === known || (host.startsWith('*') && known.endsWith(host.slice(1)));

/** `.example.org` of `a.example.org`; nothing of a wildcard, of an address, or of a single label. */
const parentOf = (host: string): string => (isName(host) && !host.startsWith('*') ? host.replace(/^[^.]*/, '') : '');

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const NAME = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*$`, 'i');
const FIRST_LABEL = new RegExp(`^${LABEL}\\.`);

/** A name that ends in a number is an address, or meant to be one (RFC 1123, section 2.1). */
const isName = (entry: string): boolean => NAME.test(entry) && !/(^|\.)\d+$/.test(entry);

/** A record may have a name that is none of a server: then it means none. */
const isOwn = (own: string, name: string): boolean => isName(own) && !own.startsWith('*') && name.toLowerCase() === own.toLowerCase();

/** A wildcard stands for names only, not for wildcards. */
const isMeant = (known: string, name: string): boolean =>
  known.startsWith('*.') ? FIRST_LABEL.test(name) && name.replace(FIRST_LABEL, '') === known.slice(2) : name === known;
