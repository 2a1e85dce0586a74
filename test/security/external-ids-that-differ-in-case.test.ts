/**
 * Signers may ignore the case of external ids. Whoever could take an administrator's in another case would lock it out: two identities
 * would match its tokens.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, COMMON_NAME, chainOf } from '../support/certificates.ts';
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

onEveryStore('the external id of an identity without rights, where a signer ignores its case', (open) => {
  const ground = async (app: App) => {
    const strong = await certificateSigner(app, { useExternalId: true, ignoreExternalIdCase: true });
    await app.user({ externalId: 'Bob@example.org', roleAttributes: ['theirs'] });
    const isBob = async () => (await loginByToken(app, await strong.token({ sub: 'bob@example.org' }))).body.data?.identityId;
    return { isBob, before: await isBob() };
  };

  test('is taken in another case neither by the token of another signer nor by a certificate', async () => {
    await using app = await open();
    const { isBob, before } = await ground(app);
    const enrollAuthPolicyId = await app.create('/auth-policies', policyBody('enrolled'));
    const weak = await enrollingSigner(app, { enrollAuthPolicyId });
    const enrolled = await enrollBy(app, await weak.token({ sub: 'bob@example.org' }));
    assert.deepEqual([enrolled.status, enrolled.body.error?.code], [409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED']);
    const ca = await aCa(app, { externalIdClaim: COMMON_NAME });
    const certificates = chainOf(await ca.issue('bob@example.org'));
    const byCertificate = await app.request('POST', '/edge/client/v1/enroll?method=ca', { as: null, body: {}, certificates });
    assert.equal(byCertificate.body.error?.cause?.field, 'externalId', byCertificate.text);
    assert.equal(await isBob(), before);
    assert.equal((await enrollBy(app, await weak.token({ sub: 'carl@example.org' }))).status, 200);
  });

  test('is given in another case to no identity of a delegate, which need not see whose it is', async () => {
    await using app = await open();
    const { isBob, before } = await ground(app);
    const own = await app.user({ roleAttributes: ['own'] });
    const as = await (await app.user({ scopedPermissions: { 'identity.update': { roleAttributes: ['own'] } } })).login();
    const give = async (externalId: string) => (await app.request('PATCH', `/identities/${own.id}`, { as, body: { externalId } })).status;
    assert.deepEqual([await give('bob@example.org'), await give('carl@example.org'), await give('Carl@example.org')], [401, 200, 200]);
    assert.equal(await isBob(), before);
  });
});

onEveryStore('external ids, where all signers mind the case', (open) => {
  test('may differ in case alone', async () => {
    await using app = await open();
    await app.user({ externalId: 'Bob@example.org' });
    const signer = await enrollingSigner(app, { enrollAuthPolicyId: await app.create('/auth-policies', policyBody('enrolled')) });
    assert.equal((await enrollBy(app, await signer.token({ sub: 'bob@example.org' }))).status, 200);
  });
});
