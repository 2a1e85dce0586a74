import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { strangers } from '../support/ca-enrollment.ts';
import { aCa, aCertificate, aForeignCertificate, certificateLogin, chainOf } from '../support/certificates.ts';
import { LATER, post, toEnroll } from '../support/enrolling.ts';
import type { Party } from '../support/pki.ts';
import { assertRefused } from '../support/refusals.ts';

const byToken = (app: App, token: string, ...parties: readonly Pick<Party, 'certificate'>[]) =>
  post(app, `/enroll?method=ottca&token=${token}`, { certificates: chainOf(...parties) });

onEveryStore('enrollment by a token and a certificate of an authority', (open) => {
  test('an identity made for an authority enrolls by a certificate of it and its token, once', proves(117, 417, 426), async () => {
    await using app = await open();
    const own = await aCa(app);
    const { identityId, enrollment } = await toEnroll(app, { ottca: own.id });
    const mine = await own.issue('ann');
    const { status, body } = await byToken(app, enrollment.token, mine);
    assert.deepEqual([status, Object.keys(body.data)], [200, ['controllers']]);
    const { data } = (await app.request('GET', `/identities/${identityId}`)).body;
    assert.deepEqual([data.enrollment, data.authenticators.cert.fingerprint], [{}, mine.certificate.fingerprint]);
    const { data: detail } = (await app.request('GET', `/authenticators/${data.authenticators.cert.id}`)).body;
    assert.equal('isIssuedByNetwork' in detail, false);
    assert.equal((await certificateLogin(app, mine)).body.data.identityId, identityId);
    assertRefused(await byToken(app, enrollment.token, await own.issue('ann')), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('an identity made for an authority shows the enrollment, the authority, and where to enroll', proves(115), async () => {
    await using app = await open();
    const own = await aCa(app);
    const { identityId } = await toEnroll(app, { ottca: own.id });
    const { id, token, jwt, expiresAt, ...ottca } = (await app.request('GET', `/identities/${identityId}`)).body.data.enrollment.ottca;
    const at = `./cas/${own.id}`;
    assert.deepEqual(ottca, {
      caId: own.id,
      ca: { _links: { self: { href: at }, jwt: { href: `${at}/jwt` } }, entity: 'cas', id: own.id, name: own.name },
    });
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString());
    assert.deepEqual([claims.em, claims.sub, claims.jti, claims.exp * 1000], ['ottca', identityId, token, Date.parse(expiresAt)]);
    assert.equal((await app.request('GET', `/enrollments/${id}`)).body.data.ca.name, own.name);
  });

  test('at /enroll/ottca the token comes in the body, and at /enroll without a method it says the method', async () => {
    await using app = await open();
    const own = await aCa(app);
    const [first, second] = [await toEnroll(app, { ottca: own.id }), await toEnroll(app, { ottca: own.id })];
    const present = async (name: string) => ({ certificates: chainOf(await own.issue(name)) });
    const inBody = { body: { token: first.enrollment.token }, ...(await present('ann')) };
    assert.equal((await post(app, '/enroll/ottca', inBody)).status, 200);
    assert.equal((await post(app, `/enroll?token=${second.enrollment.token}`, await present('bob'))).status, 200);
  });

  test('no other certificate serves, and the token is still good after every attempt', proves(417), async () => {
    await using app = await open();
    const [own, other] = [await aCa(app), await aCa(app)];
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    const left = await app.trail(async () => {
      for (const [what, parties] of [...(await strangers(own)), ['of another authority', [await other.issue('ann')]] as const]) {
        const { status, body } = await byToken(app, enrollment.token, ...parties);
        assert.deepEqual([status, body.error?.code], [400, 'CERTIFICATE_FAILED_VALIDATION'], what);
      }
    });
    assert.deepEqual(left, []);
    assert.equal((await byToken(app, enrollment.token, await own.issue('ann'))).status, 200);
  });

  test('a certificate that is in use, and an identity that has one, are refused, and the token is still good', async () => {
    await using app = await open();
    const own = await aCa(app);
    const used = await aForeignCertificate(app, own);
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    assertRefused(await byToken(app, enrollment.token, used), 409, 'CERT_IN_USE');
    assert.equal((await byToken(app, enrollment.token, await own.issue('ann'))).status, 200);
    const body = { identityId: used.identityId, method: 'ottca', caId: own.id, expiresAt: LATER };
    const id = await app.create('/enrollments', body);
    const { token } = (await app.request('GET', `/enrollments/${id}`)).body.data;
    assertRefused(await byToken(app, token, await own.issue('bob')), 409, 'MAX_AUTHENTICATOR_METHODS_REACHED');
    assert.equal((await app.request('GET', `/enrollments/${id}`)).status, 200);
  });

  test('an authority that is not verified or switched off enrolls nobody, until it is', proves(88, 255, 441), async () => {
    await using app = await open();
    const own = await aCa(app, { isOttCaEnrollmentEnabled: false }, { verified: false });
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    const mine = await own.issue('ann');
    const refused = async () => assertRefused(await byToken(app, enrollment.token, mine), 400, 'ENROLLMENT_CA_NOT_VALID');
    await refused();
    await app.request('PATCH', `/cas/${own.id}`, { body: { isOttCaEnrollmentEnabled: true } });
    await refused();
    await own.verify();
    await app.request('PATCH', `/cas/${own.id}`, { body: { isOttCaEnrollmentEnabled: false } });
    await refused();
    await app.request('PATCH', `/cas/${own.id}`, { body: { isOttCaEnrollmentEnabled: true } });
    assert.equal((await byToken(app, enrollment.token, mine)).status, 200);
  });

  test('of many who use one token at once one enrolls', async () => {
    await using app = await open();
    const own = await aCa(app);
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    const parties = await Promise.all(['a', 'b', 'c'].map((name) => own.issue(name)));
    const answers = await Promise.all(parties.map((mine) => byToken(app, enrollment.token, mine)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400]);
  });

  test('deleting an authority takes its enrollments along', async () => {
    await using app = await open();
    const own = await aCa(app);
    const { identityId, enrollment } = await toEnroll(app, { ottca: own.id });
    await app.request('DELETE', `/cas/${own.id}`);
    assert.deepEqual((await app.request('GET', `/identities/${identityId}`)).body.data.enrollment, {});
    assertRefused(await byToken(app, enrollment.token, await own.issue('ann')), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test(
    'an authenticator of an authority turns into an enrollment for that authority, one of the network into one for a certificate of it',
    proves(281),
    async () => {
      await using app = await open();
      const own = await aCa(app);
      const [foreign, network] = [await aForeignCertificate(app, own), await aCertificate(app)];
      for (const [{ id, identityId }, method, caId] of [
        [foreign, 'ottca', own.id],
        [network, 'ott', undefined],
      ] as const) {
        const { body } = await app.request('POST', `/authenticators/${id}/re-enroll`, { body: { expiresAt: LATER } });
        const { data } = (await app.request('GET', `/enrollments/${body.data.id}`)).body;
        assert.deepEqual([data.method, data.caId, data.identityId], [method, caId, identityId]);
      }
      const { token } = (await app.request('GET', `/identities/${foreign.identityId}`)).body.data.enrollment.ottca;
      assert.equal((await byToken(app, token, foreign)).status, 200, 'the same certificate serves again');
    },
  );
});
