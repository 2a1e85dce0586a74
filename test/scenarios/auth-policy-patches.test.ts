import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';

const read = async (app: App, id: string) => (await app.request('GET', `/auth-policies/${id}`)).body.data;
const strict = {
  minPasswordLength: 8,
  requireSpecialChar: true,
  requireNumberChar: true,
  requireMixedCase: true,
  maxAttempts: 3,
  lockoutDurationMinutes: 5,
} as const;

onEveryStore('patches of authentication policies', (open) => {
  test('a patch changes each leaf on its own', proves(50, 60, 318), async () => {
    await using app = await open();
    const body = policyBody('strict', { updb: { ...strict, requireNumberChar: false }, tags: { a: 'b' } });
    const id = await app.create('/auth-policies', body);
    const parts = async (patch: object) => {
      assert.equal((await app.request('PATCH', `/auth-policies/${id}`, { body: patch })).status, 200);
      const { name, primary, secondary, tags } = await read(app, id);
      return { name, primary, secondary, tags };
    };
    const expected = structuredClone(body) as ReturnType<typeof policyBody>;
    for (const [part, leaf, value] of [
      ['cert', 'allowExpiredCerts', false],
      ['cert', 'allowed', false],
      ['extJwt', 'allowed', false],
      ['updb', 'minPasswordLength', 12],
      ['updb', 'requireNumberChar', true],
      ['updb', 'requireMixedCase', false],
      ['updb', 'requireSpecialChar', false],
      ['updb', 'maxAttempts', 7],
      ['updb', 'lockoutDurationMinutes', 11],
    ] as const) {
      (expected.primary[part] as Record<string, unknown>)[leaf] = value;
      assert.deepEqual(await parts({ primary: { [part]: { [leaf]: value } } }), expected, `${part}.${leaf}`);
    }
    assert.deepEqual(await parts({ secondary: { requireTotp: true } }), { ...expected, secondary: { requireTotp: true } });
    assert.deepEqual(await parts({ name: 'renamed', tags: {} }), {
      ...expected,
      name: 'renamed',
      secondary: { requireTotp: true },
      tags: {},
    });
  });

  test('null in a patch changes nothing: neither name, primary, secondary, nor a leaf', proves(58, 61), async () => {
    await using app = await open();
    const id = await app.create('/auth-policies', policyBody('strict', { updb: strict, secondary: { requireTotp: true } }));
    const before = await read(app, id);
    const left = await app.trail(async () => {
      for (const body of [
        { name: null, primary: null, secondary: null, tags: null },
        { primary: {} },
        { secondary: {} },
        { primary: { updb: null, cert: {} } },
        { secondary: { requireTotp: null } },
      ]) {
        assert.equal((await app.request('PATCH', `/auth-policies/${id}`, { body })).status, 200, JSON.stringify(body));
        assert.deepEqual(await read(app, id), before, JSON.stringify(body));
      }
    });
    assert.deepEqual(left, []);
    await app.request('PATCH', `/auth-policies/${id}`, {
      body: { name: null, secondary: null, primary: { cert: null, updb: { maxAttempts: null, requireMixedCase: false } } },
    });
    const { name, primary, secondary } = await read(app, id);
    assert.deepEqual(
      { name, primary, secondary },
      policyBody('strict', { updb: { ...strict, requireMixedCase: false }, secondary: { requireTotp: true } }),
    );
  });
});
