import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readToken } from '../../../src/crypto/tokens/token.ts';
import { createTokenVerifier } from '../../../src/crypto/tokens/verifier.ts';
import { party } from '../../support/pki.ts';
import { keyOfParty, providerKey } from '../../support/provider.ts';
import { opened, signer, token } from './verifying.ts';

describe('what was checked once', () => {
  test('is checked again after a change of the signer, and after the keys were replaced', async () => {
    const [key, other] = [await providerKey('a'), await providerKey('b')];
    const { verify, provider, clock } = opened([key.jwk]);
    const good = await token(key);
    assert.equal(await verify(good), 'ann');
    for (const change of [{ enabled: false }, { audience: 'others' }, { issuer: 'https://other.example' }, { claimsProperty: 'email' }])
      assert.equal(await verify(good, { ...signer, ...change }), undefined, Object.keys(change)[0]);
    assert.equal(await verify(good), 'ann');
    provider.keys = [other.jwk];
    assert.equal(await verify(good), 'ann', 'a key that is known is not asked for again');
    assert.equal(await verify(good, { ...signer, version: 2 }), undefined, 'of another revision nothing is remembered');
    clock.advance('1s');
    assert.equal(await verify(await token(other)), 'ann');
    assert.equal(await verify(good), undefined, 'the keys were replaced');
  });

  test('of a write that was rolled back is nothing to another one of the same revision', async () => {
    const [key, evil] = [await providerKey('a'), await party('evil')];
    const evilKey = await keyOfParty(evil, 'a');
    const { verify } = opened([key.jwk]);
    const rolledBack = { ...signer, jwksEndpoint: null, certPem: evil.cert, kid: 'a' };
    assert.equal(await verify(await token(evilKey), rolledBack), 'ann');
    assert.equal(await verify(await token(evilKey)), undefined);
  });

  test('ends with the token', async () => {
    const key = await providerKey('a');
    const { verify, clock } = opened([key.jwk]);
    const good = await token(key);
    assert.equal(await verify(good), 'ann');
    clock.advance('659s');
    assert.equal(await verify(good), 'ann');
    clock.advance('1s');
    assert.equal(await verify(good), undefined);
  });

  test('of nobody is nothing', async () => {
    const key = await providerKey('a');
    const verifier = opened([key.jwk]);
    const token_ = readToken(await token(key)) ?? assert.fail();
    const options = { clock: verifier.clock, logger: console, outbound: { request: assert.fail }, permits: () => true };
    assert.deepEqual(await createTokenVerifier(options).verify(token_, undefined), { fault: 'issuer' });
    assert.deepEqual(await createTokenVerifier(options).verify(token_, { ...signer, enabled: false }), { fault: 'signer-disabled' });
  });
});
