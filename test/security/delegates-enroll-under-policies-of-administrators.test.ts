/** Whom a delegate lets a signer enroll must not come under an authentication policy by which identities with rights log in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner } from '../support/provider.ts';
import { enrollBy, request } from '../support/token-enrollment.ts';

const delegateOf = async (app: App) => (await app.user({ permissions: ['external-jwt-signer'] })).login();

onEveryStore('a delegate', (open) => {
  test('lets no signer of an administrator enroll under a policy of identities with rights', async () => {
    await using app = await open();
    const token = await delegateOf(app);
    const own = await app.create('/auth-policies', policyBody('own'));
    const signer = await certificateSigner(app, { useExternalId: true });
    const patch = async (body: object) => (await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { as: token, body })).status;
    for (const body of [
      { enrollToTokenEnabled: true },
      { enrollToCertEnabled: true },
      { enrollToTokenEnabled: true, enrollAuthPolicyId: 'default' },
    ])
      assert.equal(await patch(body), 401, JSON.stringify(body));
    assert.equal(await patch({ enrollToTokenEnabled: true, enrollAuthPolicyId: own }), 200);
    assert.equal(await patch({ enrollAuthPolicyId: 'default' }), 401);
    // What an administrator has allowed stays, and the delegate may change the rest.
    const theirs = await certificateSigner(app, { useExternalId: true, enrollToTokenEnabled: true });
    const named = await app.request('PATCH', `/external-jwt-signers/${theirs.id}`, { as: token, body: { name: 'renamed' } });
    assert.equal(named.status, 200);
  });

  test('has written a signer that enrolls nobody once an identity with rights has its policy', async () => {
    await using app = await open();
    const token = await delegateOf(app);
    const enrollAuthPolicyId = await app.create('/auth-policies', policyBody('own'));
    const signer = await certificateSigner(app, { useExternalId: true });
    const body = { enrollToTokenEnabled: true, enrollToCertEnabled: true, enrollAuthPolicyId, useExternalId: true, audience: 'another' };
    assert.equal((await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { as: token, body })).status, 200);
    const enroll = async (sub: string, clientCsr = '') =>
      enrollBy(app, await signer.token({ sub, aud: 'another' }), clientCsr ? { clientCsr } : {});
    assert.equal((await enroll('ann')).status, 200);
    const holder = await app.user({ permissions: ['service.read'], authPolicyId: enrollAuthPolicyId });
    for (const clientCsr of ['', await request()]) {
      const answer = await enroll('eve', clientCsr);
      assert.equal(answer.body.error?.cause?.field, 'enrollAuthPolicyId', answer.text);
      assert.ok(answer.status >= 400 && answer.status < 500);
    }
    const found = await app.request('GET', `/identities?filter=${encodeURIComponent('externalId = "eve"')}`);
    assert.deepEqual(found.body.data, []);
    await app.request('PATCH', `/identities/${holder.id}`, { body: { permissions: [] } });
    assert.equal((await enroll('eve')).status, 200);
  });
});
