/** Signers may ignore the case of external ids. Whoever could take an administrator's in another case would lock it out: two identities would match its tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner, loginByToken } from '../support/provider.ts';
import { enrollBy, enrollingSigner } from '../support/token-enrollment.ts';

onEveryStore('the external id of an administrator', (open) => {
  test('is taken in another case by no delegate, and by no bearer of a token that enrolls', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true, ignoreExternalIdCase: true });
    await app.user({ isAdmin: true, externalId: 'Root@example.org' });
    const login = async (sub: string) => (await loginByToken(app, await signer.token({ sub }))).status;
    assert.equal(await login('root@example.org'), 200);
    const plain = await app.user();
    const token = await (await app.user({ permissions: ['identity'] })).login();
    for (const externalId of ['root@example.org', 'ROOT@EXAMPLE.ORG']) {
      const answer = await app.request('PATCH', `/identities/${plain.id}`, { as: token, body: { externalId } });
      assert.equal(answer.status, 401, answer.text);
      const body = { name: externalId, type: 'User', isAdmin: false, externalId };
      assert.equal((await app.request('POST', '/identities', { as: token, body })).status, 401);
    }
    const enrollAuthPolicyId = await app.create('/auth-policies', policyBody('enrolled'));
    const another = await enrollingSigner(app, { enrollAuthPolicyId });
    const enrolled = await enrollBy(app, await another.token({ sub: 'rOOT@example.org' }));
    assert.deepEqual([enrolled.status, enrolled.body.error?.code], [409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED']);
    assert.equal(await login('root@example.org'), 200);
    assert.equal(
      (await app.request('PATCH', `/identities/${plain.id}`, { as: token, body: { externalId: 'ann@example.org' } })).status,
      200,
    );
    assert.equal(
      (await app.request('PATCH', `/identities/${plain.id}`, { as: token, body: { externalId: 'Ann@example.org' } })).status,
      200,
    );
  });
});
