import type { webcrypto } from 'node:crypto';
import type { JsonGeneralNames, JsonName } from '@peculiar/x509';
import { type Certificate, certificatesPem, Eku, fingerprintOf, KeyUsage } from '../../src/crypto/pki/certificate.ts';
import { issue, type Profile } from '../../src/crypto/pki/issue.ts';
import { type KeyHolder, newKeyPair } from '../../src/crypto/pki/keys.ts';
import { writePem } from '../../src/crypto/pki/pem.ts';
import type { PkiOptions } from '../../src/crypto/pki/pki.ts';
import { x509 } from '../../src/crypto/pki/x509.ts';
import { webRandom } from '../../src/runtime/platform/web.ts';

/** When the clocks of tests stand still. */
export const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const DAY = 86_400_000;

/** Somebody with a certificate and its key. */
export interface Party {
  readonly certificate: Certificate;
  /** PEM of the certificate. */
  readonly cert: string;
  /** PKCS#8 in PEM. */
  readonly key: string;
  readonly holder: KeyHolder;
}

export type PartyOptions = Partial<Omit<Profile, 'publicKey'>> & {
  /** Default: signs itself. */
  readonly by?: Pick<Party, 'certificate' | 'holder'>;
  /** Another's key in place of a new one. */
  readonly keys?: Awaited<ReturnType<typeof newKeyPair>>;
};

/** A certificate with a key of its own; `pathLength` makes it an authority. */
export const party = async (name: string, { by, keys, ...profile }: PartyOptions = {}): Promise<Party> => {
  const { publicKey, privateKey, holder } = keys ?? (await newKeyPair());
  const isCa = profile.pathLength !== undefined;
  const full: Profile = {
    subject: [{ CN: [name] }],
    publicKey,
    notBefore: NOW - DAY,
    notAfter: NOW + 365 * DAY,
    keyUsage: isCa ? KeyUsage.keyCertSign : KeyUsage.digitalSignature,
    ...(isCa ? {} : { extendedKeyUsage: [Eku.clientAuth] }),
    ...profile,
  };
  const certificate = await issue(full, by ?? { selfSigned: true, holder }, webRandom);
  return { certificate, cert: certificatesPem([certificate]), key: privateKey, holder };
};

export const authority = (name: string, options: PartyOptions = {}): Promise<Party> => party(name, { pathLength: 5, ...options });

/**
 * The authority and the server's certificate that the controllers of a test process share, unless a test says otherwise: made once, when
 * first needed.
 */
export const sharedPki = (() => {
  let made: Promise<{ readonly root: Party; readonly signer: Party; readonly server: Party }> | undefined;
  const make = async () => {
    const root = await authority('root', { notAfter: NOW + 3650 * DAY });
    const signer = await authority('signer', { by: root, pathLength: 0, notAfter: NOW + 3650 * DAY });
    const server = await party('server', { by: signer, names: { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] } });
    return { root, signer, server };
  };
  return () => (made ??= make());
})();

export const SHARED_PKI: PkiOptions = {
  pki: async () => {
    const { root, signer } = await sharedPki();
    return { certificates: signer.cert, anchors: root.cert, key: signer.key };
  },
  serverCertificate: async () => (await sharedPki()).server,
};

type KeyParameters = { readonly name: string } & Readonly<Record<string, unknown>>;

export const P256: KeyParameters = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const rsa = (modulusLength: number): KeyParameters => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength,
});

/** A request for a certificate in PEM, and its key as PKCS#8 in PEM. */
export const csr = async (
  subject: string | JsonName,
  {
    algorithm = P256,
    dnsNames = [],
    names = dnsNames.map((value) => ({ type: 'dns', value })),
  }: { readonly algorithm?: KeyParameters; readonly dnsNames?: readonly string[]; readonly names?: JsonGeneralNames } = {},
): Promise<{ readonly csr: string; readonly key: string; readonly der: Uint8Array }> => {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await x509();
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair; // signing keys are pairs;
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)],
  });
  const der = new Uint8Array(request.rawData);
  const key = writePem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', keys.privateKey)));
  return { csr: writePem('CERTIFICATE REQUEST', der), key, der };
};

/** A certificate with a key of any kind, which signs itself. */
export const certificateIn = async (algorithm: KeyParameters) => {
  const { X509CertificateGenerator } = await x509();
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair; // signing keys are pairs
  const made = await X509CertificateGenerator.createSelfSigned({ name: 'CN=any', keys, signingAlgorithm: algorithm as never });
  const der = new Uint8Array(made.rawData);
  return { cert: writePem('CERTIFICATE', der), fingerprint: fingerprintOf(der), privateKey: keys.privateKey };
};

/** PEM of a root that has an extension beside those of every authority. */
export const rootWith = async ({ oid, isCritical, hex }: { readonly oid: string; readonly isCritical: boolean; readonly hex: string }) => {
  const { BasicConstraintsExtension, Extension, KeyUsagesExtension, X509CertificateGenerator } = await x509();
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { rawData } = await X509CertificateGenerator.createSelfSigned({
    name: `CN=root with ${oid}`,
    notBefore: new Date(NOW - DAY),
    notAfter: new Date(NOW + DAY),
    keys,
    signingAlgorithm: P256,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsage.keyCertSign, true),
      new Extension(oid, isCritical, Buffer.from(hex, 'hex')),
    ],
  });
  const key = writePem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', keys.privateKey)));
  return { cert: writePem('CERTIFICATE', new Uint8Array(rawData)), key };
};

/** Name constraints: only names below `example.test` (RFC 5280, 4.2.1.10). */
export const NAME_CONSTRAINTS = { oid: '2.5.29.30', hex: '3012a010300e820c6578616d706c652e74657374' };
