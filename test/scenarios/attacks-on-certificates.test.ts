import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeyPair } from '../../src/crypto/pki/keys.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, aCertificate, aForeignCertificate, COMMON_NAME, certificateLogin, chainOf } from '../support/certificates.ts';
import { toEnroll } from '../support/enrolling.ts';
import { authority, csr, type Party, party, sharedPki } from '../support/pki.ts';
import { assertInvalid, assertNoReason, assertRefused } from '../support/refusals.ts';

/** Refused as every other failed login, and nothing is left of it. */
const assertRefusedLogin = async (app: App, ...parties: readonly Pick<Party, 'certificate'>[]) => {
  const left = await app.trail(async () => {
    const answer = await certificateLogin(app, ...parties);
    assertRefused(answer, 401, 'INVALID_AUTH');
    assertNoReason(answer);
    assert.equal(answer.headers['zt-session'], undefined);
  });
  assert.deepEqual(left, []);
};

/** An identity that is known by the external id in the certificates of an authority. */
const known = async (app: App, externalId = 'ann') => {
  const own = await aCa(app, { externalIdClaim: COMMON_NAME });
  await app.create('/identities', { name: externalId, type: 'User', isAdmin: true, externalId });
  return own;
};

onEveryStore('attacks on certificates', (open) => {
  test('an impostor with the name of an authority signs nobody in', async () => {
    await using app = await open();
    const own = await known(app);
    const impostor = await authority(own.name);
    const ann = await party('ann', { by: impostor });
    for (const chain of [[ann], [ann, impostor], [ann, own], [ann, own, impostor]]) await assertRefusedLogin(app, ...chain);
  });

  test('an impostor with the names of the own root and signer signs nobody in', async () => {
    await using app = await open();
    const { signer, root } = await sharedPki();
    await aCertificate(app);
    const [fakeRoot] = [await authority('root')];
    const fakeSigner = await authority('signer', { by: fakeRoot });
    const fake = await party('device', { by: fakeSigner });
    for (const chain of [[fake], [fake, fakeSigner], [fake, fakeSigner, fakeRoot], [fake, signer, root]])
      await assertRefusedLogin(app, ...chain);
  });

  test("a client's own certificate is not an authority: what it signs proves nobody", async () => {
    await using app = await open();
    const own = await known(app);
    const client = await own.issue('client', { keyUsage: 0xff });
    const ann = await party('ann', { by: client });
    await assertRefusedLogin(app, ann, client);
    await assertRefusedLogin(app, ann, client, own);
    const { signer } = await sharedPki();
    const device = await party('device', { by: signer });
    await assertRefusedLogin(app, await party('ann', { by: device }), device, signer);
  });

  test('who one is comes from the first certificate alone, whatever good ones stand behind it', proves(443), async () => {
    await using app = await open();
    const own = await known(app);
    const ann = await own.issue('ann');
    const mallory = await party('mallory');
    for (const chain of [
      [mallory, ann],
      [mallory, ann, own],
      [mallory, own],
    ])
      await assertRefusedLogin(app, ...chain);
    const device = await aCertificate(app);
    const { signer } = await sharedPki();
    await assertRefusedLogin(app, mallory, device, signer);
    const bob = await own.issue('bob');
    await assertRefusedLogin(app, bob, ann);
  });

  test("another network's certificate is a stranger's", async () => {
    await using one = await open();
    const root = await authority('root of another');
    const signer = await authority('signer of another', { by: root });
    await using other = await open({ pki: { certificates: signer.cert, anchors: root.cert, key: signer.key } });
    const own = await aCertificate(one);
    const { signer: ours } = await sharedPki();
    assert.equal((await certificateLogin(one, own, ours)).status, 200);
    await assertRefusedLogin(other, own, ours);
    await assertRefusedLogin(one, await party('device', { by: signer }), signer, root);
  });

  test('a certificate of the network that is not an authenticator proves nobody', proves(425), async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const { identityId } = await toEnroll(app, { ott: true }, { name: 'device', externalId: 'the device' });
    for (const name of ['device', 'the device', identityId]) await assertRefusedLogin(app, await party(name, { by: signer }), signer);
  });

  test('two certificates for one key are two: only the one that is an authenticator counts', async () => {
    await using app = await open();
    const own = await aCa(app);
    const keys = await newKeyPair();
    const mine = await own.issue('ann', { keys });
    const identityId = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    await app.create('/authenticators', { identityId, method: 'cert', certPem: mine.cert });
    assert.equal((await certificateLogin(app, mine)).status, 200);
    await assertRefusedLogin(app, await own.issue('ann', { keys }));
  });

  test('another certificate with the same fingerprint is not the one that is known', async () => {
    await using app = await open();
    const own = await aCa(app);
    const mine = await aForeignCertificate(app, own);
    const forged = await own.issue('forged');
    // Nobody here can make two certificates with one SHA-1, so the store is made to say so of these two.
    const { id } = await aForeignCertificate(app, own);
    await app.alter('authenticator', id, { fingerprint: forged.certificate.fingerprint });
    await assertRefusedLogin(app, forged);
    assert.equal((await certificateLogin(app, mine)).status, 200);
  });

  test('an authority that is not verified, switched off or deleted proves nobody', proves(255, 441), async () => {
    await using app = await open();
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const unverified = await aCa(app, { externalIdClaim: COMMON_NAME }, { verified: false });
    const off = await aCa(app, { externalIdClaim: COMMON_NAME, isAuthEnabled: false });
    const deleted = await aCa(app, { externalIdClaim: COMMON_NAME });
    await app.request('DELETE', `/cas/${deleted.id}`);
    for (const own of [unverified, off, deleted]) await assertRefusedLogin(app, await own.issue('ann'), own);
  });

  test('many certificates, circles and broken ones are refused like any other', async () => {
    await using app = await open();
    const own = await known(app);
    const stranger = await party('ann');
    const many = await Promise.all(Array.from({ length: 12 }, () => authority(own.name)));
    await assertRefusedLogin(app, stranger, ...many);
    const [a, b] = [await newKeyPair(), await newKeyPair()];
    const first = await authority('first', { keys: a });
    const second = await authority('second', { keys: b, by: first });
    const circle = await authority('first', { keys: a, by: second });
    await assertRefusedLogin(app, await party('ann', { by: circle }), circle, second, circle, second);
    const junk = [stranger.certificate.der, new Uint8Array(20_000), new Uint8Array([0x30, 0x80]), new Uint8Array()];
    const answer = await app.request('POST', '/authenticate?method=cert', { as: null, body: {}, certificates: junk });
    assertRefused(answer, 401, 'INVALID_AUTH');
  });

  test('a certificate in a header proves nobody', proves(443), async () => {
    await using app = await open();
    const own = await known(app);
    for (const field of [
      'X-Client-CertPem',
      'X-Edge-Router-Proxy-Request',
      'Client-Cert',
      'X-SSL-Client-Cert',
      'X-Forwarded-Client-Cert',
    ]) {
      const { cert, certificate } = await own.issue('ann');
      for (const value of [encodeURIComponent(cert), `:${Buffer.from(certificate.der).toString('base64')}:`]) {
        const headers = { [field.toLowerCase()]: value };
        assertRefused(await app.request('POST', '/authenticate?method=cert', { as: null, body: {}, headers }), 401, 'INVALID_AUTH');
      }
    }
  });

  test('a body or a query that names another identity changes nothing', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const victim = await app.user({ isAdmin: true });
    const body = { identityId: victim.id, username: victim.username, authenticatorId: victim.authenticatorId };
    const path = `/authenticate?method=cert&identityId=${victim.id}`;
    const { data } = (await app.request('POST', path, { as: null, body, certificates: own.certificates })).body;
    assert.equal(data.identityId, own.identityId);
  });

  test('a disabled identity and one that is gone do not log in, and their sessions end', async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const [disabled, gone] = [await aCertificate(app), await aCertificate(app)];
    await app.request('POST', `/identities/${disabled.identityId}/disable`, { body: { durationMinutes: 0 } });
    await app.request('DELETE', `/identities/${gone.identityId}`);
    for (const own of [disabled, gone]) {
      await assertRefusedLogin(app, own, signer);
      assertRefused(await app.request('GET', '/current-identity', { as: own.as }), 401, 'UNAUTHORIZED');
    }
  });

  test("an extension takes the authenticator's own certificate, and nobody else's", async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const [mine, theirs] = [await aCertificate(app), await aCertificate(app)];
    const stolen = await party('mallory', { by: signer });
    const { csr: clientCertCsr } = await csr('CN=new');
    const extend = (id: string, as: string, certificates: readonly Uint8Array[] | undefined) =>
      app.request('POST', `/current-identity/authenticators/${id}/extend`, {
        as,
        body: { clientCertCsr },
        ...(certificates ? { certificates } : {}),
      });
    const left = await app.trail(async () => {
      for (const certificates of [undefined, [], chainOf(stolen, mine, signer), theirs.certificates, chainOf(signer, mine)])
        assertRefused(await extend(mine.id, mine.as, certificates), 401, 'UNAUTHORIZED');
      assertRefused(await extend(theirs.id, mine.as, theirs.certificates), 401, 'UNAUTHORIZED');
      assertRefused(await extend(theirs.id, app.admin, theirs.certificates), 401, 'UNAUTHORIZED');
      await assert.rejects(app.controller.as(mine.as).currentIdentity.extendAuthenticator({ id: mine.id, body: { clientCertCsr } }), {
        code: 'UNAUTHORIZED',
      });
    });
    assert.deepEqual(left, []);
  });

  test('a certificate of nobody known cannot be made an authenticator, though it has the right names', async () => {
    await using app = await open();
    const own = await aCa(app);
    const identityId = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    const impostor = await authority(own.name);
    const below = await authority('below', { by: own });
    for (const { cert } of [await party('ann'), await party('ann', { by: impostor }), await party('ann', { by: below })])
      assertInvalid(await app.request('POST', '/authenticators', { body: { identityId, method: 'cert', certPem: cert } }), 'certPem');
  });
});
