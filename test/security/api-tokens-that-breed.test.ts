/**
 * Whoever steals an API token must not be able to make it last longer, to turn it into a login of its identity, or to give that identity
 * more rights.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS, giveToken, inDays, statusAs, tokenPath } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';

onEveryStore('a stolen API token', (open) => {
  test('creates, renews and changes no token, even with all rights of an administrator', async () => {
    await using app = await open({ settings: { ownApiTokens: true } });
    const admin = await app.user({ isAdmin: true });
    const { id, secret } = await giveToken(app, admin.id, { isAdmin: true });
    const own = `${EXTENSIONS}/current-identity/api-tokens`;
    const body = { name: 'another', expiresAt: inDays(app, 300), isAdmin: true };
    for (const [method, path, given] of [
      ['POST', `${EXTENSIONS}/api-tokens`, { ...body, identityId: admin.id }],
      ['PATCH', tokenPath(id), { expiresAt: body.expiresAt }],
      ['PATCH', tokenPath(id), { addressRanges: [] }],
      ['POST', `${tokenPath(id)}/rotate`, {}],
      ['POST', own, body],
      ['POST', `${own}/${id}/rotate`, {}],
      ['GET', own, undefined],
    ] as const)
      assert.equal(await statusAs(app, secret, path, method, given), 401, `${method} ${path}`);
    assert.equal(await app.count('apiToken'), 1);
    assert.equal(await statusAs(app, secret, tokenPath(id), 'DELETE'), 200, 'it may end itself');
    assert.equal(await statusAs(app, secret), 401);
  });

  test('does nothing that belongs to a session: codes, authenticators, the end of a session', async () => {
    await using app = await open();
    const admin = await app.user({ isAdmin: true });
    const { secret } = await giveToken(app, admin.id, { isAdmin: true });
    const authenticator = `/current-identity/authenticators/${admin.authenticatorId}`;
    const code = { code: '000000' };
    const credentials = { username: 'mallory', password: 'a new password', currentPassword: 'Passw0rd!Passw0rd!' };
    for (const [method, path, body] of [
      ['GET', '/current-identity/mfa', undefined],
      ['POST', '/current-identity/mfa', undefined],
      ['DELETE', '/current-identity/mfa', undefined],
      ['POST', '/current-identity/mfa/verify', code],
      ['POST', '/current-identity/mfa/recovery-codes', code],
      ['POST', '/authenticate/mfa', code],
      ['POST', '/current-api-session/totp-token', code],
      ['DELETE', '/current-api-session', undefined],
      ['GET', '/current-identity/authenticators', undefined],
      ['GET', authenticator, undefined],
      ['PUT', authenticator, credentials],
      ['PATCH', authenticator, credentials],
      ['DELETE', `/identities/${admin.id}/mfa`, undefined],
    ] as const)
      assert.equal(await statusAs(app, secret, path, method, body), 401, `${method} ${path}`);
  });

  test('changes neither the rights of its own identity nor how that logs in', async () => {
    await using app = await open();
    const policyId = await app.create('/auth-policies', policyBody('weaker'));
    const admin = await app.user({ isAdmin: true });
    const delegate = await app.user({ permissions: ['identity', 'enrollment', 'service'] });
    const later = inDays(app, 9);
    for (const [owner, fields] of [
      [admin, { isAdmin: true }],
      [delegate, { permissions: ['identity', 'enrollment', 'service'] }],
    ] as const) {
      const { secret } = await giveToken(app, owner.id, fields);
      const self = `/identities/${owner.id}`;
      const before = await app.rows('authenticator');
      for (const [method, path, body] of [
        ['PATCH', self, { isAdmin: owner !== admin }],
        ['PATCH', self, { permissions: ['service', 'ca'] }],
        ['PATCH', self, { scopedPermissions: { 'router.read': { roleAttributes: ['a'] } } }],
        ['PATCH', self, { authPolicyId: policyId }],
        ['PATCH', self, { externalId: 'mallory@example.org' }],
        ['POST', '/enrollments', { identityId: owner.id, method: 'ott', expiresAt: later }],
        ['PUT', `/authenticators/${owner.authenticatorId}`, { username: 'mallory', password: 'a new password' }],
        ['DELETE', `/authenticators/${owner.authenticatorId}`, undefined],
        ['POST', `/authenticators/${owner.authenticatorId}/re-enroll`, { expiresAt: later }],
      ] as const)
        assert.equal(await statusAs(app, secret, path, method, body), 401, `${method} ${path} ${JSON.stringify(body)}`);
      assert.deepEqual(await app.rows('authenticator'), before);
      assert.equal(await statusAs(app, secret, self, 'PATCH', { appData: { a: 1 } }), 200, 'all else of it may change');
    }
  });

  test('does not show the enrollments of its own identity, by which it could log in', async () => {
    await using app = await open();
    for (const rights of [{ isAdmin: true }, { permissions: ['enrollment', 'identity'] }]) {
      const owner = await app.user(rights);
      const other = await app.user();
      const enrollmentOf = async (identityId: string) => {
        const id = await app.create('/enrollments', { identityId, method: 'ott', expiresAt: inDays(app, 1) });
        const { token } = (await app.request('GET', `/enrollments/${id}`)).body.data;
        return { id, token, identityId };
      };
      const [mine, theirs] = [await enrollmentOf(owner.id), await enrollmentOf(other.id)];
      const { secret } = await giveToken(app, owner.id, rights);
      const texts = async (enrollment: typeof mine) => {
        const paths = [
          `/enrollments/${enrollment.id}`,
          '/enrollments',
          `/identities/${enrollment.identityId}`,
          '/identities',
          '/current-identity',
        ];
        const all = await Promise.all(
          [...paths, `/identities/${enrollment.identityId}/enrollments`].map((path) => app.request('GET', path, { as: secret })),
        );
        assert.ok(all.every(({ status }) => status === 200));
        return all.filter(({ text }) => text.includes(enrollment.token)).length;
      };
      assert.equal(await texts(mine), 0);
      assert.equal(await texts(theirs), 5, 'those of others, as in a session');
      assert.equal(await statusAs(app, secret, `/enrollments/${mine.id}/refresh`, 'POST', { expiresAt: inDays(app, 2) }), 401);
    }
  });
});
