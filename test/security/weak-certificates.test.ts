import assert from 'node:assert/strict';
import { generateKeyPairSync, type webcrypto } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Certificate, readCertificate, readCertificates } from '../../src/pki/certificate.ts';
import { validateChain } from '../../src/pki/chain.ts';
import { writePem } from '../../src/pki/pem.ts';
import { isGoodRsa, keyWeakness, signatureWeakness } from '../../src/pki/strength.ts';
import { x509 } from '../../src/pki/x509.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, COMMON_NAME, caBody, certificateLogin } from '../support/certificates.ts';
import { post, toEnroll } from '../support/enrolling.ts';
import { authority, NOW, P256, type Party, rsa } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { WEAK_AUTHORITIES } from '../support/weak-authorities.ts';

type Algorithm = Readonly<Record<string, unknown>> & { readonly name: string };

/** A certificate with the key and the signature that are asked for, whatever they are good for. */
interface Made {
  readonly certificate: Certificate;
  readonly cert: string;
  readonly privateKey: webcrypto.CryptoKey;
  readonly algorithm: Algorithm;
}
const HOUR = 3_600_000;
const sha1 = (algorithm: Algorithm): Algorithm => ({ ...algorithm, hash: 'SHA-1' });

const made = async (
  name: string,
  { algorithm = P256, by, isCa = false }: { readonly algorithm?: Algorithm; readonly by?: Made | undefined; readonly isCa?: boolean } = {},
): Promise<Made> => {
  const { X509CertificateGenerator, BasicConstraintsExtension } = await x509();
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair; // signing keys are pairs
  const { rawData } = await X509CertificateGenerator.create({
    serialNumber: '01',
    subject: `CN=${name}`,
    issuer: by ? by.certificate.subject : `CN=${name}`,
    notBefore: new Date(NOW - HOUR),
    notAfter: new Date(NOW + HOUR),
    publicKey: keys.publicKey,
    signingKey: by?.privateKey ?? keys.privateKey,
    signingAlgorithm: (by?.algorithm ?? algorithm) as never, // the library's type has no room for a hash
    extensions: isCa ? [new BasicConstraintsExtension(true, undefined, true)] : [],
  });
  const der = new Uint8Array(rawData);
  const certificate = await readCertificate(der);
  assert.ok(certificate);
  return { certificate, cert: writePem('CERTIFICATE', der), privateKey: keys.privateKey, algorithm };
};

const read = async (pem: string): Promise<Certificate> => {
  const { value: [certificate] = [] } = await readCertificates(pem);
  assert.ok(certificate);
  return certificate;
};

/** The same authority, which signs in another way. */
const signing = (by: Made, algorithm: Algorithm): Made => ({ ...by, algorithm });

const asMade = ({ certificate, cert, holder }: Party, privateKey: webcrypto.CryptoKey): Made => ({
  certificate,
  cert,
  privateKey,
  algorithm: { ...P256, ...holder.algorithm },
});

/** An authority known to the controller, of which the test has the private key. */
const knownAuthority = async (app: App) => {
  const own = await authority('an authority');
  const [, base64 = ''] = /-----BEGIN PRIVATE KEY-----([^-]+)-----/.exec(own.key) ?? [];
  const key = await crypto.subtle.importKey('pkcs8', Buffer.from(base64, 'base64'), P256, true, ['sign']);
  const { id } = await aCa(app, { externalIdClaim: COMMON_NAME }, { as: own });
  return { id, own: asMade(own, key) };
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
    for (const bits of [2048, 2049, 8191, 8192]) assert.ok(isGoodRsa(spki(bits)), String(bits));
    for (const bits of [1, 1024, 2047, 8193]) assert.ok(!isGoodRsa(spki(bits)), String(bits));
    assert.ok(isGoodRsa(spki(2048, 32)));
    assert.ok(!isGoodRsa(spki(2048, 33)));
    assert.ok(!isGoodRsa(spki(1024, 17, 129)), 'zeros make no key longer');
    assert.ok(!isGoodRsa(new Uint8Array([0x30, 0x00]).buffer));
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

onEveryStore('weak certificates of others', (open) => {
  test('a certificate authority with a weak key or signature is refused when it is uploaded, with the reason', async () => {
    await using app = await open();
    const rsaSha1 = (await made('sha1', { isCa: true, algorithm: sha1(rsa(2048)) })).cert;
    const ecSha1 = (await made('ecSha1', { isCa: true, algorithm: sha1(P256) })).cert;
    const rsa1024 = (await made('rsa1024', { isCa: true, algorithm: rsa(1024) })).cert;
    for (const [why, certPem] of Object.entries({ ...WEAK_AUTHORITIES, rsaSha1, ecSha1, rsa1024 })) {
      const answer = await app.request('POST', '/cas', { body: caBody(why, certPem) });
      assertInvalid(answer, 'certPem');
      assert.match(answer.body.error.cause.reason, /too weak: the (key must be RSA of 2048|signature must be made with SHA-256)/, why);
    }
    await app.create('/cas', caBody('strong', (await made('strong', { isCa: true, algorithm: rsa(2048) })).cert));
  });

  test('an authority is not verified by a weak certificate, nor does anybody log in or enroll by one', async () => {
    await using app = await open();
    const { id, own } = await knownAuthority(app);
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const strong = await made('ann', { by: own });
    const weak = [await made('ann', { by: own, algorithm: rsa(1024) }), await made('ann', { by: signing(own, sha1(P256)) })];
    const { enrollment } = await toEnroll(app, { ottca: id });
    for (const each of weak) {
      assertRefused(await certificateLogin(app, each), 401, 'INVALID_AUTH');
      const certificates = [each.certificate.der];
      assertRefused(
        await post(app, `/enroll?method=ottca&token=${enrollment.token}`, { body: {}, certificates }),
        400,
        'CERTIFICATE_FAILED_VALIDATION',
      );
      const before = await app.count('identity');
      assertRefused(await post(app, '/enroll/ca', { body: {}, certificates }), 400, 'CERT_FAILED_VALIDATION');
      assert.equal(await app.count('identity'), before);
    }
    assert.equal((await certificateLogin(app, strong)).status, 200);
    const other = await authority('another');
    const unverified = await aCa(app, {}, { as: other, verified: false });
    assertRefused(
      await app.request('POST', `/cas/${unverified.id}/verify`, {
        raw: (await made(unverified.verificationToken, { by: signing(own, sha1(P256)) })).cert,
        headers: { 'content-type': 'text/plain' },
      }),
      400,
      'CERTIFICATE_FAILED_VALIDATION',
    );
  });

  test('a weak intermediate leads nobody to an authority', async () => {
    await using app = await open();
    const { own } = await knownAuthority(app);
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const good = await made('middle', { by: own, isCa: true });
    for (const middle of [
      await made('weak', { by: own, isCa: true, algorithm: rsa(1024) }),
      await made('forged', { by: signing(own, sha1(P256)), isCa: true }),
    ])
      assertRefused(await certificateLogin(app, await made('ann', { by: middle }), middle), 401, 'INVALID_AUTH');
    assert.equal((await certificateLogin(app, await made('ann', { by: good }), good)).status, 200);
  });

  test('no weak certificate becomes an authenticator by an administrator', async () => {
    await using app = await open();
    const { own } = await knownAuthority(app);
    const identityId = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    for (const { cert } of [await made('ann', { by: own, algorithm: rsa(1024) }), await made('ann', { by: signing(own, sha1(P256)) })]) {
      const answer = await app.request('POST', '/authenticators', { body: { identityId, method: 'cert', certPem: cert } });
      assertInvalid(answer, 'certPem');
      assert.match(answer.body.error.cause.reason, /too weak/);
    }
    await app.create('/authenticators', { identityId, method: 'cert', certPem: (await made('ann', { by: own })).cert });
  });

  test('a signer of tokens is not known by a weak key; how its certificate is signed does not matter', async () => {
    await using app = await open();
    const signer = (certPem: string) => ({
      name: 'signer',
      issuer: 'https://signer.example',
      audience: 'x',
      enabled: true,
      kid: 'k',
      certPem,
    });
    const weak = await app.request('POST', '/external-jwt-signers', { body: signer((await made('weak', { algorithm: rsa(1024) })).cert) });
    assertInvalid(weak, 'certPem');
    const id = await app.create('/external-jwt-signers', signer((await made('old', { algorithm: sha1(rsa(2048)) })).cert));
    for (const method of ['PUT', 'PATCH'])
      assertInvalid(
        await app.request(method, `/external-jwt-signers/${id}`, {
          body: signer(WEAK_AUTHORITIES.keyOnP224),
        }),
        'certPem',
      );
  });
});
