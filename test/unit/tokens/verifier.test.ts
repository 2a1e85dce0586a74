import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { exportSPKI, importJWK, type JWK } from 'jose';
import { Eku } from '../../../src/crypto/pki/certificate.ts';
import { proves } from '../../specification.ts';
import { certificateIn, party } from '../../support/pki.ts';
import { claimsOf, forge, keyOfParty, providerKey } from '../../support/provider.ts';
import { ISSUER, opened, signer, token } from './verifying.ts';

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

describe('tokens of a key set', () => {
  test('are good by keys of every kind, whether the key names its algorithm or not', async () => {
    for (const algorithm of ALGORITHMS) {
      const key = await providerKey('a', algorithm);
      const { alg: _, ...unnamed } = key.jwk;
      for (const jwk of [key.jwk, unnamed]) {
        const { verify } = opened([jwk]);
        assert.equal(await verify(await token(key)), 'ann', algorithm);
        assert.equal(await verify(await token(key)), 'ann', algorithm);
      }
    }
  });

  test('are refused when anything of them was changed', async () => {
    const key = await providerKey('a');
    const { verify } = opened([key.jwk]);
    const good = await token(key);
    const [head = '', body = '', signature = ''] = good.split('.');
    const other = (await token(key, { sub: 'eve' })).split('.');
    assert.equal(await verify(good), 'ann');
    for (const changed of [
      [head, other[1], signature],
      [head, body, other[2]],
      [forge({ alg: 'ES256', kid: 'a', typ: 'x' }, {}).split('.')[0], body, signature],
      [head, body, signature.slice(0, -4)],
      [head, body, 'AAAA'],
      [head, body, Buffer.alloc(64).toString('base64url')],
    ])
      assert.equal(await verify(changed.join('.')), undefined);
  });

  test('are refused by another key of the same name, and by keys of other names', async () => {
    const [key, other, third] = [await providerKey('a'), await providerKey('a'), await providerKey('b')];
    const { verify } = opened([key.jwk, third.jwk]);
    assert.equal(await verify(await token(other)), undefined);
    assert.equal(await verify(await token({ ...key, kid: 'b' })), undefined);
    assert.equal(await verify(await token({ ...third, kid: 'a' })), undefined);
    for (const kid of ['A', 'a ', 'c', '../a', 'https://evil.example/keys', "a' or '1'='1", '__proto__', 'constructor'])
      assert.equal(await verify(await token({ ...key, kid })), undefined, kid);
  });

  test('cannot bring a key of their own along', async () => {
    const [key, evil] = [await providerKey('a'), await providerKey('a')];
    const { verify } = opened([key.jwk]);
    const own = await party('evil');
    for (const header of [
      { jwk: evil.jwk },
      { jku: 'https://evil.example/keys' },
      { x5u: 'https://evil.example/cert' },
      { x5c: [own.certificate.der] },
    ])
      assert.equal(await verify(await token(evil, { sub: 'ann' }, header)), undefined, Object.keys(header)[0]);
  });

  test('are never good by a shared secret that is a public key, or by no signature', async () => {
    for (const algorithm of ['RS256', 'ES256', 'EdDSA']) {
      const key = await providerKey('a', algorithm);
      const { verify } = opened([key.jwk]);
      const spki = await exportSPKI((await importJWK(key.jwk, algorithm)) as never);
      for (const secret of [spki, spki.trim(), JSON.stringify(key.jwk), key.jwk.n ?? key.jwk.x ?? '', '']) {
        for (const [alg, hash] of [
          ['HS256', 'sha256'],
          ['HS512', 'sha512'],
        ] as const) {
          const [head, body] = forge({ alg, kid: 'a' }, claimsOf(ISSUER, { sub: 'ann' })).split('.');
          const mac = createHmac(hash, secret).update(`${head}.${body}`).digest('base64url');
          assert.equal(await verify(`${head}.${body}.${mac}`), undefined);
        }
      }
      for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'ES256K', 'RS1'])
        assert.equal(await verify(forge({ alg, kid: 'a' }, claimsOf(ISSUER, { sub: 'ann' }))), undefined, alg);
    }
  });

  test('are good by algorithms of the kind of their key alone', async () => {
    for (const algorithm of ['RS256', 'ES256', 'ES384', 'EdDSA']) {
      const key = await providerKey('a', algorithm);
      const { alg: _, ...unnamed } = key.jwk;
      const { verify } = opened([unnamed]);
      const [, body, signature] = (await token(key)).split('.');
      for (const alg of ALGORITHMS.filter((each) => each !== algorithm)) {
        const head = forge({ alg, kid: 'a' }, {}).split('.')[0];
        assert.equal(await verify([head, body, signature].join('.')), undefined, `${algorithm} as ${alg}`);
      }
    }
  });

  test('are refused by keys that are for something else', async () => {
    const key = await providerKey('a');
    const others = [
      { use: 'enc' },
      { alg: 'ES384' },
      { alg: 'RSA-OAEP' },
      { key_ops: ['encrypt'] },
      { kid: undefined },
      { kid: '' },
      { kty: 'RSA' },
      { crv: 'secp256k1' },
      { x5c: ['AAAA'] },
      { x5c: 'x' },
    ];
    for (const other of others) {
      const { verify } = opened([{ ...key.jwk, ...other }]);
      assert.equal(await verify(await token(key)), undefined, JSON.stringify(other));
    }
    const { verify } = opened([{ ...key.jwk, key_ops: ['verify'] }]);
    assert.equal(await verify(await token(key)), 'ann');
  });

  test('are refused by RSA keys that are too short or too long', async () => {
    const n = (bits: number) => Buffer.alloc(bits / 8, 0xff).toString('base64url');
    const weak = await crypto.subtle.generateKey(
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ['sign', 'verify'],
    );
    const jwk = (await crypto.subtle.exportKey('jwk', weak.publicKey)) as JWK;
    const [head, body] = forge({ alg: 'RS256', kid: 'a' }, claimsOf(ISSUER, { sub: 'ann' })).split('.');
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', weak.privateKey, Buffer.from(`${head}.${body}`));
    const forged = `${head}.${body}.${Buffer.from(signature).toString('base64url')}`;
    for (const key of [jwk, { kty: 'RSA', e: 'AQAB', n: n(16_384) }, { kty: 'RSA', e: 'AQAB', n: '' }])
      assert.equal(await opened([{ ...key, kid: 'a', alg: 'RS256' }]).verify(forged), undefined);
  });

  test('are checked with the certificate of a key where it has one', async () => {
    const [own, other] = [await party('own'), await providerKey('a')];
    const key = await keyOfParty(own, 'a');
    const { verify } = opened([{ ...other.jwk, x5c: [Buffer.from(own.certificate.der).toString('base64')] }]);
    assert.equal(await verify(await token(key)), 'ann');
    assert.equal(await verify(await token(other)), undefined);
  });

  test('are good beside members of the set that are nonsense', async () => {
    const key = await providerKey('a');
    const { verify } = opened([
      null,
      5,
      'x',
      [],
      {},
      { kid: 'a' },
      { kid: 'a', kty: 'oct', k: 'c2VjcmV0' },
      { kid: 'a', kty: 'EC', crv: 'P-256', x: 5 },
      key.jwk,
    ]);
    assert.equal(await verify(await token(key)), 'ann');
    const without = opened([
      null,
      5,
      'x',
      [],
      {},
      { kid: 'a' },
      { kid: 'a', kty: 'oct', k: 'c2VjcmV0' },
      { kid: 'b', kty: 'EC', crv: 'P-256', x: 5 },
      key.jwk,
    ]);
    assert.equal(await without.verify(await token(key)), 'ann');
    assert.equal(await without.verify(await token({ ...key, kid: 'b' })), undefined);
  });
});

describe('tokens of a certificate', () => {
  const certified = async () => {
    const own = await party('own', { extendedKeyUsage: [Eku.clientAuth] });
    const by = { ...signer, jwksEndpoint: null, certPem: own.cert, fingerprint: own.certificate.fingerprint };
    return { own, by };
  };

  test('name its key by the name that the signer has, or by its fingerprint where it has none', proves(159), async () => {
    const { own, by } = await certified();
    const { verify } = opened([]);
    const named = { ...by, id: 'named', kid: 'the kid' };
    const [byFingerprint, byName] = [await keyOfParty(own, own.certificate.fingerprint), await keyOfParty(own, 'the kid')];
    assert.equal(await verify(await token(byFingerprint), by), 'ann');
    assert.equal(await verify(await token(byName), named), 'ann');
    assert.equal(await verify(await token(byFingerprint), named), undefined);
    assert.equal(await verify(await token(byName), by), undefined);
  });

  test('are good by RSA, every accepted curve and Ed25519', async () => {
    for (const [algorithm, alg] of [
      [{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, 'RS256'],
      [{ name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }, 'ES384'],
      [{ name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' }, 'ES512'],
      [{ name: 'Ed25519' }, 'EdDSA'],
    ] as const) {
      const { cert, fingerprint, privateKey } = await certificateIn(algorithm);
      const by = { ...signer, jwksEndpoint: null, certPem: cert, fingerprint };
      const key = { kid: fingerprint, alg, privateKey: privateKey as never };
      assert.equal(await opened([]).verify(await token(key), by), 'ann', alg);
    }
  });
});
