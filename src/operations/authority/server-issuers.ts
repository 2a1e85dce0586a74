/** The issuers of server certificates, below a root that clients know. */
import { newServerCertificate } from '../../crypto/pki/authority.ts';
import { readFirstCertificate } from '../../crypto/pki/authority-text.ts';
import type { KeyPair } from '../../crypto/pki/network-key.ts';
import { DAY } from '../../runtime/platform/clock.ts';
import { type IssueContext, notAfterOf, type RetiredGeneration, type StoredAuthority } from './stored-authority.ts';

/** Time before its expiry at which an adopted server certificate is replaced. ms */
export const REPLACE_SERVER_BEFORE = 30 * DAY;

/** An authority that can issue server certificates. */
export interface ServerIssuer {
  /** The root that anchors the certificates. PEM. */
  readonly root: string;
  readonly issuer: KeyPair;
}

/**
 * The authorities that can issue server certificates, the oldest trusted one first, because clients receive newer roots only when they
 * renew their certificates.
 */
export const serverIssuers = (authority: Partial<StoredAuthority>): readonly ServerIssuer[] =>
  [...(authority.retired ?? []).filter(({ serversUntil }) => serversUntil !== undefined), authority].flatMap(
    ({ root, signer, further = [], roots: [first] = [] }) => [
      ...(root ? [{ root: root.cert, issuer: root }] : []),
      ...further.map((one) => ({ root: one.cert, issuer: one })),
      ...(!root && signer && first !== undefined ? [{ root: first, issuer: signer }] : []),
    ],
  );

/**
 * The first issuer that does not expire soon, or else the one that expires last.
 * @throws TypeError if all have expired
 */
export const serverIssuerOf = async (authority: Partial<StoredAuthority>, now: number): Promise<ServerIssuer> => {
  const issuers = await Promise.all(serverIssuers(authority).map(async (one) => ({ ...one, end: await notAfterOf(one.issuer) })));
  const [last] = issuers.toSorted((a, b) => b.end - a.end);
  const found = issuers.find(({ end }) => end - now > REPLACE_SERVER_BEFORE) ?? last;
  if (!found || found.end <= now) throw new TypeError('the authority of the network has expired: it cannot issue certificates');
  return found;
};

/**
 * Issues a server certificate, followed by the intermediates.
 * @param like a certificate whose key and URIs to reuse
 */
export const newServer = async (
  { root, issuer }: ServerIssuer,
  names: readonly string[],
  issuing: IssueContext & { readonly like?: KeyPair; readonly uris?: readonly string[] },
): Promise<KeyPair> => {
  const { key, cert } = await newServerCertificate(issuer, names, issuing);
  return { key, cert: issuer.cert === root ? cert : cert + issuer.cert };
};

/** The oldest signer whose root still anchors new server certificates; undefined if it is the current signer. */
export const signerOfServers = ({ retired = [] }: StoredAuthority): RetiredGeneration | undefined =>
  retired.find(({ serversUntil }) => serversUntil !== undefined);

/** The names, addresses and URIs of the certificate that belongs to the network key. */
export const serverNames = async ({ server }: Pick<StoredAuthority, 'server'>) => {
  const { dnsNames = [], ipAddresses = [], uris = [] } = (await readFirstCertificate(server.cert)) ?? {};
  return { names: [...dnsNames, ...ipAddresses], uris };
};

/** When servers stop presenting the adopted certificate. ms since 1970; undefined if there is none */
export const adoptedServerUntil = async ({ adoptedServer, server }: StoredAuthority): Promise<number | undefined> => {
  if (!adoptedServer) return undefined;
  const end = await notAfterOf(server);
  return Math.max(end - REPLACE_SERVER_BEFORE, Math.min(adoptedServer.keepUntil, end - DAY));
};
