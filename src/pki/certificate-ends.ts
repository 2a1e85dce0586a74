import { authorityCertificates } from './authority-text.ts';
import type { Certificate } from './certificate.ts';

/** What a certificate of an authority is for. */
export type CertificateRole =
  /** It signs the certificates of clients and routers. */
  | 'signer'
  /** It stands between the signer, or the server, and a root. */
  | 'intermediate'
  /** Clients trust it. */
  | 'root'
  /** Servers present it. */
  | 'server'
  /** Servers present it to clients that ask for one of its names. */
  | 'alternative';

/** When a certificate of an authority ends. */
export interface CertificateEnd {
  readonly role: CertificateRole;
  /** E.g. `CN=signer, O=us`. */
  readonly subject: string;
  readonly endsAt: Date;
}

/** The certificates of an authority, in PEM; keys are not needed. */
export interface AuthorityCertificates {
  /** The signer's certificate, then those above it. */
  readonly signer: { readonly certificates: string };
  readonly roots: string;
  /** The server's certificate, then those above it. */
  readonly server?: { readonly cert: string } | undefined;
  readonly alternatives?: readonly { readonly cert: string }[] | undefined;
}

/**
 * When each certificate of an authority ends, earliest first; each certificate once.
 *
 * ```ts
 * const [first] = await certificateEnds({ signer: { certificates }, roots });
 * ```
 * @throws TypeError for a text that is not certificates in PEM
 */
export const certificateEnds = async (authority: AuthorityCertificates): Promise<readonly CertificateEnd[]> => {
  const { signer, roots, server, alternatives = [] } = authority;
  const chains = await Promise.all([
    chainOf('signer', signer.certificates),
    ...(server ? [chainOf('server', server.cert)] : []),
    ...alternatives.map(({ cert }) => chainOf('alternative', cert)),
  ]);
  const all: readonly RoleOfCertificate[] = [
    ...(await certificatesOf(roots)).map((certificate) => ({ role: 'root' as const, certificate })),
    ...chains.flatMap((chain) => chain.slice(0, 1)),
    ...chains.flatMap((chain) => chain.slice(1)),
  ];
  const unique = all.filter(
    ({ certificate: { fingerprint } }, i) => all.findIndex((one) => one.certificate.fingerprint === fingerprint) === i,
  );
  return unique
    .map(({ role, certificate: { subject, notAfter } }) => ({ role, subject, endsAt: new Date(notAfter) }))
    .sort((a, b) => a.endsAt.getTime() - b.endsAt.getTime());
};

interface RoleOfCertificate {
  readonly role: CertificateRole;
  readonly certificate: Certificate;
}

const chainOf = async (role: CertificateRole, pem: string): Promise<readonly RoleOfCertificate[]> =>
  (await certificatesOf(pem)).map((certificate, i) => ({ role: i === 0 ? role : 'intermediate', certificate }));

const certificatesOf = (pem: string): Promise<readonly Certificate[]> =>
  authorityCertificates('an authority consists of certificates in PEM', pem);
