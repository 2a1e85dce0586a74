/** A signer that a delegate has written is no second factor of an identity with rights, neither for writes nor for reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner } from '../support/provider.ts';

onEveryStore('the second factor of an identity with rights', (open) => {
  test('is not satisfied by the token of a signer that a delegate has written', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true });
    const delegate = await (await app.user({ permissions: ['external-jwt-signer'] })).login();
    const change = { useExternalId: false };
    assert.equal((await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { as: delegate, body: change })).status, 200);
    const secondary = { requireTotp: false, requireExtJwtSigner: signer.id };
    const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary }));
    const readers = [{ isAdmin: true }, { permissions: ['identity'] }, { scopedPermissions: { identity: { roleAttributes: ['team-a'] } } }];
    for (const rights of readers) {
      const { id, login } = await app.user({ ...rights, authPolicyId });
      const headers = { authorization: `Bearer ${await signer.token({ sub: id })}` };
      const as = await login();
      for (const [method, path, body] of [
        ['GET', '/identities'],
        ['GET', `/identities/${id}`],
        ['GET', '/current-identity'],
        ['PATCH', `/identities/${id}`, { name: 'taken' }],
      ] as const)
        assert.equal((await app.request(method, path, { as, headers, body })).status, 401, `${JSON.stringify(rights)}: ${method} ${path}`);
    }
    const plain = await app.user({ authPolicyId });
    const headers = { authorization: `Bearer ${await signer.token({ sub: plain.id })}` };
    assert.equal((await app.request('GET', '/current-identity', { as: await plain.login(), headers })).status, 200);
  });
});
