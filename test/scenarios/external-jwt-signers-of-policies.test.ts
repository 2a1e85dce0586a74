import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { AT, byCertificate, byEndpoint } from '../support/external-jwt-signers.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

onEveryStore('external JWT signers of authentication policies', (open) => {
  test('a signer that a policy names is not deleted, and is once none does', proves(342), async () => {
    await using app = await open();
    const [allowed, required] = [
      await app.create(AT, byCertificate),
      await app.create(AT, { ...byEndpoint, name: 'required', issuer: 'x' }),
    ];
    const policy = await app.create(
      '/auth-policies',
      policyBody('strict', { extJwt: { allowedSigners: [allowed] }, secondary: { requireExtJwtSigner: required } }),
    );
    for (const id of [allowed, required]) {
      const refusal = await app.request('DELETE', `${AT}/${id}`);
      assertRefused(refusal, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
      assert.match(refusal.body.error.cause.reason, new RegExp(`^externalJwtSigner ${id} is used by auth-policies `));
    }
    await app.request('PATCH', `/auth-policies/${policy}`, { body: { secondary: { requireExtJwtSigner: null } } });
    assert.equal((await app.request('DELETE', `${AT}/${required}`)).status, 200);
    assertRefused(await app.request('DELETE', `${AT}/${allowed}`), 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    await app.request('PUT', `/auth-policies/${policy}`, { body: policyBody('lenient') });
    assert.equal((await app.request('DELETE', `${AT}/${allowed}`)).status, 200);
  });

  test('a policy names signers that exist, on create, replace and patch', proves(50), async () => {
    await using app = await open();
    const id = await app.create(AT, byCertificate);
    const body = policyBody('strict', { extJwt: { allowedSigners: [id, id] }, secondary: { requireExtJwtSigner: id } });
    const policy = await app.create('/auth-policies', body);
    const { primary, secondary } = (await app.request('GET', `/auth-policies/${policy}`)).body.data;
    assert.deepEqual([primary.extJwt.allowedSigners, secondary.requireExtJwtSigner], [[id], id]);
    const among = ['!', id]; // sets are sorted: the unknown one comes first
    for (const [field, parts] of [
      ['primary.extJwt.allowedExtJwtSigners[0]', { primary: { extJwt: { allowedSigners: among } } }],
      ['secondary.requiredExtJwtSigner', { secondary: { requireExtJwtSigner: 'no-such-signer' } }],
    ] as const) {
      const refusal = await app.request('PATCH', `/auth-policies/${policy}`, { body: parts });
      assertRefused(refusal, 404, 'NOT_FOUND');
      assert.equal(refusal.body.error.cause.field, field);
    }
    assertRefused(
      await app.request('PUT', `/auth-policies/${policy}`, { body: policyBody('strict', { extJwt: { allowedSigners: among } }) }),
      404,
      'NOT_FOUND',
    );
  });
});
