import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Certificate, readCertificates } from '../../src/crypto/pki/certificate.ts';
import { validateChain } from '../../src/crypto/pki/chain.ts';
import { isAcceptedRsa, keyWeakness, signatureWeakness } from '../../src/crypto/pki/strength.ts';
import { x509 } from '../../src/crypto/pki/x509.ts';
import { NOW, P256, rsa } from '../support/pki.ts';
import { WEAK_AUTHORITIES } from '../support/weak-authorities.ts';
import { type Algorithm, type Made, made, sha1, signing } from '../support/weak-certificates.ts';

const read = async (pem: string): Promise<Certificate> => {
  const { value: [certificate] = [] } = await readCertificates(pem);
  assert.ok(certificate);
  return certificate;
};

describe('the strength of certificates', () => {
  test('RSA from 2048 to 8192 bits, P-256, P-384, P-521 and Ed25519 are strong enough', async () => {
    for (const algorithm of [
      rsa(2048),
      rsa(3072),
      P256,
      { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
      { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
      { name: 'Ed25519' },
      { name: 'RSA-PSS', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048, saltLength: 32 },
    ]) {
      const { certificate } = await made('any', { algorithm });
      assert.deepEqual([keyWeakness(certificate.parsed), signatureWeakness(certificate.parsed)], [undefined, undefined], algorithm.name);
    }
  });

  test('shorter and longer RSA, an exponent that takes long, and other curves are not', async () => {
    const { signatureWithMd5, ...weakKeys } = WEAK_AUTHORITIES;
    for (const [why, pem] of Object.entries(weakKeys)) {
      const { parsed } = await read(pem);
      assert.match(keyWeakness(parsed) ?? '', /RSA of 2048 to 8192 bits/, why);
      assert.equal(signatureWeakness(parsed), undefined, why);
    }
    const { parsed } = await read(signatureWithMd5);
    assert.equal(keyWeakness(parsed), undefined);
    assert.match(signatureWeakness(parsed) ?? '', /SHA-256/);
    assert.match(keyWeakness((await made('any', { algorithm: rsa(1024) })).certificate.parsed) ?? '', /RSA of 2048/);
  });

  test('Ed448, which the library calls by the same name as Ed25519, is not', async () => {
    const { PublicKey } = await x509();
    const spki = (kind: 'ed25519' | 'ed448') =>
      new PublicKey(new Uint8Array(generateKeyPairSync(kind as 'ed25519').publicKey.export({ type: 'spki', format: 'der' }))); // the types are alike
    assert.equal(keyWeakness({ publicKey: spki('ed25519') }), undefined);
    assert.match(keyWeakness({ publicKey: spki('ed448') }) ?? '', /or Ed25519$/);
  });

  test('an RSA key has its bits counted from the first that is set', () => {
    const element = (tag: number, ...content: readonly number[]): readonly number[] => [
      tag,
      ...(content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]),
      ...content,
    ];
    /** A SubjectPublicKeyInfo with numbers of so many bits, and zeros before the modulus. */
    const spki = (modulus: number, exponent = 17, zeros = 1): ArrayBuffer => {
      const number = (bits: number) => [2 ** ((bits - 1) % 8), ...new Array<number>(Math.ceil(bits / 8) - 1).fill(1)];
      const key = element(
        0x30,
        ...element(0x02, ...new Array<number>(zeros).fill(0), ...number(modulus)),
        ...element(0x02, ...number(exponent)),
      );
      return new Uint8Array(element(0x30, ...element(0x30, ...element(0x06, 1)), ...element(0x03, 0, ...key))).buffer;
    };
    for (const bits of [2048, 2049, 8191, 8192]) assert.ok(isAcceptedRsa(spki(bits)), String(bits));
    for (const bits of [1, 1024, 2047, 8193]) assert.ok(!isAcceptedRsa(spki(bits)), String(bits));
    assert.ok(isAcceptedRsa(spki(2048, 32)));
    assert.ok(!isAcceptedRsa(spki(2048, 33)));
    assert.ok(!isAcceptedRsa(spki(1024, 17, 129)), 'zeros make no key longer');
    assert.ok(!isAcceptedRsa(new Uint8Array([0x30, 0x00]).buffer));
  });

  test('no chain goes by a weak key or a signature with SHA-1, but for the signature of the anchor itself', async () => {
    const root = await made('root', { isCa: true });
    const judge = (leaf: Made, intermediates: readonly Made[] = [], anchor = root) =>
      validateChain(leaf.certificate, {
        anchors: [anchor.certificate],
        intermediates: intermediates.map(({ certificate }) => certificate),
        now: NOW,
      });
    const chainOf = async (middle: Made, leaf: { readonly algorithm?: Algorithm } = {}) =>
      judge(await made('leaf', { ...leaf, by: middle }), [middle]);
    assert.equal((await chainOf(await made('middle', { by: root, isCa: true }))).chain?.length, 3);
    for (const weak of [
      judge(await made('leaf', { by: root, algorithm: rsa(1024) })),
      judge(await made('leaf', { by: signing(root, sha1(P256)) })),
      chainOf(await made('middle', { by: root, isCa: true, algorithm: rsa(1024) })),
      chainOf(await made('middle', { by: signing(root, sha1(P256)), isCa: true })),
      chainOf(signing(await made('middle', { by: root, isCa: true }), sha1(P256))),
    ])
      assert.deepEqual(await weak, { fault: 'weak' });
    const old = await made('old', { isCa: true, algorithm: sha1(P256) });
    assert.equal((await judge(await made('leaf', { by: signing(old, P256) }), [], old)).chain?.length, 2);
  });
});
