/** The authority of a network as its store keeps it, and how time changes it. Nothing here reads or writes the store. */
import type { EntitiesContext } from '../entities/entities.ts';
import { newRoot, newServerCertificate, newSigner } from '../pki/authority.ts';
import { readCertificates } from '../pki/certificate.ts';
import type { KeyPair } from '../pki/network-key.ts';
import { DAY, isoTime, MINUTE, YEAR } from '../platform/clock.ts';

/** A signer, and the roots that clients trust because of it. */
export interface Generation {
  /** The root above the signer; undefined if its key is elsewhere. */
  readonly root?: KeyPair;
  /** Signs the certificates of clients and routers. Those above it, if any, follow its certificate. */
  readonly signer: KeyPair;
  /** Roots of former authorities, with their keys. */
  readonly further?: readonly KeyPair[];
  /** PEM of each root whose key is elsewhere; that of the signer is the first. */
  readonly roots?: readonly string[];
}

/** The generation that takes over. */
export interface NextGeneration extends Generation {
  /** It signs from then on. ms */
  readonly from: number;
  /** When the last certificate of the generation before ends, as far as is known: adopted ones may outlast a year. ms */
  readonly formerUntil?: number;
}

export interface StoredAuthority extends Generation {
  /** The network key with a certificate, for hosts that supply no server certificate. */
  readonly server: KeyPair;
  /** When to renew the signer. ms */
  readonly renewAt: number;
  /** Default: the fingerprint of the first root. */
  readonly trustDomain?: string;
  /** Set if `server` is a certificate from outside, which servers present until it is due. */
  readonly adoptedServer?: { readonly keepUntil: number };
  /** Server certificates from outside, for clients that ask for one of their names. */
  readonly alternatives?: readonly KeyPair[];
  /** Its roots are trusted already; it signs from then on, when every controller and router knows them. ms */
  readonly next?: NextGeneration;
  /** They sign nothing any more, and are trusted until their last certificates have ended. ms */
  readonly retired?: readonly (Partial<Generation> & { readonly signer: KeyPair; readonly until: number })[];
  /** Fingerprints of roots that are trusted no more, and must not come back from a folder. */
  readonly dropped?: readonly string[];
}

/** The id under which the store keeps it. */
export const AUTHORITY = 'authority';

export type IssueContext = Pick<EntitiesContext, 'random'> & {
  /** ms */
  readonly now: number;
};

/** Half of the lifetime of a signer: the other half is for the certificates that it signed. ms */
const RENEW_AFTER = 5 * YEAR;
/** How long before its expiry an imported signer is renewed at the latest, because it issues certificates that are valid for a year. ms */
export const LAST_RENEWAL = 400 * DAY;
/** How long a retired signer is trusted: the certificates that it signed are valid for a year. ms */
const TRUST_RETIRED = YEAR + DAY;
/** How long before its end an adopted server certificate is replaced. ms */
const REPLACE_SERVER_BEFORE = 30 * DAY;
/** After this, every controller has read a change of the authority, and sent the new roots to its routers. ms */
export const TAKE_UP = 15 * MINUTE;

/** A new authority: a root, a signer below it, and a network key. */
export const newAuthority = async (root: KeyPair, issuing: IssueContext): Promise<StoredAuthority> => {
  const generation = { root, signer: await newSigner(root, issuing) };
  return { ...generation, server: await newServer({ root: root.cert, issuer: root }, [], issuing), renewAt: issuing.now + RENEW_AFTER };
};

/** @returns the authority after what is due; undefined if nothing is */
export const afterDue = async (authority: StoredAuthority, issuing: IssueContext): Promise<StoredAuthority | undefined> => {
  const { now } = issuing;
  let current = authority;
  if (current.next && current.next.from <= now) current = promoted(current, current.next, now);
  if (current.root && current.renewAt <= now)
    current = {
      ...current,
      signer: await newSigner(current.root, issuing),
      renewAt: now + RENEW_AFTER,
      retired: [...(current.retired ?? []), { signer: current.signer, until: now + TRUST_RETIRED }],
    };
  if (current.retired?.some(({ until }) => until <= now)) current = await withoutEnded(current, now);
  if (((await adoptedServerUntil(current)) ?? Number.POSITIVE_INFINITY) <= now) current = await withRenewedServer(current, issuing);
  return current === authority ? undefined : current;
};

const promoted = (
  { next: _, root, signer, further, roots, ...rest }: StoredAuthority,
  { from, formerUntil = 0, ...generation }: NextGeneration,
  now: number,
): StoredAuthority => {
  const before = { ...(root ? { root } : {}), ...(further ? { further } : {}), ...(roots ? { roots } : {}), signer };
  // Other controllers sign with the former signer until they have read the change.
  const until = Math.max(from + TRUST_RETIRED, now + TRUST_RETIRED, formerUntil);
  return { ...rest, ...generation, renewAt: from + RENEW_AFTER, retired: [...(rest.retired ?? []), { ...before, until }] };
};

/** Until when the generation in use is trusted once the next one signs. ms */
export const trustedUntil = ({ from, formerUntil = 0 }: NextGeneration): number => Math.max(from + TRUST_RETIRED, formerUntil);

/**
 * A root and a signer that take the place of those of an authority, once every controller knows them.
 * @throws TypeError if others are about to, or too many are still trusted
 */
export const withNext = async (authority: StoredAuthority, issuing: IssueContext, formerUntil: number): Promise<StoredAuthority> => {
  const { next, retired = [] } = authority;
  if (next) throw new TypeError(`the authority is being replaced already: the new one signs from ${isoTime(next.from)} on`);
  if (retired.length >= MAX_RETIRED)
    throw new TypeError(`too many authorities are still trusted: replace this one after ${isoTime(retired[0]?.until ?? issuing.now)}`);
  const root = await newRoot(issuing);
  const [first = ''] = rootsOf(authority);
  return {
    ...authority,
    // Sessions keep their names.
    trustDomain: authority.trustDomain ?? (await fingerprintIn(first)),
    next: { root, signer: await newSigner(root, issuing), from: issuing.now + TAKE_UP, formerUntil },
  };
};

/** Maximum number of retired signers: clients and routers receive their roots. */
const MAX_RETIRED = 10;

const withoutEnded = async ({ retired = [], ...authority }: StoredAuthority, now: number): Promise<StoredAuthority> => {
  const kept = retired.filter(({ until }) => until > now);
  const remaining = { ...authority, ...(kept.length > 0 ? { retired: kept } : {}) };
  const known = trustedRoots(remaining);
  const gone = retired.flatMap(rootsOf).filter((root) => !known.includes(root));
  return gone.length === 0
    ? remaining
    : { ...remaining, dropped: [...(authority.dropped ?? []), ...(await Promise.all(gone.map(fingerprintIn)))].slice(-MAX_DROPPED) };
};

/** Maximum number of dropped roots that are remembered. */
const MAX_DROPPED = 100;

/** The roots of a generation, in PEM: the first one is that of its signer. */
export const rootsOf = ({ root, further = [], roots = [] }: Partial<Generation>): readonly string[] => [
  ...(root ? [root.cert] : []),
  ...further.map(({ cert }) => cert),
  ...roots,
];

/** All roots that clients of the network trust, in PEM: those in use first, then those to come, then retired ones. */
export const trustedRoots = (authority: StoredAuthority): readonly string[] => [
  ...new Set([authority, ...(authority.next ? [authority.next] : []), ...(authority.retired ?? [])].flatMap(rootsOf)),
];

/** An authority that can issue the certificates of servers: below which root, and with which key. */
export interface ServerIssuer {
  /** PEM. */
  readonly root: string;
  readonly issuer: KeyPair;
}

/**
 * The authorities that can issue server certificates, the oldest that is still trusted first: clients learn of a newer root only when they renew their
 * certificates.
 */
export const serverIssuers = (authority: Partial<StoredAuthority>): readonly ServerIssuer[] =>
  [...(authority.retired ?? []), authority].flatMap(({ root, signer, further = [], roots: [first] = [] }) => [
    ...(root ? [{ root: root.cert, issuer: root }] : []),
    ...further.map((one) => ({ root: one.cert, issuer: one })),
    ...(!root && signer && first !== undefined ? [{ root: first, issuer: signer }] : []),
  ]);

/** The issuer of server certificates: the first that lasts, or else the one that ends last. @throws TypeError if all have ended */
export const serverIssuerOf = async (authority: Partial<StoredAuthority>, now: number): Promise<ServerIssuer> => {
  const issuers = await Promise.all(serverIssuers(authority).map(async (one) => ({ ...one, end: await notAfterOf(one.issuer) })));
  const [last] = issuers.toSorted((a, b) => b.end - a.end);
  const found = issuers.find(({ end }) => end - now > REPLACE_SERVER_BEFORE) ?? last;
  if (!found || found.end <= now) throw new TypeError('the authority of the network has ended: it signs nothing any more');
  return found;
};

/**
 * Issues a server certificate, followed by those between it and the root.
 * @param like a certificate whose key and URIs it has, too
 */
export const newServer = async (
  { root, issuer }: ServerIssuer,
  names: readonly string[],
  issuing: IssueContext & { readonly like?: KeyPair; readonly uris?: readonly string[] },
): Promise<KeyPair> => {
  const { key, cert } = await newServerCertificate(issuer, names, issuing);
  return { key, cert: issuer.cert === root ? cert : cert + issuer.cert };
};

/** The names, addresses and URIs of the certificate that belongs to the network key. */
export const serverNames = async ({ server }: Pick<StoredAuthority, 'server'>) => {
  const { dnsNames = [], ipAddresses = [], uris = [] } = (await firstIn(server.cert)) ?? {};
  return { names: [...dnsNames, ...ipAddresses], uris };
};

/** Until when servers present the adopted certificate. ms; undefined if there is none */
export const adoptedServerUntil = async ({ adoptedServer, server }: StoredAuthority): Promise<number | undefined> => {
  if (!adoptedServer) return undefined;
  const end = await notAfterOf(server);
  return Math.max(end - REPLACE_SERVER_BEFORE, Math.min(adoptedServer.keepUntil, end - DAY));
};

/** Another certificate for the key and names of the adopted one. */
const withRenewedServer = async (before: StoredAuthority, issuing: IssueContext): Promise<StoredAuthority> => {
  const issuer = await serverIssuerOf(before, issuing.now).catch(() => undefined);
  // Nothing can replace it: a network that does not open would be worse.
  if (!issuer) return before;
  const { adoptedServer: _, ...authority } = before;
  const { names, uris } = await serverNames(authority);
  return { ...authority, server: await newServer(issuer, names, { ...issuing, like: authority.server, uris }) };
};

/** The first certificate of a text, which was checked before it was stored. */
const firstIn = async (pem: string) => (await readCertificates(pem, MAX_CERTIFICATES)).value?.[0];
/** When the certificate of a pair ends. ms */
export const notAfterOf = async ({ cert }: KeyPair): Promise<number> => (await firstIn(cert))?.notAfter ?? 0;
export const fingerprintIn = async (pem: string): Promise<string> => (await firstIn(pem))?.fingerprint ?? '';

/** The subject of a certificate, for the log. */
export const subjectIn = async (pem = ''): Promise<string> => (await firstIn(pem))?.subject ?? '';

/** Maximum number of certificates in a text. */
const MAX_CERTIFICATES = 100;
