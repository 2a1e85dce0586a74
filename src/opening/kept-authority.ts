import type { EntitiesContext } from '../entities/entities.ts';
import { upToDateKeptSecret } from '../entities/kept-secrets.ts';
import { newRoot, newServerCertificate, newSigner } from '../pki/authority.ts';
import { readCertificates } from '../pki/certificate.ts';
import type { KeyPair } from '../pki/network-key.ts';
import type { PkiSources } from '../pki/pki.ts';
import { openSigner } from '../pki/signer.ts';
import { DAY, YEAR } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Store } from '../storage/port.ts';

/** The controller's own authority: the root, kept for renewals; the signer of certificates below it; and the network key, which signs JWTs. */
interface OwnAuthority {
  readonly root: KeyPair;
  readonly signer: KeyPair;
  /** The network key with its own certificate, for hosts that supply no server certificate. */
  readonly server: KeyPair;
  /** When to renew the signer. ms */
  readonly renewAt: number;
  /** Additional roots that clients of the network trust, from former authorities. */
  readonly further?: readonly KeyPair[];
}

/** An authority from outside the store. The root is required; other missing parts are created. */
export interface FormerAuthority {
  readonly root: KeyPair;
  readonly signer?: KeyPair | undefined;
  /** A server's certificate, whose key signed the JWTs. */
  readonly server?: KeyPair | undefined;
}

/** The authority as the store keeps it. */
export interface KeptAuthority extends PkiSources {
  /** The first one signs. */
  readonly roots: readonly KeyPair[];
  /** The network key, with a certificate. */
  readonly networkKey: KeyPair;
}

const ID = 'authority';
/** Half of the lifetime of a signer: the other half is for the certificates that it signed. ms */
const RENEW_AFTER = 5 * YEAR;
/** How long before its expiry a signer is renewed at the latest, because it issues certificates that are valid for a year. ms */
const LAST_RENEWAL = 400 * DAY;

/**
 * The authority of a controller whose host supplies none: created with a new network and kept in the store, sealed. It is ready before the first
 * call, so that no call needs an extra transaction for it. If several controllers create or renew it at the same time, the first one wins.
 * @param former becomes the authority of a network that has none; otherwise the root of `former` is trusted, too
 * @throws TypeError if `former` is inconsistent; nothing is stored then
 */
export const keptAuthority = async (
  store: Store,
  secrets: Secrets,
  clock: Clock,
  context: EntitiesContext,
  former?: FormerAuthority,
): Promise<KeptAuthority> => {
  const issuing = { random: context.random, now: clock.now() };
  return sourcesOf(await upToDateKeptSecret<OwnAuthority>(store, secrets, context, ID, (current) => dueChange(current, former, issuing)));
};

type IssueContext = Pick<EntitiesContext, 'random'> & { readonly now: number };

/** @returns the new authority; undefined if it does not change */
const dueChange = async (
  current: OwnAuthority | undefined,
  former: FormerAuthority | undefined,
  issuing: IssueContext,
): Promise<OwnAuthority | undefined> => {
  if (!current) return former ? adopted(former, issuing) : renewed(await newRoot(issuing), undefined, issuing);
  if (former && !rootsOf(current).some(({ cert }) => cert === former.root.cert)) {
    const { root } = await adopted(former, issuing);
    return { ...current, further: [...(current.further ?? []), root] };
  }
  return current.renewAt > issuing.now ? undefined : { ...current, ...(await renewed(current.root, current.server, issuing)) };
};

const renewed = async (root: KeyPair, server: KeyPair | undefined, issuing: IssueContext): Promise<OwnAuthority> => ({
  root,
  signer: await newSigner(root, issuing),
  server: server ?? (await newServerCertificate(root, [], issuing)),
  renewAt: issuing.now + RENEW_AFTER,
});

/** Tests an authority before it is stored, because a network with an unusable authority would be useless. */
const adopted = async ({ root, signer, server }: FormerAuthority, issuing: IssueContext): Promise<OwnAuthority> => {
  const like = server ? { like: server } : {};
  const authority = await renewed(root, await newServerCertificate(root, [], { ...issuing, ...like }), issuing);
  if (!signer) return authority;
  await openSigner({ certificates: signer.cert, anchors: root.cert, key: signer.key });
  const { value: [certificate] = [] } = await readCertificates(signer.cert);
  return { ...authority, signer, renewAt: (certificate?.notAfter ?? 0) - LAST_RENEWAL };
};

const rootsOf = ({ root, further = [] }: OwnAuthority): readonly KeyPair[] => [root, ...further];

const sourcesOf = (authority: OwnAuthority): KeptAuthority => {
  const { signer, server } = authority;
  const roots = rootsOf(authority);
  const anchors = roots.map(({ cert }) => cert).join('');
  return {
    signer: () => ({ certificates: signer.cert, anchors, key: signer.key }),
    serverCertificate: () => server,
    roots,
    networkKey: server,
  };
};
