import { newRoot } from '../../crypto/pki/authority.ts';
import type { AuthorityCertificates } from '../../crypto/pki/certificate-ends.ts';
import type { KeyPair } from '../../crypto/pki/network-key.ts';
import type { PkiSources } from '../../crypto/pki/pki.ts';
import { type KeptSignerOptions, openSigner } from '../../crypto/pki/signer.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { Clock, Logger } from '../../runtime/platform/platform.ts';
import type { Secrets } from '../../runtime/platform/secrets.ts';
import type { EntitiesContext } from '../../store/entities/entities.ts';
import { upToDateKeptSecret } from '../../store/entities/kept-secrets.ts';
import type { Store } from '../../store/storage/port.ts';
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

/** The authority in the store. */
export interface KeptAuthority extends PkiSources {
  /** The stored authority, as of the last `reload`. */
  stored(): StoredAuthority;
  /** Applies due changes, and changes of other controllers. */
  reload(): Promise<void>;
}

/** The store of an authority, and what is needed to change it. */
export interface AuthorityStore {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly context: EntitiesContext;
  /** Logs changes of the authority. Default: they are not logged. */
  readonly logger?: Logger | undefined;
}

/**
 * Opens the authority of a controller whose host supplies none. It is created with a new network, and stored sealed. It is loaded before
 * the first call, so that calls need no extra transaction. If several controllers create or change it concurrently, the first one wins.
 * @param former becomes the authority of a network without one; otherwise its roots are trusted, too
 * @throws TypeError if `former` is inconsistent, before anything is stored
 */
export const keptAuthority = async (deps: AuthorityStore, former?: FormerAuthority | AdoptedAuthority): Promise<KeptAuthority> => {
  const { before, after } = await applyDue(deps, (current, issuing) => withFormer(current, former, issuing));
  let stored = after;
  let signer = signerOf(stored);
  if (before) await logChange(deps, before, stored);
  return {
    signer: () => signer,
    generation: () => signer,
    serverCertificate: () => stored.server,
    alternatives: () => stored.alternatives ?? [],
    stored: () => stored,
    reload: async () => {
      const latest = (await applyDue(deps, async () => undefined)).after;
      if (JSON.stringify(latest) === JSON.stringify(stored)) return;
      await logChange(deps, stored, latest);
      stored = latest;
      signer = signerOf(latest);
    },
  };
};

/**
 * Begins the replacement of the root and the signer. The new root is trusted immediately, and its signer begins to sign 15 minutes later.
 * @throws TypeError if a replacement is in progress, or if too many roots are still trusted
 */
export const rotateKeptAuthority = async (deps: AuthorityStore): Promise<StoredAuthority> => {
  let isBegun = false;
  const formerUntil = await issuedUntil(deps.store);
  const { after } = await applyDue(deps, async (current, issuing) => {
    // Begun by this call, or by another at the same time.
    if (isBegun && current?.next) return undefined;
    isBegun = true;
    return current ? withNext(current, issuing, formerUntil) : newAuthority(await newRoot(issuing), issuing);
  });
  return after;
};

type Change = (current: StoredAuthority | undefined, issuing: IssueContext) => Promise<StoredAuthority | undefined>;

/** Applies due changes, and then another one. */
const applyDue = async ({ store, secrets, clock, context }: AuthorityStore, change: Change) => {
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
  if (!current) return adopt(former, issuing);
  const isKnownRoot = await createRootLookup(current);
  if ('root' in former) {
    if (await isKnownRoot(former.root.cert)) return undefined;
    const { root } = await importAuthority(former, issuing);
    return { ...current, further: [...(current.further ?? []), root] };
  }
  const { roots = [] } = await checkedAuthority(former, issuing);
  const unknown: string[] = [];
  for (const root of roots) if (!(await isKnownRoot(root))) unknown.push(root);
  return unknown.length === 0 ? undefined : { ...current, roots: [...(current.roots ?? []), ...unknown] };
};

const adopt = (former: FormerAuthority | AdoptedAuthority, issuing: IssueContext): Promise<StoredAuthority> =>
  'root' in former ? importAuthority(former, issuing) : checkedAuthority(former, issuing);

/** @returns a function that returns true for a root that the network trusts or has trusted */
const createRootLookup = async (authority: StoredAuthority): Promise<(root: string) => Promise<boolean>> => {
  const fingerprints = new Set([...(authority.dropped ?? []), ...(await Promise.all(trustedRoots(authority).map(fingerprintIn)))]);
  return async (root) => fingerprints.has(await fingerprintIn(root));
};

/** Checks an authority before it is stored: a network with an unusable authority would not work. */
const importAuthority = async ({ root, signer, server }: FormerAuthority, issuing: IssueContext) => {
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
  // Clients may not have the root of an adopted signer, because former controllers distributed the signer as an anchor.
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

/** The certificates whose expiry operators must observe. Retired ones need no action. */
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
const logChange = async ({ logger, clock }: AuthorityStore, before: StoredAuthority, after: StoredAuthority): Promise<void> => {
  if (!logger) return;
  if (after.next && !before.next)
    logger.info('the network has a new root: it is distributed to clients and routers before it signs', {
      root: await subjectIn(after.next.root?.cert),
      signsFrom: isoTime(after.next.from),
    });
  if (before.next && !after.next)
    logger.info('the new root now signs certificates; earlier certificates remain trusted until they have expired', {
      root: await subjectIn(after.root?.cert),
    });
  const roots = trustedRoots(after);
  for (const root of trustedRoots(before).filter((one) => !roots.includes(one)))
    logger.info('a root is no longer trusted: all certificates below it have expired', { root: await subjectIn(root) });
  if (before.adoptedServer && !after.adoptedServer)
    logger.info('the adopted server certificate expires soon, and was replaced by one that the signer issued', {
      endsAt: isoTime((await notAfterOf(before.server)) || clock.now()),
    });
};
