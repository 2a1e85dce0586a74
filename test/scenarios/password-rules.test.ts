import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type Answer, type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid } from '../support/refusals.ts';

/** Every way to set a password, for an identity under a policy. Each takes a password and answers. */
const writes = async (
  app: App,
  updb: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, (password: string) => Promise<Answer>>>> => {
  const authPolicyId = await app.create('/auth-policies', policyBody('strict'));
  const user = await app.user({ authPolicyId });
  const identityId = await app.create('/identities', { name: 'without a password', type: 'User', isAdmin: false, authPolicyId });
  const as = await user.login();
  const { status } = await app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { primary: { updb } } });
  assert.equal(status, 200);
  const own = `/current-identity/authenticators/${user.authenticatorId}`;
  const theirs = `/authenticators/${user.authenticatorId}`;
  const username = 'a new name';
  const currentPassword = PASSWORD;
  return {
    create: (password) => app.request('POST', '/authenticators', { body: { identityId, method: 'updb', username: 'somebody', password } }),
    replace: (password) => app.request('PUT', theirs, { body: { username, password } }),
    patch: (password) => app.request('PATCH', theirs, { body: { password } }),
    'replace of an own': (password) => app.request('PUT', own, { as, body: { username, password, currentPassword } }),
    'patch of an own': (password) => app.request('PATCH', own, { as, body: { password, currentPassword } }),
  };
};

const assertRule = async (app: App, updb: Readonly<Record<string, unknown>>, bad: readonly string[], good: readonly string[]) => {
  const ways = await writes(app, updb);
  const left = await app.trail(async () => {
    for (const write of Object.values(ways)) for (const password of bad) assertInvalid(await write(password), 'password');
  });
  assert.deepEqual(left, []);
  const { create, ...changes } = ways;
  assert.equal((await create?.(good[0] ?? ''))?.status, 201);
  for (const [name, write] of Object.entries(changes)) {
    for (const password of good) {
      assert.equal((await write(password)).status, 200, `${name}: ${password}`);
      await changes.patch?.(PASSWORD); // the password that the next change of an own authenticator is proved by
    }
  }
};

onEveryStore('rules for passwords', (open) => {
  test('a new password must be as long as the policy says, however it is written', proves(53), async () => {
    await using app = await open();
    await assertRule(app, { minPasswordLength: 12 }, ['Short1!', 'elevenchars', '😀'.repeat(11)], ['twelve chars', '😀'.repeat(12)]);
  });

  test('a new password must have upper and lower case where the policy says so', proves(54), async () => {
    await using app = await open();
    await assertRule(app, { requireMixedCase: true }, ['all lower 1!', 'ALL UPPER 1!', '1234567!'], ['Both cases', 'ÄÖÜäöü']);
  });

  test('a new password must have a digit where the policy says so', proves(55), async () => {
    await using app = await open();
    await assertRule(app, { requireNumberChar: true }, ['No digit here!'], ['one digit 1', 'digit ٣ of another script']);
  });

  test('a new password must have a special character where the policy says so', proves(56), async () => {
    await using app = await open();
    await assertRule(app, { requireSpecialChar: true }, ['NoSpecial 123', 'ünïcödé letters'], ['special!', 'with - dash', 'under_score']);
  });

  test('all rules of a policy hold at once', async () => {
    await using app = await open();
    await assertRule(
      app,
      { minPasswordLength: 10, requireMixedCase: true, requireNumberChar: true, requireSpecialChar: true },
      ['Passw0rd!', 'passw0rd!!', 'PASSW0RD!!', 'Password!!', 'Passw0rdss'],
      ['Passw0rd!!', PASSWORD],
    );
  });

  test('the default policy asks for five characters and nothing else', async () => {
    await using app = await open();
    const user = await app.user();
    const patch = (password: string) => app.request('PATCH', `/authenticators/${user.authenticatorId}`, { body: { password } });
    assertInvalid(await patch('abcd'), 'password');
    for (const password of ['abcde', '     ', '😀'.repeat(5), 'a'.repeat(100)]) {
      assert.equal((await patch(password)).status, 200);
      assert.equal((await app.login(user.username, password)).status, 200);
    }
  });

  test('a rule that comes later does not touch the passwords that are there', async () => {
    await using app = await open();
    const user = await app.user();
    await app.request('PATCH', '/auth-policies/default', { body: { primary: { updb: { minPasswordLength: 50 } } } });
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
    assert.equal((await app.request('PATCH', `/authenticators/${user.authenticatorId}`, { body: { username: 'renamed' } })).status, 200);
  });

  test('a refused password is not in the answer', async () => {
    await using app = await open();
    for (const [name, write] of Object.entries(await writes(app, { minPasswordLength: 60 }))) {
      const { text } = await write('my-refused-secret');
      assert.ok(!text.includes('my-refused-secret'), `${name}: ${text}`);
    }
  });
});
