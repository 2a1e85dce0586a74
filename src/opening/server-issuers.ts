/** What issues the certificates of servers, below a root that clients know. */
import { newServerCertificate } from '../pki/authority.ts';
import { firstCertificateIn } from '../pki/authority-text.ts';
import type { KeyPair } from '../pki/network-key.ts';
import { DAY } from '../platform/clock.ts';
import { type IssueContext, notAfterOf, type RetiredGeneration, type StoredAuthority } from './stored-authority.ts';

/** How long before its end an adopted server certificate is replaced. ms */
export const REPLACE_SERVER_BEFORE = 30 * DAY;

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
  [...(authority.retired ?? []).filter(({ serversUntil }) => serversUntil !== undefined), authority].flatMap(
    ({ root, signer, further = [], roots: [first] = [] }) => [
      ...(root ? [{ root: root.cert, issuer: root }] : []),
      ...further.map((one) => ({ root: one.cert, issuer: one })),
      ...(!root && signer && first !== undefined ? [{ root: first, issuer: signer }] : []),
    ],
  );

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

/** The oldest signer below whose root server certificates are still issued; undefined if that is the signer in use. */
export const signerOfServers = ({ retired = [] }: StoredAuthority): RetiredGeneration | undefined =>
  retired.find(({ serversUntil }) => serversUntil !== undefined);

/** The names, addresses and URIs of the certificate that belongs to the network key. */
export const serverNames = async ({ server }: Pick<StoredAuthority, 'server'>) => {
  const { dnsNames = [], ipAddresses = [], uris = [] } = (await firstCertificateIn(server.cert)) ?? {};
  return { names: [...dnsNames, ...ipAddresses], uris };
};

/** Until when servers present the adopted certificate. ms; undefined if there is none */
export const adoptedServerUntil = async ({ adoptedServer, server }: StoredAuthority): Promise<number | undefined> => {
  if (!adoptedServer) return undefined;
  const end = await notAfterOf(server);
  return Math.max(end - REPLACE_SERVER_BEFORE, Math.min(adoptedServer.keepUntil, end - DAY));
};
