import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateChain } from '../../src/crypto/pki/chain.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, aForeignCertificate, COMMON_NAME, certificateLogin, chainOf, verifyCa } from '../support/certificates.ts';
import { post } from '../support/enrolling.ts';
import { authority, NOW, type PartyOptions, party, sharedPki } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';
import { aRouterCertificate, requestsOf } from '../support/routers.ts';

/** Valid from the first to the last millisecond of these five seconds. Certificates know whole seconds. */
const FROM = NOW + 5000;
const UNTIL = NOW + 10_000;
const within: PartyOptions = { notBefore: FROM, notAfter: UNTIL };

/** Asks right before, at, and right after each end. */
const atEachEnd = async (app: App, isGood: () => Promise<boolean>): Promise<readonly boolean[]> => {
  const seen: boolean[] = [];
  for (const time of [FROM - 1, FROM, UNTIL, UNTIL + 1]) {
    app.clock.advance(`${time - app.clock.now()}ms`);
    seen.push(await isGood());
  }
  return seen;
};
const EXPECTED = [false, true, true, false];

onEveryStore('the time of certificates', (open) => {
  test('a client logs in from the beginning of its certificate to its end, both included', async () => {
    await using app = await open();
    const own = await aCa(app);
    const mine = await aForeignCertificate(app, own, within);
    const authPolicyId = await app.create('/auth-policies', policyBody('strict', { cert: { allowExpiredCerts: false } }));
    await app.request('PATCH', `/identities/${mine.identityId}`, { body: { authPolicyId } });
    assert.deepEqual(await atEachEnd(app, async () => (await certificateLogin(app, mine)).status === 200), EXPECTED);
  });

  test('so does one whose authority has ends', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME }, { as: await authority('short', within), verified: false });
    await app.alter('ca', own.id, { isVerified: true });
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const ann = await own.issue('ann', within);
    assert.deepEqual(await atEachEnd(app, async () => (await certificateLogin(app, ann)).status === 200), EXPECTED);
  });

  test('a router proves itself from the beginning of its certificate to its end, both included', async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const { id } = await aRouterCertificate(app);
    const mine = await party(id, { by: signer, ...within });
    await app.alter('router', id, { fingerprint: mine.certificate.fingerprint });
    const certificates = chainOf(mine, signer);
    const connects = () =>
      app.controller.presence.connect({ certificates }).then(
        (connection) => {
          connection.close();
          return true;
        },
        (error) => {
          assert.equal(error.code, 'UNAUTHORIZED');
          return false;
        },
      );
    assert.deepEqual(await atEachEnd(app, connects), EXPECTED);
  });

  test('nor does a router extend a certificate before its time or after it', async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const { id } = await aRouterCertificate(app);
    const mine = await party(id, { by: signer, ...within });
    const extends_ = async () => {
      await app.alter('router', id, { fingerprint: mine.certificate.fingerprint });
      const body = await requestsOf(id);
      return (await post(app, '/enroll/extend/router', { body, certificates: chainOf(mine, signer) })).status === 200;
    };
    assert.deepEqual(await atEachEnd(app, extends_), EXPECTED);
  });

  test('a chain holds from the first to the last moment of each certificate in it', async () => {
    const root = await authority('root', within);
    const leaf = await party('leaf', { by: root, notBefore: NOW, notAfter: UNTIL });
    const faults = await Promise.all(
      [FROM - 1, FROM, UNTIL, UNTIL + 1].map(
        async (now) => (await validateChain(leaf.certificate, { anchors: [root.certificate], intermediates: [], now })).fault,
      ),
    );
    assert.deepEqual(faults, ['notValidNow', undefined, undefined, 'notValidNow']);
  });
});

onEveryStore('certificates with two common names', (open) => {
  const subject = (...names: readonly string[]) => ({ subject: names.map((name) => ({ CN: [name] })) });

  test('have none: they prove no external id, whichever comes first', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME });
    for (const externalId of ['ann', 'bob'])
      await app.create('/identities', { name: externalId, type: 'User', isAdmin: false, externalId });
    for (const names of [
      ['ann', 'bob'],
      ['bob', 'ann'],
      ['ann', 'ann'],
    ]) {
      const both = await own.issue('both', subject(...names));
      assert.equal(both.certificate.commonName, undefined);
      assertRefused(await certificateLogin(app, both), 401, 'INVALID_AUTH');
      assertRefused(await post(app, '/enroll/ca', { body: {}, certificates: chainOf(both) }), 400, 'MISSING_CERT_CLAIM');
    }
    assert.equal((await certificateLogin(app, await own.issue('ann'))).status, 200);
  });

  test('verify no authority', async () => {
    await using app = await open();
    const own = await aCa(app, {}, { verified: false });
    for (const names of [
      [own.verificationToken, 'x'],
      ['x', own.verificationToken],
    ])
      assertRefused(await verifyCa(app, own.id, (await own.issue('x', subject(...names))).cert), 400, 'INVALID_COMMON_NAME');
    assert.equal((await own.verify()).status, 200);
  });
});
