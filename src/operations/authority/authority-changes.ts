/** The changes to a network's authority that are due at some time, or that a rotation begins. Nothing here reads or writes the store. */
import { newRoot, newSigner } from '../../crypto/pki/authority.ts';
import type { KeyPair } from '../../crypto/pki/network-key.ts';
import { DAY, isoTime, MINUTE, YEAR } from '../../runtime/platform/clock.ts';
import { adoptedServerUntil, newServer, REPLACE_SERVER_BEFORE, serverIssuerOf, serverNames } from './server-issuers.ts';
import {
  fingerprintIn,
  type IssueContext,
  type NextGeneration,
  notAfterOf,
  rootsOf,
  type StoredAuthority,
  trustedRoots,
} from './stored-authority.ts';

/** Half of the lifetime of a signer: the other half is for the certificates that it signed. ms */
const RENEW_AFTER = 5 * YEAR;
/**
 * The time before its expiry at which an imported signer is renewed at the latest, because it issues certificates that are valid for a
 * year. ms
 */
export const LAST_RENEWAL = 400 * DAY;
/** The time that clients may need to learn of another root: until they renew certificates that are valid for a year. ms */
const LEARN = YEAR + DAY;
/** The validity of the last server certificates that a retired signer issues. ms */
const LAST_SERVERS = 90 * DAY;
/** Time for which a retired signer is trusted. ms */
const TRUST_RETIRED = LEARN + LAST_SERVERS;
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
  if (current.next && current.next.from <= now) current = await promoted(current, current.next, now);
  if (current.root && current.renewAt <= now)
    current = {
      ...current,
      signer: await newSigner(current.root, issuing),
      renewAt: now + RENEW_AFTER,
      retired: [...(current.retired ?? []), { signer: current.signer, until: now + LEARN }],
    };
  if (current.retired?.some(({ serversUntil = now + 1 }) => serversUntil <= now)) current = withoutServers(current, now);
  if (current.retired?.some(({ until }) => until <= now)) current = await withoutEnded(current, now);
  if (((await adoptedServerUntil(current)) ?? Number.POSITIVE_INFINITY) <= now) current = await withRenewedServer(current, issuing);
  return current === authority ? undefined : current;
};

const promoted = async (
  { next: _, root, signer, further, roots, ...rest }: StoredAuthority,
  { from, formerUntil = 0, ...generation }: NextGeneration,
  now: number,
): Promise<StoredAuthority> => {
  const before = { ...(root ? { root } : {}), ...(further ? { further } : {}), ...(roots ? { roots } : {}), signer };
  // Other controllers sign with the former signer until they have read the change.
  const until = trustedUntil({ from: Math.max(from, now), formerUntil });
  const serversUntil = Math.min(until - LAST_SERVERS, (await notAfterOf(signer)) - REPLACE_SERVER_BEFORE);
  return { ...rest, ...generation, renewAt: from + RENEW_AFTER, retired: [...(rest.retired ?? []), { ...before, until, serversUntil }] };
};

/** Until when the generation in use is trusted once the next one signs. ms since 1970 */
export const trustedUntil = ({ from, formerUntil = 0 }: Pick<NextGeneration, 'from' | 'formerUntil'>): number =>
  Math.max(from + TRUST_RETIRED, formerUntil + LAST_SERVERS);

/**
 * The authority with a new root and a new signer, which replace the current ones once every controller knows them.
 * @param formerUntil when the last known certificate of the current generation expires. ms since 1970
 * @throws TypeError if a replacement is in progress, or if too many retired generations are still trusted
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

const withoutServers = (authority: StoredAuthority, now: number): StoredAuthority => ({
  ...authority,
  retired: (authority.retired ?? []).map(({ serversUntil, ...one }) =>
    serversUntil === undefined || serversUntil <= now ? one : { ...one, serversUntil },
  ),
});

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

/** Another certificate for the key and names of the adopted one. */
const withRenewedServer = async (before: StoredAuthority, issuing: IssueContext): Promise<StoredAuthority> => {
  const issuer = await serverIssuerOf(before, issuing.now).catch(() => undefined);
  // Nothing can replace it: a network that does not open would be worse.
  if (!issuer) return before;
  const { adoptedServer: _, ...authority } = before;
  const { names, uris } = await serverNames(authority);
  return { ...authority, server: await newServer(issuer, names, { ...issuing, like: authority.server, uris }) };
};
