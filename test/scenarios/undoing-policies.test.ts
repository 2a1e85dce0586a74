import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { enrollMfa } from '../support/mfa.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner } from '../support/provider.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const TOTP = { secondary: { requireTotp: true } };
const requireTotp = (app: App, as = app.admin, id = 'default') => app.request('PATCH', `/auth-policies/${id}`, { as, body: TOTP });
const policy = (app: App, name: string, parts = {}) => app.create('/auth-policies', policyBody(name, parts));
const own = async (app: App, as = app.admin): Promise<string> => (await app.request('GET', '/current-identity', { as })).body.data.id;

onEveryStore('policies that shut administrators out', (open) => {
  test('a session cannot require a factor that no administrator has: until one has it, none could undo it', async () => {
    await using app = await open();
    await app.user();
    const left = await app.trail(async () => {
      const refused = await requireTotp(app);
      assertInvalid(refused, 'secondary.requireTotp');
      assert.match(refused.body.error.cause.reason, /nobody could undo this change: .* enroll in MFA first/);
      const body = { ...policyBody('Default', { secondary: { requireTotp: true } }) };
      assertInvalid(await app.request('PUT', '/auth-policies/default', { body }), 'secondary.requireTotp');
    });
    assert.deepEqual(left, []);
    assert.equal((await app.request('GET', '/identities')).status, 200);
    await enrollMfa(app, app.admin);
    assert.equal((await requireTotp(app)).status, 200);
    assert.equal((await app.request('GET', '/identities')).status, 200);
  });

  test('an administrator enrolled in MFA may, in a session from before it, which then gives a code', async () => {
    await using app = await open();
    const before = (await app.login('admin', 'the-admin-password')).body.data.token;
    const factor = await enrollMfa(app, app.admin);
    assert.equal((await requireTotp(app, before)).status, 200);
    assertRefused(await app.request('GET', '/identities', { as: before }), 401, 'UNAUTHORIZED');
    app.clock.advance('5m');
    assert.equal((await app.request('POST', '/authenticate/mfa', { as: before, body: { code: factor.code() } })).status, 200);
    assert.equal((await app.request('GET', '/identities', { as: before })).status, 200);
  });

  test('it may where another administrator can undo it, who then is the one to do so', async () => {
    await using app = await open();
    const other = await app.user({ isAdmin: true, authPolicyId: await policy(app, 'lenient') });
    assert.equal((await requireTotp(app)).status, 200);
    assertRefused(await app.request('GET', '/identities'), 401, 'UNAUTHORIZED');
    const as = await other.login();
    const body = { secondary: { requireTotp: false } };
    assert.equal((await app.request('PATCH', '/auth-policies/default', { as, body })).status, 200);
    assert.equal((await app.request('GET', '/identities')).status, 200);
  });

  test('an administrator who is disabled, cannot log in or owes the same is none who can undo it', async () => {
    await using app = await open();
    const lenient = await policy(app, 'lenient');
    const disabled = await app.user({ isAdmin: true, authPolicyId: lenient });
    await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
    await app.user({ isAdmin: true, authPolicyId: await policy(app, 'closed', { updb: { allowed: false } }) });
    await app.user({ isAdmin: true, authPolicyId: await policy(app, 'strict', TOTP) });
    await app.create('/identities', { name: 'without authenticator', type: 'User', isAdmin: true, authPolicyId: lenient });
    await app.user({ isAdmin: false, authPolicyId: lenient });
    assertInvalid(await requireTotp(app), 'secondary.requireTotp');
    await app.request('POST', `/identities/${disabled.id}/enable`);
    assert.equal((await requireTotp(app)).status, 200);
  });

  test('nor can it take such a policy for its own identity', async () => {
    await using app = await open();
    const authPolicyId = await policy(app, 'strict', TOTP);
    const id = await own(app);
    assertInvalid(await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId } }), 'authPolicyId');
    const body = { name: 'Default Admin', type: 'User', isAdmin: true, authPolicyId };
    assertInvalid(await app.request('PUT', `/identities/${id}`, { body }), 'authPolicyId');
    const somebody = await app.user();
    assert.equal((await app.request('PATCH', `/identities/${somebody.id}`, { body: { authPolicyId } })).status, 200);
    await enrollMfa(app, app.admin);
    assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId } })).status, 200);
  });

  test('the token of a provider that every request needs does not count as a way in that can be relied on', async () => {
    await using app = await open();
    const signer = (await certificateSigner(app)).id;
    const authPolicyId = await policy(app, 'of administrators');
    const other = await app.user({ isAdmin: true, authPolicyId });
    const as = await other.login();
    const require = { body: { secondary: { requireExtJwtSigner: signer } }, as };
    await app.controller.api.authPolicies.patch({ id: 'default', body: TOTP });
    assertInvalid(await app.request('PATCH', `/auth-policies/${authPolicyId}`, require), 'secondary.requireExtJwtSigner');
    await app.controller.api.authPolicies.patch({ id: 'default', body: { secondary: { requireTotp: false } } });
    assert.equal((await app.request('PATCH', `/auth-policies/${authPolicyId}`, require)).status, 200);
    assertRefused(await app.request('GET', '/identities', { as }), 401, 'UNAUTHORIZED');
  });

  test('policies of others, and the host, are not asked', async () => {
    await using app = await open();
    const id = await policy(app, 'of users');
    await app.user({ authPolicyId: id });
    assert.equal((await requireTotp(app, app.admin, id)).status, 200);
    await app.controller.api.authPolicies.patch({ id: 'default', body: TOTP });
    assertRefused(await app.request('GET', '/identities'), 401, 'UNAUTHORIZED');
    assert.equal((await app.login('admin', 'the-admin-password')).status, 200);
  });
});
