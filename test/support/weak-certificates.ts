import assert from 'node:assert/strict';
import type { webcrypto } from 'node:crypto';
import { type Certificate, readCertificate } from '../../src/crypto/pki/certificate.ts';
import { writePem } from '../../src/crypto/pki/pem.ts';
import { x509 } from '../../src/crypto/pki/x509.ts';
import { NOW, P256 } from './pki.ts';

export type Algorithm = Readonly<Record<string, unknown>> & { readonly name: string };

/** A certificate with the key and the signature that are asked for, whatever they are good for. */
export interface Made {
  readonly certificate: Certificate;
  readonly cert: string;
  readonly privateKey: webcrypto.CryptoKey;
  readonly algorithm: Algorithm;
}
const HOUR = 3_600_000;
export const sha1 = (algorithm: Algorithm): Algorithm => ({ ...algorithm, hash: 'SHA-1' });

export const made = async (
  name: string,
  { algorithm = P256, by, isCa = false }: { readonly algorithm?: Algorithm; readonly by?: Made | undefined; readonly isCa?: boolean } = {},
): Promise<Made> => {
  const { X509CertificateGenerator, BasicConstraintsExtension } = await x509();
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair; // signing keys are pairs
  const { rawData } = await X509CertificateGenerator.create({
    serialNumber: '01',
    subject: `CN=${name}`,
    issuer: by ? by.certificate.subject : `CN=${name}`,
    notBefore: new Date(NOW - HOUR),
    notAfter: new Date(NOW + HOUR),
    publicKey: keys.publicKey,
    signingKey: by?.privateKey ?? keys.privateKey,
    signingAlgorithm: (by?.algorithm ?? algorithm) as never, // the library's type has no room for a hash
    extensions: isCa ? [new BasicConstraintsExtension(true, undefined, true)] : [],
  });
  const der = new Uint8Array(rawData);
  const certificate = await readCertificate(der);
  assert.ok(certificate);
  return { certificate, cert: writePem('CERTIFICATE', der), privateKey: keys.privateKey, algorithm };
};

/** The same authority, which signs in another way. */
export const signing = (by: Made, algorithm: Algorithm): Made => ({ ...by, algorithm });
