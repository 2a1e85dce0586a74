import { keptSecret } from '../../contract/api/kept-secrets.ts';
import { CONTROLLER_ID, type KnownController, ROUTER_ADDRESS } from '../../contract/wire/known-controller.ts';
import { readAuthorityCertificates } from '../../crypto/pki/authority-text.ts';
import { type Certificate, certificatesPem } from '../../crypto/pki/certificate.ts';
import { validateChain } from '../../crypto/pki/chain.ts';
import { type KeyPair, openNetworkKey } from '../../crypto/pki/network-key.ts';
import { toPkcs8 } from '../../crypto/pki/private-key.ts';
import { openSigner } from '../../crypto/pki/signer.ts';
import type { Secrets } from '../../runtime/platform/secrets.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { sealKeptSecret } from '../../store/entities/kept-secrets.ts';
import { newServer, serverIssuerOf } from './server-issuers.ts';
import { AUTHORITY, type IssueContext, type StoredAuthority } from './stored-authority.ts';

/**
 * The authority of a network that another controller has run so far, taken over without the keys of its roots. Certificates and keys are in
 * PEM; keys may be PKCS#8, PKCS#1 or SEC 1.
 */
export interface AdoptedAuthority {
  /** The intermediate authority that signs the certificates of clients and routers. */
  readonly signer: {
    /** Its certificate, then those above it; roots may be missing. */
    readonly certificates: string;
    readonly key: string;
  };
  /** The roots that clients trust, also of unrelated authorities: that of the signer, and that of the server. */
  readonly roots: string;
  /** Trust domain of the SPIFFE ids in session certificates. Default: the SHA-1 fingerprint of the signer's root. */
  readonly trustDomain?: string | undefined;
  /**
   * The server certificate with its chain, and its key, which becomes the network key. Servers present it until 30 days before its end;
   * then the signer issues another one for the same names and key. Default: the signer issues one for a new key.
   */
  readonly server?: KeyPair | undefined;
  /**
   * The server certificate is presented at least until then, or until the day before its end: when the last outstanding enrollment expires.
   * ms since 1970
   */
  readonly keepServerUntil?: number | undefined;
  /**
   * The id and the address (`tls:HOST:PORT`) by which routers know the former controller. A controller at this address takes this id,
   * because routers that are running may ignore the sessions and services of a controller with another id. Default: the id of a controller
   * is its address.
   */
  readonly controller?: KnownController | undefined;
  /** Further server certificates with their chains, for clients that ask for one of their names (SNI). */
  readonly alternatives?: readonly KeyPair[] | undefined;
}

/** The authority, checked and sealed, ready to be stored. */
export interface PreparedAuthority {
  readonly sealed: string;
}

/**
 * Checks an authority, and seals it under the secret key of the network.
 * @throws TypeError if a text cannot be read, a key is not that of its certificate, or the signer or the server lead to none of the roots;
 * without keys
 */
export const prepareAuthority = async (
  authority: AdoptedAuthority,
  { secrets, ...context }: IssueContext & { readonly secrets: Secrets },
): Promise<PreparedAuthority> => ({
  sealed: await sealKeptSecret(secrets, AUTHORITY, JSON.stringify(await checkedAuthority(authority, context))),
});

/**
 * Stores an authority in a network that has none.
 * @throws TypeError if it has one
 */
export const insertAuthority = async (entities: Entities, { sealed }: PreparedAuthority): Promise<void> => {
  if (await entities.get(keptSecret, AUTHORITY)) throw new TypeError('the network already has an authority');
  await entities.insert(keptSecret, { id: AUTHORITY, sealed });
};

/** @throws TypeError as `prepareAuthority` */
export const checkedAuthority = async (adopted: AdoptedAuthority, context: IssueContext): Promise<StoredAuthority> => {
  const { trustDomain, keepServerUntil, controller } = adopted;
  if (controller && !(CONTROLLER_ID.test(controller.id) && ROUTER_ADDRESS.test(controller.address)))
    throw new TypeError('the controller of an adopted authority must be an id without control characters, and an address as tls:HOST:PORT');
  const roots = await certificatesOf('roots', adopted.roots);
  const above = await certificatesOf('signer', adopted.signer.certificates);
  const anchors = certificatesPem(roots);
  const signer = { key: toPkcs8(adopted.signer.key), cert: certificatesPem(above) };
  await openSigner({ certificates: signer.cert, anchors, key: signer.key });
  const root = (await anchorOf(above, roots)) ?? roots[0];
  const [server, ...alternatives] = await Promise.all(
    [...(adopted.server ? [adopted.server] : []), ...(adopted.alternatives ?? [])].map(checkedServer),
  );
  const own = adopted.server && server;
  // Nothing but clients that ask for their names see the alternatives, so these may be of public authorities.
  if (own && !(await anchorOf(await certificatesOf('server', own.cert), [...roots, ...above])))
    throw new TypeError('no chain leads from the server certificate to one of the roots: clients of the network would refuse it');
  const others = adopted.server ? alternatives : server ? [server, ...alternatives] : [];
  const stored = {
    signer,
    roots: [...new Set([...(root ? [root] : []), ...roots])].map((one) => certificatesPem([one])),
    renewAt: Number.MAX_SAFE_INTEGER,
    ...(trustDomain === undefined ? {} : { trustDomain }),
    ...(controller === undefined ? {} : { controller }),
    ...(others.length > 0 ? { alternatives: others } : {}),
  };
  if (own) return { ...stored, server: own, adoptedServer: { keepUntil: keepServerUntil ?? 0 } };
  return { ...stored, server: await newServer(await serverIssuerOf(stored, context.now), [], context) };
};

const checkedServer = async ({ key, cert }: KeyPair): Promise<KeyPair> => {
  const pair = { key: toPkcs8(key), cert: certificatesPem(await certificatesOf('server', cert)) };
  await openNetworkKey(pair);
  return pair;
};

/** The root to which a chain leads, whatever its dates. */
const anchorOf = async ([leaf, ...rest]: readonly Certificate[], anchors: readonly Certificate[]): Promise<Certificate | undefined> => {
  if (!leaf) return undefined;
  const { chain } = await validateChain(leaf, { anchors, intermediates: rest, now: 0, ignoreValidity: 'all' });
  return chain?.at(-1) ?? anchors.find(({ fingerprint }) => fingerprint === leaf.fingerprint);
};

const certificatesOf = (name: string, pem: string): Promise<readonly Certificate[]> =>
  readAuthorityCertificates(`the ${name} of an adopted authority must be certificates in PEM`, pem);
