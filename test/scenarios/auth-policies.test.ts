import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const read = async (app: App, id: string) => (await app.request('GET', `/auth-policies/${id}`)).body.data;
const strict = {
  minPasswordLength: 8,
  requireSpecialChar: true,
  requireNumberChar: true,
  requireMixedCase: true,
  maxAttempts: 3,
  lockoutDurationMinutes: 5,
} as const;

onEveryStore('authentication policies', (open) => {
  test('the default policy allows certificates, passwords and tokens, and demands nothing more', proves(430), async () => {
    await using app = await open();
    const { createdAt, updatedAt, ...fields } = await read(app, 'default');
    assert.deepEqual(fields, {
      _links: { self: { href: './auth-policies/default' } },
      id: 'default',
      name: 'Default',
      tags: {},
      primary: {
        cert: { allowed: true, allowExpiredCerts: true },
        extJwt: { allowed: true, allowedSigners: [] },
        updb: {
          allowed: true,
          minPasswordLength: 5,
          requireSpecialChar: false,
          requireNumberChar: false,
          requireMixedCase: false,
          maxAttempts: 0,
          lockoutDurationMinutes: 0,
        },
      },
      secondary: { requireTotp: false },
    });
    assert.equal(createdAt, updatedAt);
  });

  test('the default policy can be changed, and never deleted', proves(342), async () => {
    await using app = await open();
    assert.equal(
      (await app.request('PATCH', '/auth-policies/default', { body: { name: 'House rules', primary: { updb: { maxAttempts: 9 } } } }))
        .status,
      200,
    );
    const refused = await app.request('DELETE', '/auth-policies/default');
    assertRefused(refused, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    assert.equal(refused.body.error.cause.field, 'authPolicyId');
    assert.deepEqual([(await read(app, 'default')).name, (await read(app, 'default')).primary.updb.maxAttempts], ['House rules', 9]);
    // Not even when no identity names it.
    const authPolicyId = await app.create('/auth-policies', policyBody('ours'));
    for (const { id } of await app.rows('identity')) await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId } });
    assert.ok((await app.rows('identity')).every((row) => row.authPolicyId === authPolicyId));
    assertRefused(await app.request('DELETE', '/auth-policies/default'), 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
  });

  test('a policy keeps all its parts, is found by them, and is replaced as a whole', proves(5, 49, 318), async () => {
    await using app = await open();
    const body = policyBody('strict', { updb: strict, cert: { allowExpiredCerts: false }, tags: { a: 'b' } });
    const id = await app.create('/auth-policies', body);
    const { primary, secondary, tags, name } = await read(app, id);
    assert.deepEqual({ name, primary, secondary, tags }, body);
    assert.deepEqual(namesIn(await list(app, '/auth-policies', { filter: 'primary.updb.minPasswordLength > 5' })), ['strict']);
    assert.deepEqual((await app.request('PUT', `/auth-policies/${id}`, { body: policyBody('lenient') })).body.data, {});
    const replaced = await read(app, id);
    assert.deepEqual(
      { name: replaced.name, primary: replaced.primary, secondary: replaced.secondary, tags: replaced.tags },
      { ...policyBody('lenient'), tags: {} },
    );
  });

  test('create and replace need every part of a policy but the required signer', proves(47, 48, 49, 50, 51, 57), async () => {
    await using app = await open();
    const id = await app.create('/auth-policies', policyBody('good'));
    const good = policyBody('another');
    const without = (path: string) => {
      const copy = structuredClone(good) as Record<string, unknown>;
      const keys = path.split('.');
      const last = keys.pop() ?? '';
      const holder = keys.reduce((at, key) => at[key] as Record<string, unknown>, copy);
      delete holder[last];
      return copy;
    };
    const leaves = Object.entries(good.primary).flatMap(([part, values]) => [
      `primary.${part}`,
      ...Object.keys(values).map((leaf) => `primary.${part}.${leaf}`),
    ]);
    for (const path of ['name', 'primary', 'secondary', 'secondary.requireTotp', ...leaves]) {
      assertInvalid(await app.request('POST', '/auth-policies', { body: without(path) }), path);
      assertInvalid(await app.request('PUT', `/auth-policies/${id}`, { body: without(path) }), path);
    }
    for (const field of ['primary', 'secondary', 'name'])
      assertInvalid(await app.request('POST', '/auth-policies', { body: { ...good, [field]: null } }), field);
    assertInvalid(await app.request('PUT', `/auth-policies/${id}`, { body: {} }), 'name');
    assertInvalid(await app.request('POST', '/auth-policies'), 'authPolicy');
    assert.equal((await read(app, id)).name, 'good');
  });

  test('numbers out of range are brought into range', async () => {
    await using app = await open();
    const low = { minPasswordLength: 2, maxAttempts: -3, lockoutDurationMinutes: -5 };
    const raised = { minPasswordLength: 5, maxAttempts: 0, lockoutDurationMinutes: 0 };
    const id = await app.create('/auth-policies', policyBody('low', { updb: low }));
    const numbers = async () => {
      const { minPasswordLength, maxAttempts, lockoutDurationMinutes } = (await read(app, id)).primary.updb;
      return { minPasswordLength, maxAttempts, lockoutDurationMinutes };
    };
    assert.deepEqual(await numbers(), raised);
    await app.request('PUT', `/auth-policies/${id}`, { body: policyBody('low', { updb: strict }) });
    await app.request('PATCH', `/auth-policies/${id}`, { body: { primary: { updb: low } } });
    assert.deepEqual(await numbers(), raised);
  });

  test('signers that are not there are not found, on create, replace and patch', proves(50, 57, 432), async () => {
    await using app = await open();
    const id = await app.create('/auth-policies', policyBody('good'));
    const allowed = { extJwt: { allowedSigners: ['no-such-signer'] } };
    const owed = { secondary: { requireTotp: false, requireExtJwtSigner: 'no-such-signer' } };
    for (const [body, field] of [
      [allowed, 'primary.extJwt.allowedExtJwtSigners[0]'],
      [owed, 'secondary.requiredExtJwtSigner'],
    ] as const) {
      const answers = [
        await app.request('POST', '/auth-policies', { body: policyBody('bad', body) }),
        await app.request('PUT', `/auth-policies/${id}`, { body: policyBody('bad', body) }),
        await app.request('PATCH', `/auth-policies/${id}`, { body: 'extJwt' in body ? { primary: body } : body }),
      ];
      for (const answer of answers) {
        assertRefused(answer, 404, 'NOT_FOUND');
        assert.equal(answer.body.error.cause.field, field);
      }
    }
    assert.equal((await read(app, id)).name, 'good');
  });

  test('an unset signer is left out, whether it was never given, null, or empty', proves(432), async () => {
    await using app = await open();
    for (const [name, secondary] of [
      ['absent', {}],
      ['null', { requireExtJwtSigner: null }],
      ['empty', { requireExtJwtSigner: '' }],
    ] as const) {
      const id = await app.create('/auth-policies', policyBody(name, { secondary }));
      assert.deepEqual((await read(app, id)).secondary, { requireTotp: false });
      assert.equal(
        (await app.request('PATCH', `/auth-policies/${id}`, { body: { secondary: { requireExtJwtSigner: null } } })).status,
        200,
      );
      assert.deepEqual((await read(app, id)).secondary, { requireTotp: false });
    }
  });

  test('a policy that an identity has is not deleted', proves(342), async () => {
    await using app = await open();
    const id = await app.create('/auth-policies', policyBody('used'));
    const user = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, authPolicyId: id });
    const refused = await app.request('DELETE', `/auth-policies/${id}`);
    assertRefused(refused, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    assert.deepEqual([refused.body.error.cause.field, refused.body.error.cause.value], ['authPolicyId', `[${user}]`]);
    await app.request('PATCH', `/identities/${user}`, { body: { authPolicyId: ' ' } });
    assert.equal((await app.request('DELETE', `/auth-policies/${id}`)).status, 200);
  });
});
