import { readAuthorityCertificates } from './authority-text.ts';
import type { Certificate } from './certificate.ts';

/** The role of a certificate of an authority. */
export type CertificateRole =
  /** Signs the certificates of clients and routers. */
  | 'signer'
  /** Links the certificate of the signer or of the server to a root. */
  | 'intermediate'
  /** Is trusted by clients. */
  | 'root'
  /** Is presented by servers. */
  | 'server'
  /** Is presented by servers to clients that request one of its names. */
  | 'alternative';

/** The end of the validity of a certificate of an authority. */
export interface CertificateEnd {
  readonly role: CertificateRole;
  /** E.g. `CN=signer, O=us`. */
  readonly subject: string;
  readonly endsAt: Date;
}

/** The certificates of an authority in PEM. Keys are not needed. */
export interface AuthorityCertificates {
  /** The signer's certificate, followed by its issuers. */
  readonly signer: { readonly certificates: string };
  readonly roots: string;
  /** The server's certificate, followed by its issuers. */
  readonly server?: { readonly cert: string } | undefined;
  readonly alternatives?: readonly { readonly cert: string }[] | undefined;
}

/**
 * The end of the validity of each certificate of an authority, earliest first, without duplicates.
 *
 * ```ts
 * const [first] = await certificateEnds({ signer: { certificates }, roots });
 * ```
 * @throws TypeError if a text does not consist of certificates in PEM
 */
export const certificateEnds = async (authority: AuthorityCertificates): Promise<readonly CertificateEnd[]> => {
  const { signer, roots, server, alternatives = [] } = authority;
  const chains = await Promise.all([
    chainOf('signer', signer.certificates),
    ...(server ? [chainOf('server', server.cert)] : []),
    ...alternatives.map(({ cert }) => chainOf('alternative', cert)),
  ]);
  // A certificate with several roles is listed under the first of them.
  const all: readonly CertificateWithRole[] = [
    ...(await certificatesOf(roots)).map((certificate) => ({ role: 'root' as const, certificate })),
    ...chains.flatMap((chain) => chain.slice(0, 1)),
    ...chains.flatMap((chain) => chain.slice(1)),
  ];
  const unique = all.filter(
    ({ certificate: { fingerprint } }, i) => all.findIndex((other) => other.certificate.fingerprint === fingerprint) === i,
  );
  return unique
    .map(({ role, certificate: { subject, notAfter } }) => ({ role, subject, endsAt: new Date(notAfter) }))
    .sort((a, b) => a.endsAt.getTime() - b.endsAt.getTime());
};

interface CertificateWithRole {
  readonly role: CertificateRole;
  readonly certificate: Certificate;
}

const chainOf = async (role: CertificateRole, pem: string): Promise<readonly CertificateWithRole[]> =>
  (await certificatesOf(pem)).map((certificate, i) => ({ role: i === 0 ? role : 'intermediate', certificate }));

const certificatesOf = (pem: string): Promise<readonly Certificate[]> =>
  readAuthorityCertificates('an authority consists of certificates in PEM', pem);
