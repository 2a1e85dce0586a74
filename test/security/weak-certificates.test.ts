import assert from 'node:assert/strict';
import type { webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, COMMON_NAME, caBody, certificateLogin } from '../support/certificates.ts';
import { post, toEnroll } from '../support/enrolling.ts';
import { authority, P256, type Party, rsa } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { WEAK_AUTHORITIES } from '../support/weak-authorities.ts';
import { type Made, made, sha1, signing } from '../support/weak-certificates.ts';

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
