import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, onEveryStore } from '../support/app.ts';
import { aCa, aForeignCertificate, COMMON_NAME, certificateLogin, chainOf, type TestCa } from '../support/certificates.ts';
import { post, setPassword, toEnroll } from '../support/enrolling.ts';
import { type Interleaved, interleaved } from '../support/interleaving.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

/** Each refusal is asked for once as it is, and once with something that happens between the reads and the write. */
const meanwhile = async (
  store: Interleaved,
  happens: () => Promise<unknown>,
  reads: number,
  ask: () => Promise<Answer>,
): Promise<Answer> => {
  store.afterReads(happens, reads);
  const answer = await ask();
  assert.ok(store.isOver, 'it has happened');
  return answer;
};

onEveryStore('what happens between the look at a certificate and the write', (open, name) => {
  const opened = async () => {
    const store = interleaved(newStorage(name));
    const app = await open({ storage: store.storage });
    const patchCa = ({ id }: TestCa, body: object) => app.request('PATCH', `/cas/${id}`, { body });
    return { store, app, patchCa };
  };

  test('an authority that is switched off or deleted meanwhile logs nobody in', async () => {
    const { store, app, patchCa } = await opened();
    await using _ = app;
    const [claiming, plain] = [await aCa(app, { externalIdClaim: COMMON_NAME }), await aCa(app)];
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    for (const [own, party] of [
      [claiming, await claiming.issue('ann')],
      [plain, await aForeignCertificate(app, plain)],
    ] as const) {
      const log = () => certificateLogin(app, party);
      for (const [there, back] of [
        [() => patchCa(own, { isAuthEnabled: false }), () => patchCa(own, { isAuthEnabled: true })],
        [() => app.alter('ca', own.id, { isVerified: false }), () => app.alter('ca', own.id, { isVerified: true })],
      ] as const) {
        assertRefused(await meanwhile(store, there, 1, log), 401, 'INVALID_AUTH');
        await back();
        assert.equal((await log()).status, 200);
      }
      assertRefused(await meanwhile(store, () => app.request('DELETE', `/cas/${own.id}`), 1, log), 401, 'INVALID_AUTH');
    }
  });

  test('nor does one whose identity is disabled, or whose policy takes no certificates any more, or whose certificate ends meanwhile', async () => {
    const { store, app } = await opened();
    await using _ = app;
    const own = await aCa(app);
    const mine = await aForeignCertificate(app, own, { notAfter: app.clock.now() + 1000 });
    const authPolicyId = await app.create('/auth-policies', policyBody('strict', { cert: { allowExpiredCerts: false } }));
    const at = `/identities/${mine.identityId}`;
    await app.request('PATCH', at, { body: { authPolicyId } });
    const log = () => certificateLogin(app, mine);
    assert.equal((await log()).status, 200);
    assertRefused(
      await meanwhile(store, () => app.request('POST', `${at}/disable`, { body: { durationMinutes: 5 } }), 1, log),
      401,
      'INVALID_AUTH',
    );
    await app.request('POST', `${at}/enable`);
    const set = (allowed: boolean) => app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { primary: { cert: { allowed } } } });
    assertRefused(await meanwhile(store, () => set(false), 1, log), 401, 'INVALID_AUTH');
    await set(true);
    assert.equal((await log()).status, 200);
    assertRefused(await meanwhile(store, async () => app.clock.advance('1001ms'), 1, log), 401, 'INVALID_AUTH');
  });

  test('an authority that lets nobody enroll by a token any more is asked again by the write', async () => {
    const { store, app, patchCa } = await opened();
    await using _ = app;
    const own = await aCa(app);
    const { identityId, enrollment } = await toEnroll(app, { ottca: own.id });
    const certificates = chainOf(await own.issue('ann'));
    const ask = () => post(app, `/enroll?method=ottca&token=${enrollment.token}`, { body: {}, certificates });
    const refused = await meanwhile(store, () => patchCa(own, { isOttCaEnrollmentEnabled: false }), 2, ask);
    assertRefused(refused, 400, 'ENROLLMENT_CA_NOT_VALID');
    assert.deepEqual((await app.request('GET', `/identities/${identityId}`)).body.data.authenticators, {});
    await patchCa(own, { isOttCaEnrollmentEnabled: true });
    assert.equal((await ask()).status, 200);
  });

  test('so is one that lets nobody enroll by themselves any more', async () => {
    const { store, app, patchCa } = await opened();
    await using _ = app;
    const own = await aCa(app);
    const certificates = chainOf(await own.issue('ann'));
    const ask = () => post(app, '/enroll/ca', { body: {}, certificates });
    const before = await app.count('identity');
    for (const [there, back] of [
      [() => patchCa(own, { isAutoCaEnrollmentEnabled: false }), () => patchCa(own, { isAutoCaEnrollmentEnabled: true })],
      [() => app.alter('ca', own.id, { isVerified: false }), () => app.alter('ca', own.id, { isVerified: true })],
    ] as const) {
      assertRefused(await meanwhile(store, there, 2, ask), 400, 'CERT_FAILED_VALIDATION');
      assert.equal(await app.count('identity'), before);
      await back();
    }
    assert.equal((await ask()).status, 200);
  });

  test('an enrollment that ends, is refreshed or is deleted meanwhile enrolls nobody', async () => {
    const { store, app } = await opened();
    await using _ = app;
    const toPassword = async (username: string) => {
      const identityId = await app.create('/identities', { name: username, type: 'User', isAdmin: false });
      const expiresAt = new Date(app.clock.now() + 300_000).toISOString();
      const id = await app.create('/enrollments', { identityId, method: 'updb', username, expiresAt });
      const { token } = (await app.request('GET', `/enrollments/${id}`)).body.data;
      const hasPassword = async () => 'updb' in (await app.request('GET', `/identities/${identityId}`)).body.data.authenticators;
      return { id, hasPassword, ask: () => setPassword(app, token) };
    };
    const refresh = (id: string) => app.request('POST', `/enrollments/${id}/refresh`, { body: { expiresAt: '2027-01-01T00:00:00Z' } });
    for (const [username, happens] of [
      ['refreshed', refresh],
      ['deleted', (id: string) => app.request('DELETE', `/enrollments/${id}`)],
    ] as const) {
      const { id, hasPassword, ask } = await toPassword(username);
      assertRefused(await meanwhile(store, () => happens(id), 2, ask), 400, 'INVALID_ENROLLMENT_TOKEN');
      assert.equal(await hasPassword(), false);
    }
    const [late, punctual] = [await toPassword('late'), await toPassword('punctual')];
    app.clock.advance('299998ms');
    const inTime = await meanwhile(store, async () => app.clock.advance('1ms'), 2, punctual.ask);
    assert.equal(inTime.status, 200);
    assertRefused(await meanwhile(store, async () => app.clock.advance('1ms'), 2, late.ask), 400, 'ENROLLMENT_EXPIRED');
    assert.deepEqual([await late.hasPassword(), await punctual.hasPassword()], [false, true]);
  });
});
