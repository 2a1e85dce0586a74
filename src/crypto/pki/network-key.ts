import { boundedTextCache } from '../../runtime/platform/bounded-cache.ts';
import { type Certificate, readCertificates } from './certificate.ts';
import { pemFaultText } from './faults.ts';
import { keyHolder } from './keys.ts';

/** A certificate and its private key in PEM. Other certificates may follow the first one. */
export interface KeyPair {
  /** PKCS#8. */
  readonly key: string;
  readonly cert: string;
}

/** Signs the network's JWTs with the key of the server certificate, which clients see when they connect. */
export interface NetworkKey {
  /** The server certificate. */
  readonly certificate: Certificate;
  /** Fingerprint of the certificate. */
  readonly kid: string;
  /** Signs the claims as a JWT (RFC 7519), with the `alg` for the type of the key. */
  sign(claims: Claims): Promise<string>;
  /** Returns the claims of a JWT if this key signed it for the audience and it is valid now; otherwise undefined. */
  verify(jwt: string, expected: Expected): Promise<Claims | undefined>;
}

type Claims = Readonly<Record<string, unknown>>;
interface Expected {
  readonly audience: string;
  /** ms since 1970 */
  readonly now: number;
}

/** Limits of the cache of verified JWTs: routers present the same JWT for each circuit of a client. */
const MAX_VERIFIED = { entries: 5000, characters: 8_388_608 };

/** @throws TypeError for an invalid certificate or key, or a key that does not match the certificate */
export const openNetworkKey = async ({ key: pem, cert }: KeyPair): Promise<NetworkKey> => {
  const { value: [certificate] = [], fault = 'noPem' } = await readCertificates(cert);
  if (!certificate) throw new TypeError(`the server's certificate must be in PEM: ${pemFaultText(fault)}`);
  const { algorithm, key } = await keyHolder(pem, certificate);
  const { SignJWT } = await import('jose/jwt/sign');
  /** Imported once, because importing the certificate's key takes longer than a signature. */
  let publicKey: Promise<typeof key> | undefined;
  /** The claims of JWTs that this key has signed. Expiry and audience are checked on each use. */
  const verifiedClaims = boundedTextCache<Claims>(MAX_VERIFIED);
  const verifySignature = async (jwt: string): Promise<Claims | undefined> => {
    const { compactVerify } = await import('jose/jws/compact/verify');
    publicKey ??= certificate.parsed.publicKey.export(algorithm, ['verify']);
    try {
      const { payload } = await compactVerify(jwt, await publicKey, { algorithms: [algorithm.jose] });
      const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
      if (!isObject(claims)) return undefined;
      verifiedClaims.set(jwt, claims);
      return claims;
    } catch {
      return undefined;
    }
  };
  const header = { alg: algorithm.jose, kid: certificate.fingerprint, typ: 'JWT' };
  return {
    certificate,
    kid: certificate.fingerprint,
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(key),
    verify: async (jwt, expected) => {
      const claims = verifiedClaims.get(jwt) ?? (await verifySignature(jwt));
      return claims && areValid(claims, expected) ? claims : undefined;
    },
  };
};

const isObject = (value: unknown): value is Claims => typeof value === 'object' && value !== null;

/** True if claims are for this audience and valid at this time (RFC 7519, sections 4.1.3 to 4.1.5). */
const areValid = ({ aud, exp, nbf }: Claims, { audience, now }: Expected): boolean => {
  const seconds = now / 1000;
  const isBegun = nbf === undefined || (typeof nbf === 'number' && nbf <= seconds);
  return [aud].flat().includes(audience) && typeof exp === 'number' && exp > seconds && isBegun;
};
