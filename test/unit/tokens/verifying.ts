import assert from 'node:assert/strict';
import { readToken } from '../../../src/crypto/tokens/token.ts';
import { createTokenVerifier, type TokenSigner } from '../../../src/crypto/tokens/verifier.ts';
import { frozenClock } from '../../support/clock.ts';
import { AUDIENCE, type Claims, claimsOf, type ProviderKey, sign } from '../../support/provider.ts';

export const ISSUER = 'https://issuer.example';
const ENDPOINT = 'https://issuer.example/keys';
export const signer: TokenSigner = {
  id: 'signer',
  version: 1,
  issuer: ISSUER,
  audience: AUDIENCE,
  claimsProperty: 'sub',
  enabled: true,
  certPem: null,
  jwksEndpoint: ENDPOINT,
  kid: null,
  fingerprint: null,
};

/** A verifier with a provider whose key set may change. */
export const opened = (keys: readonly unknown[]) => {
  const clock = frozenClock();
  const provider = { keys, clock };
  const verifier = createTokenVerifier({
    clock,
    logger: { error: assert.fail, warn: () => {}, info: () => {} },
    outbound: { request: async () => ({ status: 200, body: new TextEncoder().encode(JSON.stringify({ keys: provider.keys })) }) },
    permits: () => true,
  });
  const verify = async (text: string, by: TokenSigner | undefined = signer) => {
    const token = readToken(text);
    return token && (await verifier.verify(token, by)).value;
  };
  return { ...provider, provider, verify };
};

export const token = (key: Pick<ProviderKey, 'kid' | 'alg' | 'privateKey'>, claims: Claims = { sub: 'ann' }, header: Claims = {}) =>
  sign(claimsOf(ISSUER, claims), key, header);
