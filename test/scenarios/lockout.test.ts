import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

/** A user under a policy with these limits. */
const limited = async (app: App, maxAttempts: number, lockoutDurationMinutes: number) => {
  const authPolicyId = await app.create('/auth-policies', policyBody('limited', { updb: { maxAttempts, lockoutDurationMinutes } }));
  return { authPolicyId, ...(await app.user({ authPolicyId })) };
};
const fail = async (app: App, username: string, times = 1) => {
  for (let i = 0; i < times; i++) assertRefused(await app.login(username, `wrong password ${i}`), 401, 'INVALID_AUTH');
};
const stateOf = async (app: App, id: string) => {
  const { disabled, disabledUntil } = (await app.request('GET', `/identities/${id}`)).body.data;
  return { disabled, disabledUntil };
};

onEveryStore('too many wrong passwords', (open) => {
  test('as many wrong passwords as the policy allows disable the identity for its minutes', proves(52), async () => {
    await using app = await open();
    const user = await limited(app, 3, 10);
    await fail(app, user.username, 2);
    assert.equal((await stateOf(app, user.id)).disabled, false);
    await fail(app, user.username);
    assert.deepEqual(await stateOf(app, user.id), { disabled: true, disabledUntil: '2026-11-21T10:10:00.000Z' });
    assertRefused(await app.login(user.username, PASSWORD), 401, 'INVALID_AUTH');
    app.clock.advance('599s');
    app.clock.advance('999ms');
    assertRefused(await app.login(user.username, PASSWORD), 401, 'INVALID_AUTH');
    app.clock.advance('1ms');
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('right passwords do not count, and start the count anew', proves(52), async () => {
    await using app = await open();
    const user = await limited(app, 2, 10);
    for (let i = 0; i < 5; i++) assert.equal((await app.login(user.username, PASSWORD)).status, 200);
    for (let i = 0; i < 3; i++) {
      await fail(app, user.username);
      assert.equal((await app.login(user.username, PASSWORD)).status, 200);
    }
    assert.equal((await stateOf(app, user.id)).disabled, false);
  });

  test('a right password starts the count anew also where its hash is renewed', async () => {
    await using app = await open();
    const user = await limited(app, 2, 10);
    await app.alter('authenticator', user.authenticatorId, { passwordHash: await fastPasswordHasher(5).hash(PASSWORD) });
    await fail(app, user.username);
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
    const [row] = (await app.rows('authenticator')).filter(({ id }) => id === user.authenticatorId);
    assert.match(String(row?.passwordHash), /^\$test\$i=10\$/);
    await fail(app, user.username);
    assert.equal((await stateOf(app, user.id)).disabled, false);
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('one attempt fewer than the policy allows does not lock, the last one does, and the count is then spent', async () => {
    await using app = await open();
    for (const maxAttempts of [1, 2, 5]) {
      const user = await app.user({
        authPolicyId: await app.create(
          '/auth-policies',
          policyBody(`of ${maxAttempts}`, { updb: { maxAttempts, lockoutDurationMinutes: 1 } }),
        ),
      });
      for (const round of [1, 2]) {
        await fail(app, user.username, maxAttempts - 1);
        assert.equal((await stateOf(app, user.id)).disabled, false, `${maxAttempts}, round ${round}`);
        await fail(app, user.username);
        assert.equal((await stateOf(app, user.id)).disabled, true, `${maxAttempts}, round ${round}`);
        app.clock.advance('1m');
      }
    }
  });

  test('a lockout of zero minutes lasts until an administrator enables, and then all attempts are there again', proves(52), async () => {
    await using app = await open();
    const user = await limited(app, 2, 0);
    await fail(app, user.username, 2);
    assert.deepEqual(await stateOf(app, user.id), { disabled: true, disabledUntil: undefined });
    await app.request('POST', `/identities/${user.id}/enable`, { body: {} });
    await fail(app, user.username);
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('enabling and a new password start the count anew', proves(277), async () => {
    await using app = await open();
    const user = await limited(app, 2, 10);
    await fail(app, user.username);
    await app.request('POST', `/identities/${user.id}/enable`);
    await fail(app, user.username);
    await app.request('PATCH', `/authenticators/${user.authenticatorId}`, { body: { password: 'another password' } });
    await fail(app, user.username);
    assert.equal((await app.login(user.username, 'another password')).status, 200);
  });

  test('nothing is counted while the identity is locked out', async () => {
    await using app = await open();
    const user = await limited(app, 2, 10);
    await fail(app, user.username, 2);
    app.clock.advance('5m');
    const left = await app.trail(() => fail(app, user.username, 5));
    assert.deepEqual(left, []);
    assert.equal((await stateOf(app, user.id)).disabledUntil, '2026-11-21T10:10:00.000Z');
    app.clock.advance('5m');
    await fail(app, user.username);
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('zero attempts mean no limit', proves(52), async () => {
    await using app = await open();
    const user = await limited(app, 0, 10);
    await fail(app, user.username, 20);
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('the count is of consecutive wrong passwords over sessions, clock and other identities', async () => {
    await using app = await open();
    const user = await limited(app, 3, 10);
    const other = await app.user({ authPolicyId: user.authPolicyId });
    await fail(app, user.username, 2);
    app.clock.advance('2d');
    await fail(app, other.username, 2);
    assert.equal((await app.login(other.username, PASSWORD)).status, 200);
    await fail(app, user.username);
    const as = (await app.login('admin', 'the-admin-password')).body.data.token;
    assert.equal((await app.request('GET', `/identities/${user.id}`, { as })).body.data.disabled, true);
  });

  test('a policy that is made stricter holds at the next wrong password', async () => {
    await using app = await open();
    const user = await limited(app, 5, 10);
    await fail(app, user.username, 3);
    await app.request('PATCH', `/auth-policies/${user.authPolicyId}`, { body: { primary: { updb: { maxAttempts: 2 } } } });
    assert.equal((await stateOf(app, user.id)).disabled, false);
    await fail(app, user.username);
    assert.equal((await stateOf(app, user.id)).disabled, true);
  });

  test('a lockout is in the change log, done by nobody known', async () => {
    await using app = await open();
    const user = await limited(app, 1, 10);
    const left = await app.trail(() => fail(app, user.username));
    assert.deepEqual(left, ['update identity']);
    assert.equal((await app.rows('change')).at(-1)?.actor, 'anonymous');
  });

  test('a wrong current password counts, too, so that a session does not help to guess', async () => {
    await using app = await open();
    const user = await limited(app, 3, 10);
    const as = await user.login();
    const change = (currentPassword: string) =>
      app.request('PATCH', `/current-identity/authenticators/${user.authenticatorId}`, {
        as,
        body: { password: 'mine now', currentPassword },
      });
    const guesses = await Promise.all(Array.from({ length: 8 }, (_, i) => change(i === 6 ? PASSWORD : `wrong password ${i}`)));
    assert.deepEqual([...new Set(guesses.map(({ status }) => status))], [401]);
    assert.equal((await stateOf(app, user.id)).disabled, true);
    app.clock.advance('10m');
    assertRefused(await app.login(user.username, 'mine now'), 401, 'INVALID_AUTH');
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });
});
