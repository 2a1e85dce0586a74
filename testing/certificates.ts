import { type Certificate, certificatesPem, readCertificates } from '../src/crypto/pki/certificate.ts';
import { writePem } from '../src/crypto/pki/pem.ts';
import { x509 } from '../src/crypto/pki/x509.ts';

/** A client certificate with its private key and its issuing certificates. */
export interface TestCertificate {
  /** The certificate in PEM. */
  readonly cert: string;
  /** The private key: PKCS#8 in PEM. */
  readonly key: string;
  /** The certificate chain in PEM, leaf first, without the root: for the option `cert` of Node's TLS. */
  readonly chain: string;
  /** The same chain in DER, for `presence.connect`. */
  readonly certificates: readonly Uint8Array[];
}

export const testCertificate = (chain: readonly Pick<Certificate, 'der'>[], key: string): TestCertificate => ({
  cert: certificatesPem(chain.slice(0, 1)),
  key,
  chain: certificatesPem(chain),
  certificates: chain.map(({ der }) => der),
});

/**
 * Combines a key with the chain that an enrollment returned.
 * @param pem the chain, leaf first
 */
export const issuedCertificate = async (pem: string, key: string): Promise<TestCertificate> => {
  const { value, fault } = await readCertificates(pem);
  if (fault) throw new TypeError(`the enrollment returned no certificates in PEM: ${fault}`);
  return testCertificate(value, key);
};

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Creates a P-256 key and a certificate signing request (PKCS#10) for it, both in PEM.
 * @param dnsNames subject alternative names
 */
export const newCsr = async (
  commonName: string,
  ...dnsNames: readonly string[]
): Promise<{ readonly csr: string; readonly key: string }> => {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await x509();
  const names = dnsNames.map((value) => ({ type: 'dns', value }) as const);
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const { rawData } = await Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: P256,
    extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)],
  });
  return {
    csr: writePem('CERTIFICATE REQUEST', new Uint8Array(rawData)),
    key: writePem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', keys.privateKey))),
  };
};
