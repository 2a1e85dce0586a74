/** Kinds of public keys that may sign tokens. */
export type KeyType = 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519';

/**
 * The algorithms of each kind of key (RFC 7518, section 3.1; RFC 8037). The key alone says which are possible, so that no token can choose one that
 * takes the key for something else; `none` and those of shared secrets (HS256, ...) are of no kind.
 */
const ALGORITHMS: Readonly<Record<KeyType, readonly string[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
};

export const algorithmsOf = (type: KeyType): readonly string[] => ALGORITHMS[type];
export const allows = (type: KeyType, algorithm: string): boolean => ALGORITHMS[type].includes(algorithm);

/** The kind of a key by its members `kty` and `crv` (RFC 7517, RFC 7518); undefined for those that sign no tokens here. */
export const keyTypeOf = (kty: unknown, crv: unknown): KeyType | undefined => {
  if (kty === 'RSA') return 'RSA';
  if (kty === 'EC') return crv === 'P-256' || crv === 'P-384' || crv === 'P-521' ? crv : undefined;
  return kty === 'OKP' && crv === 'Ed25519' ? crv : undefined;
};
