/** How administrators set up external JWT signers that enroll identities. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { AT, byEndpoint, detail, NO_ENROLLMENT } from '../support/external-jwt-signers.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const CLIENT = '/edge/client/v1/external-jwt-signers';

const enrollFields = async (app: App, id: string) =>
  Object.fromEntries(Object.entries(await detail(app, id)).filter(([field]) => field.startsWith('enroll')));

const patch = (app: App, id: string, body: unknown) => app.request('PATCH', `${AT}/${id}`, { body });

onEveryStore('signers that enroll identities', (open) => {
  test('do not enroll by default, and name identities by the subject', async () => {
    await using app = await open();
    const id = await app.create(AT, byEndpoint);
    assert.deepEqual(await enrollFields(app, id), NO_ENROLLMENT);
    const blank = { enrollNameClaimsSelector: ' ', enrollAttributeClaimsSelector: ' ', enrollAuthPolicyId: '' };
    assert.deepEqual(await enrollFields(app, await app.create(AT, { ...byEndpoint, name: 'b', issuer: 'b', ...blank })), NO_ENROLLMENT);
  });

  test('keep what a patch leaves out, take the default for blank text, and lose what a replacement leaves out', async () => {
    await using app = await open();
    const enrollAuthPolicyId = await app.create('/auth-policies', policyBody('enrolled'));
    const given = {
      enrollToCertEnabled: true,
      enrollToTokenEnabled: true,
      enrollNameClaimsSelector: 'preferred_username',
      enrollAttributeClaimsSelector: '/realm_access/roles',
      enrollAuthPolicyId,
    };
    const id = await app.create(AT, { ...byEndpoint, ...given });
    assert.deepEqual(await enrollFields(app, id), given);
    await patch(app, id, { name: 'renamed', ...Object.fromEntries(Object.keys(given).map((field) => [field, null])) });
    assert.deepEqual(await enrollFields(app, id), given);
    await patch(app, id, { enrollNameClaimsSelector: '', enrollAttributeClaimsSelector: '', enrollAuthPolicyId: '' });
    assert.deepEqual(await enrollFields(app, id), { ...NO_ENROLLMENT, enrollToCertEnabled: true, enrollToTokenEnabled: true });
    await patch(app, id, given);
    assert.equal((await app.request('PUT', `${AT}/${id}`, { body: byEndpoint })).status, 200);
    assert.deepEqual(await enrollFields(app, id), NO_ENROLLMENT);
  });

  test('are refused for the first of: their keys, the policy, what it allows, the selectors', async () => {
    await using app = await open();
    const noTokens = await app.create('/auth-policies', policyBody('no tokens', { extJwt: { allowed: false } }));
    const noCerts = await app.create('/auth-policies', policyBody('no certificates', { cert: { allowed: false } }));
    const neither = await app.create('/auth-policies', policyBody('neither', { cert: { allowed: false }, extJwt: { allowed: false } }));
    const wrong = { enrollAttributeClaimsSelector: '/a~2', enrollNameClaimsSelector: 'b~2' };
    const both = { enrollToCertEnabled: true, enrollToTokenEnabled: true };
    const { jwksEndpoint: _, ...keyless } = byEndpoint;
    const id = await app.create(AT, { ...byEndpoint, name: 'stored', issuer: 'stored' });
    const refused = async (field: string, reason: RegExp, fields: object) => {
      const answers = [
        await app.request('POST', AT, { body: { ...byEndpoint, ...fields } }),
        await app.request('PUT', `${AT}/${id}`, { body: { ...byEndpoint, ...fields } }),
        await patch(app, id, fields),
      ];
      for (const answer of answers) {
        assertInvalid(answer, field);
        assert.match(answer.body.error.cause.reason, reason);
      }
    };
    assertRefused(
      await app.request('POST', AT, { body: { ...keyless, ...wrong, enrollAuthPolicyId: 'unknown' } }),
      400,
      'REFERENCED_ENTITY_NOT_FOUND',
    );
    const POLICY = 'enrollAuthPolicyId';
    await refused(POLICY, /^the auth policy does not exist$/, { ...wrong, ...both, enrollAuthPolicyId: 'unknown' });
    await refused(POLICY, /enrollToTokenEnabled .* primary\.extJwt/, { ...wrong, ...both, enrollAuthPolicyId: neither });
    await refused(POLICY, /enrollToTokenEnabled .* primary\.extJwt/, { ...wrong, ...both, enrollAuthPolicyId: noTokens });
    await refused(POLICY, /enrollToCertEnabled .* primary\.cert/, { ...wrong, ...both, enrollAuthPolicyId: noCerts });
    await refused('enrollAttributeClaimsSelector', /JSON Pointer/, { ...wrong, ...both });
    await refused('enrollNameClaimsSelector', /JSON Pointer/, { enrollNameClaimsSelector: 'b~2' });
    assert.deepEqual(await enrollFields(app, id), NO_ENROLLMENT);
    for (const [enrollAuthPolicyId, path] of [
      [noTokens, 'enrollToCertEnabled'],
      [noCerts, 'enrollToTokenEnabled'],
      [neither, 'enabled'],
    ] as const)
      assert.equal(
        (await patch(app, id, { enrollToCertEnabled: false, enrollToTokenEnabled: false, enrollAuthPolicyId, [path]: true })).status,
        200,
      );
    for (const field of ['enrollToCertEnabled', 'enrollNameClaimsSelector', 'enrollAuthPolicyId'])
      assertRefused(await patch(app, id, { [field]: [7] }), 400, 'COULD_NOT_PARSE_BODY');
  });

  test('check their policy as it is when they are written, not when it changes later', async () => {
    await using app = await open();
    const policy = await app.create('/auth-policies', policyBody('enrolled'));
    const id = await app.create(AT, { ...byEndpoint, enrollToCertEnabled: true, enrollAuthPolicyId: policy });
    assert.equal((await app.request('PATCH', `/auth-policies/${policy}`, { body: { primary: { cert: { allowed: false } } } })).status, 200);
    assertInvalid(await patch(app, id, { name: 'renamed' }), 'enrollAuthPolicyId');
    assert.equal((await patch(app, id, { enrollToCertEnabled: false })).status, 200);
  });

  test('keep their policy from being deleted', async () => {
    await using app = await open();
    const policy = await app.create('/auth-policies', policyBody('enrolled'));
    const id = await app.create(AT, { ...byEndpoint, enrollAuthPolicyId: policy });
    const answer = await app.request('DELETE', `/auth-policies/${policy}`);
    assertRefused(answer, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    assert.equal(answer.body.error.cause.field, 'enrollAuthPolicyId');
    await patch(app, id, { enrollAuthPolicyId: '' });
    assert.equal((await app.request('DELETE', `/auth-policies/${policy}`)).status, 200);
  });

  test('are found by these fields', async () => {
    await using app = await open();
    const policy = await app.create('/auth-policies', policyBody('enrolled'));
    const fields = {
      enrollToCertEnabled: true,
      enrollNameClaimsSelector: '/n',
      enrollAttributeClaimsSelector: '/a',
      enrollAuthPolicyId: policy,
    };
    const id = await app.create(AT, { ...byEndpoint, ...fields });
    await app.create(AT, { ...byEndpoint, name: 'other', issuer: 'other', enrollToTokenEnabled: true });
    const conditions = [
      'enrollToCertEnabled=true',
      'enrollToTokenEnabled=false',
      'enrollNameClaimsSelector="/n"',
      'enrollAttributeClaimsSelector="/a"',
      `enrollAuthPolicyId="${policy}"`,
    ];
    for (const condition of conditions) {
      const { data } = (await app.request('GET', `${AT}?filter=${encodeURIComponent(condition)}`)).body;
      assert.deepEqual(
        data.map((signer: { id: string }) => signer.id),
        [id],
        condition,
      );
    }
  });

  test('show clients how they may enroll, and no more', async () => {
    await using app = await open();
    const fields = { enrollToCertEnabled: true, enrollNameClaimsSelector: '/n', enrollAttributeClaimsSelector: '/a' };
    await app.create(AT, { ...byEndpoint, ...fields });
    const [shown] = (await app.request('GET', CLIENT, { as: null })).body.data;
    const ofEnrollment = Object.entries(shown).filter(([field]) => field.startsWith('enroll') || field === 'openIdConfigurationUrl');
    assert.deepEqual(Object.fromEntries(ofEnrollment), { enrollToCertEnabled: true, enrollToTokenEnabled: false });
    assertRefused(
      await app.request('GET', `${CLIENT}?filter=${encodeURIComponent('enrollAuthPolicyId="default"')}`, { as: null }),
      400,
      'INVALID_FILTER',
    );
  });
});
