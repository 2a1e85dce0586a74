import { type Certificate, readCertificates } from './certificate.ts';
import { pemFaultText } from './faults.ts';
import { keyHolder } from './keys.ts';

/** A certificate and its private key, in PEM; further certificates may follow the first. */
export interface KeyPair {
  /** PKCS#8. */
  readonly key: string;
  readonly cert: string;
}

/** Signs the network's JWTs, with the key of the server's certificate, which clients see when they connect. */
export interface NetworkKey {
  /** The server's certificate. */
  readonly certificate: Certificate;
  /** Fingerprint of the certificate. */
  readonly kid: string;
  /** The claims as a signed JWT (RFC 7519), `alg` by the type of the key. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** The claims of a JWT that this key signed for this audience and that has not expired; undefined for anything else. `now`: ms since 1970. */
  verify(
    jwt: string,
    expected: { readonly audience: string; readonly now: number },
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** @throws TypeError that says what does not fit */
export const openNetworkKey = async ({ key: pem, cert }: KeyPair): Promise<NetworkKey> => {
  const { value: [certificate] = [], fault = 'noPem' } = await readCertificates(cert);
  if (!certificate) throw new TypeError(`the server's certificate must be in PEM: ${pemFaultText(fault)}`);
  const { algorithm, key } = await keyHolder(pem, certificate);
  const { SignJWT } = await import('jose/jwt/sign');
  /** Made once: reading the certificate's key takes longer than a signature. */
  let publicKey: Promise<typeof key> | undefined;
  const header = { alg: algorithm.jose, kid: certificate.fingerprint, typ: 'JWT' };
  return {
    certificate,
    kid: certificate.fingerprint,
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(key),
    verify: async (jwt, { audience, now }) => {
      const { jwtVerify } = await import('jose/jwt/verify');
      publicKey ??= certificate.parsed.publicKey.export(algorithm, ['verify']);
      const options = { algorithms: [algorithm.jose], audience, currentDate: new Date(now), requiredClaims: ['exp'] };
      return jwtVerify(jwt, await publicKey, options).then(
        ({ payload }) => payload,
        () => undefined,
      );
    },
  };
};
