import { type Certificate, certificatesPem, readCertificates } from '../src/pki/certificate.ts';
import { writePem } from '../src/pki/pem.ts';
import { x509 } from '../src/pki/x509.ts';

/** A client certificate with its key and the certificates above it. */
export interface TestCertificate {
  /** The certificate in PEM. */
  readonly cert: string;
  /** Its private key: PKCS#8 in PEM. */
  readonly key: string;
  /** The certificate and those above it in PEM, without the root: the option `cert` of Node's TLS. */
  readonly chain: string;
  /** The same in DER, leaf first: as `presence.connect` takes them. */
  readonly certificates: readonly Uint8Array[];
}

export const testCertificate = (chain: readonly Pick<Certificate, 'der'>[], key: string): TestCertificate => ({
  cert: certificatesPem(chain.slice(0, 1)),
  key,
  chain: certificatesPem(chain),
  certificates: chain.map(({ der }) => der),
});

/** @param pem as an enrollment answers it: the certificate, then those above it */
export const issuedCertificate = async (pem: string, key: string): Promise<TestCertificate> => {
  const { value, fault } = await readCertificates(pem);
  if (fault) throw new TypeError(`the enrollment gave no certificates in PEM: ${fault}`);
  return testCertificate(value, key);
};

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A new key on P-256, and a certificate request (PKCS#10) for it: both in PEM. @param dnsNames that are to stand beside the common name */
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
