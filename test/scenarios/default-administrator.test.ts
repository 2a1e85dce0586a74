import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { ADMIN, type App, onEveryStore } from '../support/app.ts';
import { enrollMfa } from '../support/mfa.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const administrator = async (app: App) => (await app.request('GET', '/current-identity')).body.data;

onEveryStore('the default administrator', (open) => {
  test('it is there from the start, with a password and every right', proves(125), async () => {
    await using app = await open();
    const { name, isAdmin, isDefaultAdmin, authenticators, authPolicyId } = await administrator(app);
    assert.deepEqual(
      { name, isAdmin, isDefaultAdmin, authPolicyId },
      { name: 'Default Admin', isAdmin: true, isDefaultAdmin: true, authPolicyId: 'default' },
    );
    assert.equal(authenticators.updb.username, ADMIN.username);
  });

  test('it cannot be deleted', proves(308, 446), async () => {
    await using app = await open();
    const { id } = await administrator(app);
    const other = await (await app.user({ isAdmin: true })).login();
    for (const as of [app.admin, other])
      assertRefused(await app.request('DELETE', `/identities/${id}`, { as }), 400, 'ENTITY_CAN_NOT_BE_DELETED');
    assert.equal((await administrator(app)).isAdmin, true);
  });

  test('it cannot be demoted', async () => {
    await using app = await open();
    const { id } = await administrator(app);
    assertInvalid(await app.request('PATCH', `/identities/${id}`, { body: { isAdmin: false } }), 'isAdmin');
    assertInvalid(
      await app.request('PUT', `/identities/${id}`, { body: { name: 'Default Admin', type: 'User', isAdmin: false } }),
      'isAdmin',
    );
    assert.equal((await administrator(app)).isAdmin, true);
  });

  test('it cannot be disabled', async () => {
    await using app = await open();
    const { id } = await administrator(app);
    assertRefused(
      await app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 1 } }),
      400,
      'ENTITY_CAN_NOT_BE_UPDATED',
    );
    assert.equal((await administrator(app)).disabled, false);
  });

  test('it may be renamed, tagged and replaced, and stays what it is', async () => {
    await using app = await open();
    const { id } = await administrator(app);
    assert.equal(
      (await app.request('PUT', `/identities/${id}`, { body: { name: 'root', type: 'User', isAdmin: true, tags: { a: true } } })).status,
      200,
    );
    const { name, tags, isDefaultAdmin } = await administrator(app);
    assert.deepEqual({ name, tags, isDefaultAdmin }, { name: 'root', tags: { a: true }, isDefaultAdmin: true });
  });

  test('no edit of its policy shuts it out, and none gives it a policy that does', async () => {
    await using app = await open();
    const closed = policyBody('Default', { updb: { allowed: false } });
    const left = await app.trail(async () => {
      assertInvalid(await app.request('PATCH', '/auth-policies/default', { body: { primary: { updb: { allowed: false } } } }), 'primary');
      assertInvalid(await app.request('PUT', '/auth-policies/default', { body: closed }), 'primary');
    });
    assert.deepEqual(left, []);
    const authPolicyId = await app.create('/auth-policies', { ...closed, name: 'closed' });
    const { id } = await administrator(app);
    assertInvalid(await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId } }), 'authPolicyId');
    assert.equal((await app.login(ADMIN.username, ADMIN.password)).status, 200);
  });

  test('a policy that requires TOTP does not shut it out: it owes a code at once, and enrolls as anybody may', async () => {
    await using app = await open();
    const require = { body: { secondary: { requireTotp: true } } };
    await app.controller.api.authPolicies.patch({ id: 'default', ...require });
    for (const as of [app.admin, (await app.login(ADMIN.username, ADMIN.password)).body.data.token]) {
      assertRefused(await app.request('GET', '/identities', { as }), 401, 'UNAUTHORIZED');
      assertRefused(await app.request('PATCH', '/auth-policies/default', { as, ...require }), 401, 'UNAUTHORIZED');
    }
    await enrollMfa(app, app.admin);
    assert.equal((await app.request('GET', '/identities')).status, 200);
    assert.equal((await app.request('PATCH', '/auth-policies/default', require)).status, 200);
  });

  test('a policy that it may have cannot be closed to it afterwards', async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('own'));
    const { id } = await administrator(app);
    assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId } })).status, 200);
    assertInvalid(
      await app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { primary: { updb: { allowed: false } } } }),
      'primary',
    );
    assert.equal((await app.request('PATCH', '/auth-policies/default', { body: { primary: { updb: { allowed: false } } } })).status, 200);
  });

  test('its last authenticator cannot be deleted, but changed', proves(342, 446), async () => {
    await using app = await open();
    const { authenticators } = await administrator(app);
    const path = `/authenticators/${authenticators.updb.id}`;
    assertRefused(await app.request('DELETE', path), 400, 'ENTITY_CAN_NOT_BE_DELETED');
    assert.equal((await app.request('PATCH', path, { body: { username: 'root', password: 'another password' } })).status, 200);
    assert.equal((await app.login('root', 'another password')).status, 200);
  });

  test('wrong passwords keep it out for a time, never until somebody else enables it', async () => {
    await using app = await open();
    await app.request('PATCH', '/auth-policies/default', { body: { primary: { updb: { maxAttempts: 1, lockoutDurationMinutes: 0 } } } });
    await app.login(ADMIN.username, 'a wrong password');
    assertRefused(await app.login(ADMIN.username, ADMIN.password), 401, 'INVALID_AUTH');
    app.clock.advance('10m');
    assert.equal((await app.login(ADMIN.username, ADMIN.password)).status, 200);
  });

  test('other administrators may be demoted and deleted, also by themselves', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const as = await user.login();
    assert.equal((await app.request('PATCH', `/identities/${user.id}`, { as, body: { isAdmin: false } })).status, 200);
    assertRefused(await app.request('GET', '/identities', { as }), 401, 'UNAUTHORIZED');
    assert.equal((await app.request('GET', '/current-identity', { as })).status, 200);
    assert.equal((await app.request('DELETE', `/identities/${user.id}`)).status, 200);
  });
});
