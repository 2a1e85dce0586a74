import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keyOfJwk as readKey } from '../../../src/crypto/tokens/public-key.ts';
import { providerKey, sign } from '../../support/provider.ts';

/** The key, or undefined where there is a reason why it cannot be used. */
const keyOfJwk = async (jwk: Parameters<typeof readKey>[0]) => {
  const { value, fault } = await readKey(jwk);
  if (!value) assert.match(fault, /^its? .+[^.]$/, JSON.stringify(jwk));
  return value;
};

const KINDS: Readonly<Record<string, readonly string[]>> = {
  RS256: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ES256: ['ES256'],
  ES384: ['ES384'],
  ES512: ['ES512'],
  EdDSA: ['EdDSA', 'Ed25519'],
};
const EVERY = [
  ...new Set(Object.values(KINDS).flat()),
  'none',
  'HS256',
  'HS384',
  'HS512',
  'RS1',
  'ES256K',
  'RSA-OAEP',
  'ECDH-ES',
  'dir',
  '',
];

describe('a public key', () => {
  test('allows the algorithms of its kind, and no other', async () => {
    for (const [algorithm, allowed] of Object.entries(KINDS)) {
      const { alg: _, ...jwk } = (await providerKey('a', algorithm)).jwk;
      const key = await keyOfJwk(jwk);
      assert.deepEqual(
        EVERY.filter((each) => key?.allows(each)),
        allowed,
      );
    }
  });

  test('that names its algorithm allows that one, if it is of its kind', async () => {
    const { jwk } = await providerKey('a', 'PS256');
    const allowedBy = async (alg: unknown) => {
      const key = await keyOfJwk({ ...jwk, alg });
      return EVERY.filter((each) => key?.allows(each));
    };
    assert.deepEqual(await allowedBy('PS256'), ['PS256']);
    for (const alg of ['HS256', 'none', 'ES256', ['PS256']]) assert.deepEqual(await allowedBy(alg), []);
  });

  test('is for tokens where its use says so, in the words of JSON Web Keys or of SPIFFE', async () => {
    const { jwk } = await providerKey('a');
    for (const use of ['sig', 'jwt-svid', undefined]) assert.ok(await keyOfJwk({ ...jwk, use }), use);
  });

  test('is one where members that say nothing are null or empty', async () => {
    const others = ['use', 'key_ops', 'alg', 'x5c', 'x5u', 'x5t', 'x5t#S256', 'd', 'oth', 'ext'];
    for (const alg of ['RS256', 'ES256', 'EdDSA']) {
      const { jwk, privateKey } = await providerKey('a', alg);
      for (const nothing of [null, '', [], [''], [null], [[]]]) {
        for (const members of [
          ...others.map((name) => [name]),
          others,
          [...others, 'e', 'n', 'y', 'crv', 'x'].filter((name) => !(name in jwk)),
        ]) {
          const key = await keyOfJwk({ ...jwk, ...Object.fromEntries(members.map((name) => [name, nothing])) });
          assert.ok(key?.allows(alg), `${members} ${JSON.stringify(nothing)}`);
          assert.ok(await key?.hasSigned(await sign({}, { kid: 'a', alg, privateKey }), alg));
        }
        for (const needed of ['kid', 'kty', alg === 'RS256' ? 'n' : 'x'])
          assert.equal(await keyOfJwk({ ...jwk, [needed]: nothing }), undefined, needed);
      }
    }
  });

  test('is none where its kind, its length or its use will not do', async () => {
    const n = (bits: number) => Buffer.alloc(bits / 8, 0xff).toString('base64url');
    const { jwk } = await providerKey('a');
    for (const bits of [512, 1024, 2040, 8200, 16_384])
      assert.equal(await keyOfJwk({ kid: 'a', kty: 'RSA', e: 'AQAB', n: n(bits) }), undefined, `${bits}`);
    for (const bits of [2048, 3072, 4096, 8192]) assert.ok(await keyOfJwk({ kid: 'a', kty: 'RSA', e: 'AQAB', n: n(bits) }), `${bits}`);
    const e = (bits: number) =>
      Buffer.from((1n << BigInt(bits - 1)).toString(16).padStart(Math.ceil(bits / 8) * 2, '0'), 'hex').toString('base64url');
    for (const bits of [1, 33, 64, 2048])
      assert.equal(await keyOfJwk({ kid: 'a', kty: 'RSA', e: e(bits), n: n(2048) }), undefined, `e ${bits}`);
    for (const wrong of ['', 3, undefined, 'A'.repeat(5000)])
      assert.equal(await keyOfJwk({ kid: 'a', kty: 'RSA', e: wrong, n: n(2048) }), undefined);
    for (const bits of [2, 32]) assert.ok(await keyOfJwk({ kid: 'a', kty: 'RSA', e: e(bits), n: n(2048) }), `e ${bits}`);
    for (const other of [
      { kty: 'oct', k: 'c2VjcmV0' },
      { kty: 'OKP', crv: 'X25519' },
      { kty: 'OKP', crv: 'Ed448' },
      { crv: 'secp256k1' },
      { crv: '__proto__' },
      { kty: 'RSA' },
      { kty: 'AKP' },
      { kty: 5 },
      { use: 'enc' },
      { use: 'x509-svid' },
      { use: ['sig'] },
      { key_ops: ['sign'] },
      { key_ops: 'verify' },
      { x5c: 'x' },
      { x5c: ['AAAA'] },
      { x: 5, n: 5 },
      { kid: '' },
      { kid: 5 },
    ])
      assert.equal(await keyOfJwk({ ...jwk, ...other }), undefined, JSON.stringify(other));
  });
});
