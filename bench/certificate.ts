import 'reflect-metadata'; // required by the certificate library, before it is imported
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A temporary server certificate for the loopback address, EC P-256. */
export const selfSigned = async (): Promise<{ key: string; cert: string }> => {
  x509.cryptoProvider.set(webcrypto as unknown as typeof globalThis.crypto); // Node's type differs from the web's, but the object is the same
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`, cert: certificate.toString('pem') };
};
