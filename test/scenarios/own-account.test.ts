/** The account of the caller: rules of its password, and its sessions by either login. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS, giveToken } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { lives, tokensOf, withToken } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

const SESSIONS = `${EXTENSIONS}/current-identity/api-sessions`;
const RULES = `${EXTENSIONS}/current-identity/password-rules`;

interface OwnSession {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly clientId: string | null;
}

/** Someone with two sessions: one with an opaque token, one with signed tokens. */
const withSessions = async (app: App) => {
  const user = await app.user();
  const as = await user.login();
  const { access_token: access } = await tokensOf(app, user.username);
  const listed = async (): Promise<readonly OwnSession[]> => (await app.request('GET', SESSIONS, { as })).body.data;
  return { ...user, as, access, listed };
};

onEveryStore('the own account', (open) => {
  test('an identity lists its own sessions only, with those of the OpenID provider, and knows which one asks', async () => {
    await using app = await open();
    await (await app.user()).login();
    const { access, listed } = await withSessions(app);
    const seen = await listed();
    assert.deepEqual(seen.map(({ clientId, isCurrent }) => [clientId, isCurrent]).toSorted(), [
      [null, true],
      ['openziti', false],
    ]);
    const { data } = (await withToken(app, access, SESSIONS)).body as { readonly data: readonly OwnSession[] };
    assert.deepEqual(data.map(({ clientId, isCurrent }) => [clientId, isCurrent]).toSorted(), [
      [null, false],
      ['openziti', true],
    ]);
    assert.doesNotMatch(JSON.stringify(seen), /token/i);
  });

  test('an identity ends one of its sessions, and none of another identity', async () => {
    await using app = await open();
    const { as, access, listed } = await withSessions(app);
    const signed = (await listed()).find(({ isCurrent }) => !isCurrent);
    assert.equal((await app.request('DELETE', `${SESSIONS}/${signed?.id}`, { as })).status, 200);
    assert.equal(await lives(app, access), false);
    const other = await withSessions(app);
    const [theirs] = await other.listed();
    assertRefused(await app.request('DELETE', `${SESSIONS}/${theirs?.id}`, { as }), 404, 'NOT_FOUND');
    assert.equal((await other.listed()).length, 2);
  });

  test('an identity ends all of its sessions but the one that asks', async () => {
    await using app = await open();
    const { as, access, listed, login } = await withSessions(app);
    await login();
    const other = await withSessions(app);
    assert.equal((await app.request('POST', `${SESSIONS}/end-others`, { as })).status, 200);
    assert.deepEqual(
      (await listed()).map(({ isCurrent }) => isCurrent),
      [true],
    );
    assert.equal(await lives(app, access), false);
    assert.equal((await other.listed()).length, 2);
  });

  test('a session that has ended by time is not listed', async () => {
    await using app = await open();
    const { login } = await app.user();
    await login();
    app.clock.advance('40m');
    const { data } = (await app.request('GET', SESSIONS, { as: await login() })).body;
    assert.equal(data.length, 1);
  });

  test('an identity reads the password rules of its auth policy without a right to auth policies', async () => {
    await using app = await open();
    const updb = { minPasswordLength: 12, requireSpecialChar: true, requireNumberChar: true, requireMixedCase: false };
    const policy = policyBody('strict', {});
    const authPolicyId = await app.create('/auth-policies', {
      ...policy,
      primary: { ...policy.primary, updb: { ...policy.primary.updb, ...updb } },
    });
    const user = await app.user();
    await app.request('PATCH', `/identities/${user.id}`, { body: { authPolicyId } });
    assert.deepEqual((await app.request('GET', RULES, { as: await user.login() })).body.data, updb);
  });

  test('an API token does not manage the sessions of its identity', async () => {
    await using app = await open();
    const { id } = await app.user({ isAdmin: true });
    const { secret } = await giveToken(app, id, { isAdmin: true });
    assertRefused(await app.request('GET', SESSIONS, { as: secret }), 401, 'UNAUTHORIZED');
    assertRefused(await app.request('POST', `${SESSIONS}/end-others`, { as: secret }), 401, 'UNAUTHORIZED');
  });
});
