import type { EntitiesContext } from '../entities/entities.ts';
import { upToDateKeptSecret } from '../entities/kept-secrets.ts';
import { newRoot } from '../pki/authority.ts';
import type { AuthorityCertificates } from '../pki/certificate-ends.ts';
import type { KeyPair } from '../pki/network-key.ts';
import type { PkiSources } from '../pki/pki.ts';
import { type KeptSignerOptions, openSigner } from '../pki/signer.ts';
import { isoTime } from '../platform/clock.ts';
import type { Clock, Logger } from '../platform/platform.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Store } from '../storage/port.ts';
import { type AdoptedAuthority, checkedAuthority } from './adopted-authority.ts';
import { afterDue, LAST_RENEWAL, newAuthority, withNext } from './authority-changes.ts';
import { issuedUntil } from './issued-until.ts';
import { newServer, signerOfServers } from './server-issuers.ts';
import {
  AUTHORITY,
  fingerprintIn,
  type IssueContext,
  notAfterOf,
  rootsOf,
  type StoredAuthority,
  subjectIn,
  trustedRoots,
} from './stored-authority.ts';

/** An authority from outside the store. The root is required; other missing parts are created. */
export interface FormerAuthority {
  readonly root: KeyPair;
  readonly signer?: KeyPair | undefined;
  /** A server's certificate, whose key signed the JWTs. */
  readonly server?: KeyPair | undefined;
}

/** The authority as the store keeps it. */
export interface KeptAuthority extends PkiSources {
  /** What is stored, as of the last `reload`. */
  stored(): StoredAuthority;
  /** Carries out what is due, and takes up what other controllers have changed. */
  reload(): Promise<void>;
}

/** Where an authority is kept. */
export interface AuthorityStore {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly context: EntitiesContext;
  /** Logs changes of the authority, for operators. Default: none. */
  readonly logger?: Logger | undefined;
}

/**
 * The authority of a controller whose host supplies none: created with a new network and kept in the store, sealed. It is ready before the first
 * call, so that no call needs an extra transaction for it. If several controllers create or change it at the same time, the first one wins.
 * @param former becomes the authority of a network that has none; otherwise its roots are trusted, too
 * @throws TypeError if `former` is inconsistent; nothing is stored then
 */
export const keptAuthority = async (place: AuthorityStore, former?: FormerAuthority | AdoptedAuthority): Promise<KeptAuthority> => {
  const { before, after } = await upToDate(place, (current, issuing) => withFormer(current, former, issuing));
  let stored = after;
  let signer = signerOf(stored);
  if (before) await tell(place, before, stored);
  return {
    signer: () => signer,
    generation: () => signer,
    serverCertificate: () => stored.server,
    alternatives: () => stored.alternatives ?? [],
    stored: () => stored,
    reload: async () => {
      const latest = (await upToDate(place, async () => undefined)).after;
      if (JSON.stringify(latest) === JSON.stringify(stored)) return;
      await tell(place, stored, latest);
      stored = latest;
      signer = signerOf(latest);
    },
  };
};

/**
 * Begins the replacement of the root and the signer. The new root is trusted at once, and its signer signs 15 minutes later.
 * @throws TypeError if a replacement is under way, or too many roots are still trusted
 */
export const rotateKeptAuthority = async (place: AuthorityStore): Promise<StoredAuthority> => {
  let isBegun = false;
  const formerUntil = await issuedUntil(place.store);
  const { after } = await upToDate(place, async (current, issuing) => {
    // Begun by this call, or by another at the same time.
    if (isBegun && current?.next) return undefined;
    isBegun = true;
    return current ? withNext(current, issuing, formerUntil) : newAuthority(await newRoot(issuing), issuing);
  });
  return after;
};

type Change = (current: StoredAuthority | undefined, issuing: IssueContext) => Promise<StoredAuthority | undefined>;

/** Carries out what is due, and then the change. */
const upToDate = async ({ store, secrets, clock, context }: AuthorityStore, change: Change) => {
  let before: StoredAuthority | undefined;
  const after = await upToDateKeptSecret<StoredAuthority>(store, secrets, context, AUTHORITY, async (current) => {
    before ??= current;
    const issuing = { random: context.random, now: clock.now() };
    const due = current && (await afterDue(current, issuing));
    return (await change(due ?? current, issuing)) ?? due;
  });
  return { before, after };
};

/** @returns the new authority; undefined if it does not change */
const withFormer = async (
  current: StoredAuthority | undefined,
  former: FormerAuthority | AdoptedAuthority | undefined,
  issuing: IssueContext,
): Promise<StoredAuthority | undefined> => {
  if (!former) return current ? undefined : newAuthority(await newRoot(issuing), issuing);
  if (!current) return takenOver(former, issuing);
  const isKnown = await knownRoots(current);
  if ('root' in former) {
    if (await isKnown(former.root.cert)) return undefined;
    const { root } = await imported(former, issuing);
    return { ...current, further: [...(current.further ?? []), root] };
  }
  const { roots = [] } = await checkedAuthority(former, issuing);
  const unknown: string[] = [];
  for (const root of roots) if (!(await isKnown(root))) unknown.push(root);
  return unknown.length === 0 ? undefined : { ...current, roots: [...(current.roots ?? []), ...unknown] };
};

const takenOver = (former: FormerAuthority | AdoptedAuthority, issuing: IssueContext): Promise<StoredAuthority> =>
  'root' in former ? imported(former, issuing) : checkedAuthority(former, issuing);

/** A function that tells whether a root is, or was, one of the network. */
const knownRoots = async (authority: StoredAuthority): Promise<(root: string) => Promise<boolean>> => {
  const fingerprints = new Set([...(authority.dropped ?? []), ...(await Promise.all(trustedRoots(authority).map(fingerprintIn)))]);
  return async (root) => fingerprints.has(await fingerprintIn(root));
};

/** Tests an authority before it is stored, because a network with an unusable authority would be useless. */
const imported = async ({ root, signer, server }: FormerAuthority, issuing: IssueContext) => {
  const like = server ? { like: server } : {};
  const authority = await newAuthority(root, issuing);
  const own = { ...authority, root, server: await newServer({ root: root.cert, issuer: root }, [], { ...issuing, ...like }) };
  if (!signer) return own;
  await openSigner({ certificates: signer.cert, anchors: root.cert, key: signer.key });
  return { ...own, signer, renewAt: (await notAfterOf(signer)) - LAST_RENEWAL };
};

const signerOf = (authority: StoredAuthority): KeptSignerOptions => {
  const { signer, trustDomain, next, retired = [] } = authority;
  const others = [...retired, ...(next ? [next] : [])].map((one) => one.signer.cert);
  // Clients may have no root above an adopted signer: controllers of before handed it out as an anchor.
  const bundle = [authority, ...retired].flatMap((one) => (one.root || !one.roots ? [] : [one.signer.cert]));
  const servers = signerOfServers(authority);
  return {
    ...(servers ? { servers: { certificates: servers.signer.cert, key: servers.signer.key, until: servers.until } } : {}),
    certificates: signer.cert,
    anchors: trustedRoots(authority).join(''),
    key: signer.key,
    ...(trustDomain === undefined ? {} : { trustDomain }),
    ...(others.length > 0 ? { others: others.join('') } : {}),
    ...(bundle.length > 0 ? { bundle: bundle.join('') } : {}),
  };
};

/** The certificates in use, of which operators must know the ends: those that are retired end by themselves. */
export const certificatesInUse = (authority: StoredAuthority): AuthorityCertificates => {
  const { signer, server, alternatives } = authority;
  return {
    signer: { certificates: signer.cert },
    roots: rootsOf(authority).join(''),
    ...(authority.adoptedServer ? { server } : {}),
    alternatives,
  };
};

/** Logs what has changed between two states of an authority. */
const tell = async ({ logger, clock }: AuthorityStore, before: StoredAuthority, after: StoredAuthority): Promise<void> => {
  if (!logger) return;
  if (after.next && !before.next)
    logger.info('the network has another root: clients and routers learn of it, and it signs from then on', {
      root: await subjectIn(after.next.root?.cert),
      signsFrom: isoTime(after.next.from),
    });
  if (before.next && !after.next)
    logger.info('certificates are signed below another root now; those of before stay trusted until they have ended', {
      root: await subjectIn(after.root?.cert),
    });
  const roots = trustedRoots(after);
  for (const root of trustedRoots(before).filter((one) => !roots.includes(one)))
    logger.info('a root is not trusted any more: the certificates below it have ended', { root: await subjectIn(root) });
  if (before.adoptedServer && !after.adoptedServer)
    logger.info('the adopted server certificate is due, and was replaced by one that the signer issued', {
      endsAt: isoTime((await notAfterOf(before.server)) || clock.now()),
    });
};
