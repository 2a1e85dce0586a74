import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SubjectAlternativeNameExtension, X509Certificate } from '@peculiar/x509';
import { countElements } from './der.ts';
import { isOneSequence, MAX_DER, type PemFault, type Reading, readPem, writePem } from './pem.ts';
import { x509 } from './x509.ts';

/** Subject alternative names (RFC 5280, section 4.2.1.6), each list in the order of the certificate. */
export interface AlternativeNames {
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** A parsed certificate (RFC 5280). It is trusted only once `validateChain` has succeeded. */
export interface Certificate extends AlternativeNames {
  readonly der: Uint8Array<ArrayBuffer>;
  /** SHA-1 of the DER in lower-case hex. Only an identifier: security must not depend on it. */
  readonly fingerprint: string;
  /** E.g. `CN=ann, O=us`. */
  readonly subject: string;
  /** Undefined if there is no common name, or more than one. */
  readonly commonName: string | undefined;
  /** ms since 1970 */
  readonly notBefore: number;
  /** ms since 1970 */
  readonly notAfter: number;
  readonly isCa: boolean;
  /** Maximum number of authorities between this one and a leaf; undefined for no limit. */
  readonly pathLength: number | undefined;
  /** Flags of `KeyUsage`; undefined if the extension is absent. */
  readonly keyUsage: number | undefined;
  /** OIDs; undefined if the extension is absent. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** DER of the subject in hex, which links a certificate to those that it issued. */
  readonly subjectKey: string;
  /** DER of the issuer's name in hex. */
  readonly issuerKey: string;
  readonly subjectKeyId: string | undefined;
  readonly authorityKeyId: string | undefined;
  /** OIDs of critical extensions that are not supported. */
  readonly unknownCritical: readonly string[];
  /**
   * The library's object, for signatures. Internal, because the library's types require those of browsers.
   * @internal
   */
  readonly parsed: X509Certificate;
}

/** Flags of key usage (RFC 5280, section 4.2.1.3). */
export const KeyUsage = {
  digitalSignature: 1,
  keyEncipherment: 4,
  dataEncipherment: 8,
  keyAgreement: 16,
  keyCertSign: 32,
  cRLSign: 64,
} as const;

export const Eku = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2', any: '2.5.29.37.0' } as const;

const LABELS = ['CERTIFICATE'];

/** Maximum number of certificates above a leaf, or in a PEM text. */
export const MAX_CHAIN = 10;

/** Maximum number of certificates in a presented chain, including the leaf. */
export const MAX_PRESENTED = MAX_CHAIN + 1;

/**
 * Maximum number of elements (X.690) in a certificate, a request or a presented chain. The library takes about 50 microseconds per element,
 * and a typical certificate has around a hundred. This also limits names, extensions and key usages.
 */
export const MAX_ELEMENTS = 1000;

/** @returns undefined if the DER is not a certificate */
export const readCertificate = async (der: Uint8Array): Promise<Certificate | undefined> => {
  if (der.length > MAX_DER || !isOneSequence(der) || countElements(der, MAX_ELEMENTS) > MAX_ELEMENTS) return undefined;
  const library = await x509();
  const copy = new Uint8Array(der);
  try {
    return certificateOf(library, new library.X509Certificate(copy), copy);
  } catch {
    return undefined; // the library throws all kinds of errors for invalid bytes
  }
};

/** Reads the certificates of a PEM text, in order: one to `max`. */
export const readCertificates = async (pem: string, max = MAX_CHAIN): Promise<Reading<readonly Certificate[], PemFault>> => {
  const { value: blocks, fault } = readPem(pem, { labels: LABELS, maxBlocks: max });
  if (fault) return { fault };
  if (elementsOf(blocks) > Math.max(MAX_ELEMENTS, max * (MAX_ELEMENTS / MAX_CHAIN))) return { fault: 'tooLarge' };
  const certificates = await Promise.all(blocks.map(readCertificate));
  return certificates.every((certificate) => certificate !== undefined) ? { value: certificates } : { fault: 'malformed' };
};

/** The total number of elements. Invalid DER counts as zero, because it will not be parsed. */
export const elementsOf = (ders: readonly Uint8Array[]): number =>
  ders
    .map((der) => countElements(der, MAX_ELEMENTS))
    .filter(Number.isFinite)
    .reduce((sum, count) => sum + count, 0);

/** Encodes certificates in PEM, concatenated. */
export const certificatesPem = (certificates: readonly Pick<Certificate, 'der'>[]): string =>
  certificates.map(({ der }) => writePem('CERTIFICATE', der)).join('');

/** True if a PEM text begins with exactly this certificate. Compares the DER, because SHA-1 fingerprints can collide. */
export const beginsWith = (pem: string, { der }: Pick<Certificate, 'der'>): boolean => {
  const { value: [first] = [] } = readPem(pem, { labels: LABELS, maxBlocks: MAX_CHAIN });
  return first?.length === der.length && first.every((byte, i) => byte === der[i]);
};

/** SHA-1 in lower-case hex. */
export const fingerprintOf = (der: Uint8Array): string => bytesToHex(sha1(der));

type Library = Awaited<ReturnType<typeof x509>>;

/** Extensions that `certificateOf` reads, or that may be ignored, such as certificate policies. */
const SUPPORTED = ['2.5.29.14', '2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.32', '2.5.29.35', '2.5.29.37'];

/** @throws TypeError, and errors of the library, for an invalid certificate */
const certificateOf = (library: Library, parsed: X509Certificate, der: Uint8Array<ArrayBuffer>): Certificate => {
  const types = parsed.extensions.map(({ type }) => type);
  if (new Set(types).size < types.length) throw new TypeError('an extension occurs twice');
  const constraints = parsed.getExtension(library.BasicConstraintsExtension);
  const usages = parsed.getExtension(library.ExtendedKeyUsageExtension)?.usages;
  const commonNames = parsed.subjectName.getField('CN');
  const certificate: Certificate = {
    der,
    fingerprint: fingerprintOf(der),
    subject: parsed.subject,
    commonName: commonNames.length === 1 ? commonNames[0] : undefined,
    notBefore: parsed.notBefore.getTime(),
    notAfter: parsed.notAfter.getTime(),
    isCa: constraints?.ca ?? false,
    pathLength: constraints?.pathLength,
    keyUsage: parsed.getExtension(library.KeyUsagesExtension)?.usages,
    extendedKeyUsage: usages && Array.from(usages, String), // the library uses its own list class
    ...alternativeNames(parsed.getExtension(library.SubjectAlternativeNameExtension)),
    subjectKey: hexOf(parsed.subjectName.toArrayBuffer()),
    issuerKey: hexOf(parsed.issuerName.toArrayBuffer()),
    subjectKeyId: parsed.getExtension(library.SubjectKeyIdentifierExtension)?.keyId,
    authorityKeyId: parsed.getExtension(library.AuthorityKeyIdentifierExtension)?.keyId,
    unknownCritical: parsed.extensions.filter(({ critical, type }) => critical && !SUPPORTED.includes(type)).map(({ type }) => type),
    parsed,
  };
  const { commonName = '', uris, emails, dnsNames } = certificate;
  // A name that contains U+0000 is ambiguous: some software reads it completely, and some only up to that character.
  if ([commonName, ...uris, ...emails, ...dnsNames].some((name) => name.includes('\0') || !name.isWellFormed()))
    throw new TypeError('a name contains U+0000 or an unpaired surrogate');
  if (Number.isNaN(certificate.notBefore) || Number.isNaN(certificate.notAfter))
    throw new TypeError('the certificate has no validity dates');
  return certificate;
};

/**
 * The names in the extension, if it exists.
 * @internal
 */
export const alternativeNames = (extension: SubjectAlternativeNameExtension | null | undefined): AlternativeNames => {
  const named = (type: string) => (extension?.names.items ?? []).filter((name) => name.type === type).map(({ value }) => value);
  return { uris: named('url'), emails: named('email'), dnsNames: named('dns'), ipAddresses: named('ip') };
};

const hexOf = (bytes: ArrayBuffer): string => bytesToHex(new Uint8Array(bytes));
