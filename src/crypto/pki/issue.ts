import { bytesToHex } from '@noble/hashes/utils.js';
import type { Extension, JsonName, Name } from '@peculiar/x509';
import { HOUR, MINUTE, YEAR } from '../../runtime/platform/clock.ts';
import type { Random } from '../../runtime/platform/platform.ts';
import { type AlternativeNames, type Certificate, Eku, KeyUsage, readCertificate } from './certificate.ts';
import type { Key, KeyHolder } from './keys.ts';
import type { CertificateRequest } from './request.ts';
import { x509 } from './x509.ts';

/** The content of a new certificate. */
export interface Profile {
  readonly subject: Name | JsonName;
  /** The public key of the subject: DER, or a key of Web Crypto. */
  readonly publicKey: ArrayBuffer | Key;
  /** ms since 1970 */
  readonly notBefore: number;
  /** ms since 1970. A certificate ends with its issuer at the latest. */
  readonly notAfter: number;
  /** Flags of `KeyUsage`. */
  readonly keyUsage: number;
  /** OIDs. */
  readonly extendedKeyUsage?: readonly string[];
  readonly names?: Partial<AlternativeNames>;
  /** Makes the certificate an authority, with at most this many levels of authorities below it. */
  readonly pathLength?: number | undefined;
}

/** The issuer: an authority, or the subject itself. */
export type Issuer = { readonly holder: KeyHolder } & ({ readonly certificate: Certificate } | { readonly selfSigned: true });

type Library = Awaited<ReturnType<typeof x509>>;

/**
 * Issues an X.509 v3 certificate.
 * @throws TypeError if the issuer's certificate expires before this one would become valid
 */
export const issue = async (profile: Profile, issuer: Issuer, random: Random): Promise<Certificate> => {
  const library = await x509();
  const issuerCertificate = 'certificate' in issuer ? issuer.certificate : undefined;
  if (issuerCertificate && issuerCertificate.notAfter <= profile.notBefore)
    throw new TypeError(`the certificate of ${issuerCertificate.subject} has expired and cannot issue certificates`);
  const { algorithm } = issuer.holder;
  const { rawData } = await library.X509CertificateGenerator.create(
    {
      serialNumber: newSerial(random),
      subject: profile.subject,
      issuer: issuerCertificate ? issuerCertificate.parsed.subjectName : profile.subject,
      notBefore: new Date(profile.notBefore),
      notAfter: new Date(Math.min(profile.notAfter, issuerCertificate?.notAfter ?? Number.POSITIVE_INFINITY)),
      publicKey: profile.publicKey,
      signingAlgorithm: algorithm,
      signingKey: { algorithm } as unknown as Key, // the library reads its algorithm, and passes it to `sign` below
      extensions: await extensionsOf(library, profile, issuerCertificate),
    },
    cryptoOf(issuer.holder),
  );
  const certificate = await readCertificate(new Uint8Array(rawData));
  if (!certificate) throw new TypeError('the issued certificate cannot be parsed');
  return certificate;
};

/**
 * The subset of Web Crypto that the library uses, with signing delegated to the key holder, because the key may be in an HSM or a remote
 * service.
 */
const cryptoOf = ({ sign }: KeyHolder): typeof crypto => {
  const subtle = {
    sign: (_algorithm: unknown, _key: unknown, bytes: ArrayBuffer) => sign(new Uint8Array(bytes)),
    exportKey: (format: 'spki', key: Key) => crypto.subtle.exportKey(format, key),
  };
  return { subtle } as unknown as typeof crypto; // the library uses nothing else to issue a certificate with a given serial number
};

const extensionsOf = async (library: Library, profile: Profile, issuerCertificate: Certificate | undefined): Promise<Extension[]> => {
  const { keyUsage, extendedKeyUsage = [], names = {}, pathLength, publicKey } = profile;
  const isCa = pathLength !== undefined;
  const alternatives = [
    ...(names.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(names.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(names.emails ?? []).map((value) => ({ type: 'email' as const, value })),
    ...(names.uris ?? []).map((value) => ({ type: 'url' as const, value })),
  ];
  return [
    ...(isCa ? [new library.BasicConstraintsExtension(true, pathLength, true)] : []),
    new library.KeyUsagesExtension(keyUsage, true),
    ...(extendedKeyUsage.length > 0 ? [new library.ExtendedKeyUsageExtension([...extendedKeyUsage])] : []),
    ...(alternatives.length > 0 ? [new library.SubjectAlternativeNameExtension(alternatives)] : []),
    ...(isCa ? [await library.SubjectKeyIdentifierExtension.create(publicKey)] : []),
    ...(issuerCertificate ? [await authorityKeyId(library, issuerCertificate)] : []),
  ];
};

/** The authority key identifier: the issuer's subject key identifier, or else one computed from its key. */
const authorityKeyId = ({ AuthorityKeyIdentifierExtension }: Library, { subjectKeyId, parsed }: Certificate) =>
  subjectKeyId === undefined ? AuthorityKeyIdentifierExtension.create(parsed.publicKey) : new AuthorityKeyIdentifierExtension(subjectKeyId);

/**
 * 16 random bytes (RFC 5280, section 4.1.2.2). The first bit is 0, so that the number is positive; the second is 1, so that its encoding
 * always has 16 bytes.
 */
const newSerial = (random: Random): string => {
  const bytes = random.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytesToHex(bytes);
};

const LEAF_USAGE = KeyUsage.digitalSignature | KeyUsage.keyEncipherment | KeyUsage.dataEncipherment;

type Requested = Pick<CertificateRequest, 'publicKey'> & Pick<Profile, 'subject'>;
type Names = Partial<AlternativeNames>;

/**
 * The profile of client certificates: valid for a year, starting a minute ago for clocks that are behind. Names in the request are copied
 * only if they are passed here.
 */
export const clientProfile = ({ subject, publicKey }: Requested, now: number, names: Names = {}): Profile => ({
  subject,
  publicKey,
  notBefore: now - MINUTE,
  notAfter: now + YEAR,
  keyUsage: LEAF_USAGE,
  extendedKeyUsage: [Eku.clientAuth],
  names,
});

/** The profile of routers' server certificates, with their names and addresses. */
export const serverProfile = (request: Requested, now: number, names: Names): Profile => ({
  ...clientProfile(request, now, names),
  extendedKeyUsage: [Eku.serverAuth],
});

/**
 * The profile of certificates for an API session, with the session as the only alternative name.
 * @param lifetime in ms. Default: twelve hours
 */
export const sessionProfile = (request: Requested, now: number, uri: string, lifetime = 12 * HOUR): Profile => ({
  ...clientProfile(request, now, { uris: [uri] }),
  notBefore: now,
  notAfter: now + lifetime,
});
