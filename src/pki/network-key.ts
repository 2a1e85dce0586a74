import { type Certificate, readCertificates } from './certificate.ts';
import { keyHolder } from './keys.ts';

/** A certificate and its private key, in PEM; further certificates may follow the first. */
export interface KeyPair {
  /** PKCS#8. */
  readonly key: string;
  readonly cert: string;
}

/** What signs the network's JWTs: the key of the server's certificate, which clients see when they connect. */
export interface NetworkKey {
  /** The server's certificate. */
  readonly certificate: Certificate;
  /** Fingerprint of the certificate. */
  readonly kid: string;
  /** The claims as a signed JWT (RFC 7519), `alg` by the type of the key. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

/** @throws TypeError that says what does not fit */
export const openNetworkKey = async ({ key: pem, cert }: KeyPair): Promise<NetworkKey> => {
  const { value: [certificate] = [], fault } = await readCertificates(cert);
  if (!certificate) throw new TypeError(`the server's certificate must be in PEM: ${fault}`);
  const { algorithm, key } = await keyHolder(pem, certificate);
  const { SignJWT } = await import('jose/jwt/sign');
  const header = { alg: algorithm.jose, kid: certificate.fingerprint, typ: 'JWT' };
  return { certificate, kid: certificate.fingerprint, sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(key) };
};
