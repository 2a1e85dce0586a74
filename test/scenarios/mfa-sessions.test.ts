import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../src/controller/entries.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { beginMfa, enrollMfa, giveCode } from '../support/mfa.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

const AT = '/current-identity/mfa';

const stateOf = async (app: App, as: string) => {
  const { isMfaRequired, isMfaComplete, authQueries } = (await app.request('GET', '/current-api-session', { as })).body.data;
  return { isMfaRequired, isMfaComplete, owes: (authQueries as { typeId: string }[]).map(({ typeId }) => typeId) };
};
const owing = { isMfaRequired: true, isMfaComplete: false, owes: ['MFA'] };
const complete = { isMfaRequired: true, isMfaComplete: true, owes: [] };
const unasked = { isMfaRequired: false, isMfaComplete: false, owes: [] };

const mayDoMore = async (app: App, as: string): Promise<boolean> => (await app.request('GET', '/current-identity', { as })).status === 200;
const passedAt = async (app: App, as: string): Promise<unknown> => {
  const { id } = (await app.request('GET', '/current-api-session', { as })).body.data;
  return (await app.rows('apiSession')).find((row) => row.id === id)?.mfaPassedAt;
};

/** Somebody under a policy of their own. */
const under = async (app: App, requireTotp: boolean, isAdmin = false) => {
  const authPolicyId = await app.create('/auth-policies', policyBody(`own ${requireTotp}`, { secondary: { requireTotp } }));
  const user = await app.user({ authPolicyId, isAdmin });
  const require = (now: boolean) => app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { secondary: { requireTotp: now } } });
  return { ...user, as: await user.login(), require };
};

onEveryStore('sessions and MFA', (open) => {
  test('a session that owes a code may look at itself, end, give the code, and set MFA up: nothing else', () => {
    const allowed = entries
      .map(({ operation }) => operation)
      .filter(({ permission }) => permission === 'partial')
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(allowed.toSorted(), [
      'DELETE /current-api-session',
      'GET /current-api-session',
      'GET /current-identity/mfa',
      'GET /current-identity/mfa/qr-code',
      'POST /authenticate/mfa',
      'POST /current-identity/mfa',
      'POST /current-identity/mfa/verify',
    ]);
  });

  for (const isAdmin of [false, true]) {
    test(
      `the login of an identity with MFA is complete once a code is given${isAdmin ? ', also that of an administrator' : ''}`,
      proves(43, 433),
      async () => {
        await using app = await open();
        const user = await app.user({ isAdmin });
        const { code } = await enrollMfa(app, await user.login());
        const as = await user.login();
        assert.deepEqual(await stateOf(app, as), owing);
        for (const path of ['/current-identity', '/identities', '/current-identity/mfa/recovery-codes'])
          assertRefused(await app.request('GET', path, { as, headers: { 'mfa-validation-code': code() } }), 401, 'UNAUTHORIZED');
        assertRefused(await app.request('DELETE', AT, { as, headers: { 'mfa-validation-code': code() } }), 401, 'UNAUTHORIZED');
        assert.deepEqual((await giveCode(app, as, code())).body.data, {});
        assert.deepEqual(await stateOf(app, as), complete);
        assert.equal(await mayDoMore(app, as), true);
        assert.equal((await app.request('GET', '/identities', { as })).status, isAdmin ? 200 : 401);
      },
    );
  }

  test('a session remembers when it last gave a right code, and may give another', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    assert.equal(await passedAt(app, as), null);
    const { code } = await enrollMfa(app, as);
    assert.equal(await passedAt(app, as), '2026-11-21T10:00:00.000Z');
    app.clock.advance('2m');
    assert.equal((await giveCode(app, as, code())).status, 200);
    assert.equal(await passedAt(app, as), '2026-11-21T10:02:00.000Z');
    app.clock.advance('10s');
    assertRefused(await giveCode(app, as, 'wrong'), 400, 'MFA_INVALID_TOKEN');
    assert.equal(await passedAt(app, as), '2026-11-21T10:02:00.000Z');
    assert.deepEqual(await stateOf(app, as), complete);
    for (const path of ['/current-api-session', '/api-sessions'])
      assert.ok(!(await app.request('GET', path, path === '/api-sessions' ? {} : { as })).text.includes('mfaPassedAt'));
  });

  test('sessions from before the enrollment was verified continue, and those after it owe a code', async () => {
    await using app = await open();
    const user = await app.user();
    const [enrolling, before] = [await user.login(), await user.login()];
    const { code } = await beginMfa(app, enrolling);
    const between = await user.login();
    await app.request('POST', `${AT}/verify`, { as: enrolling, body: { code: code() } });
    assert.deepEqual(await stateOf(app, enrolling), complete);
    for (const as of [before, between]) assert.deepEqual(await stateOf(app, as), unasked);
    assert.deepEqual(await stateOf(app, await user.login()), owing);
  });

  test('where the policy requires TOTP a session owes a code, enrolls, and is complete', proves(43, 431, 433), async () => {
    await using app = await open();
    const { as, login } = await under(app, true);
    assert.deepEqual(await stateOf(app, as), owing);
    assertRefused(await giveCode(app, as, '123456'), 409, 'MFA_NOT_ENROLLED');
    const { code } = await enrollMfa(app, as);
    assert.deepEqual(await stateOf(app, as), complete);
    const other = await login();
    assert.equal((await giveCode(app, other, code())).status, 200);
    assert.deepEqual(await stateOf(app, other), complete);
  });

  test('a policy that begins to require TOTP asks those running sessions for a code that gave none', proves(431), async () => {
    await using app = await open();
    const { login, require, as: plain } = await under(app, false);
    const enrolling = await login();
    const { code } = await enrollMfa(app, enrolling);
    const given = await login();
    await giveCode(app, given, code());
    await require(true);
    assert.deepEqual([await stateOf(app, enrolling), await stateOf(app, given), await stateOf(app, plain)], [complete, complete, owing]);
    assert.equal(await mayDoMore(app, plain), false);
    assert.equal((await giveCode(app, plain, code(1))).status, 200);
    assert.equal(await mayDoMore(app, plain), true);
  });

  test('a policy that no longer requires TOTP frees the sessions that owed only that', async () => {
    await using app = await open();
    const { login, require, as } = await under(app, true);
    await require(false);
    assert.deepEqual(await stateOf(app, as), unasked);
    await enrollMfa(app, as);
    const later = await login();
    await require(true);
    await require(false);
    assert.deepEqual(await stateOf(app, later), owing);
  });

  for (const by of ['its owner', 'an administrator'] as const) {
    test(
      `MFA that ${by} ends proves nothing any more: where the policy requires TOTP, all sessions owe a code at once`,
      proves(43),
      async () => {
        await using app = await open();
        const { as, id, login, require } = await under(app, true);
        const { code, recoveryCodes } = await enrollMfa(app, as);
        const other = await login();
        await giveCode(app, other, code());
        if (by === 'its owner') await app.request('DELETE', AT, { as, headers: { 'mfa-validation-code': code() } });
        else await app.request('DELETE', `/identities/${id}/mfa`);
        for (const session of [as, other]) {
          assert.equal(await passedAt(app, session), null);
          assert.deepEqual(await stateOf(app, session), owing);
          assert.equal(await mayDoMore(app, session), false);
          for (const old of [code(1), recoveryCodes[0] ?? '']) assertRefused(await giveCode(app, session, old), 409, 'MFA_NOT_ENROLLED');
        }
        const listed = (await app.request('GET', '/api-sessions')).body.data as { identityId: string; isMfaComplete: boolean }[];
        assert.deepEqual(
          listed.filter(({ identityId }) => identityId === id).map(({ isMfaComplete }) => isMfaComplete),
          [false, false],
        );
        const renewed = await enrollMfa(app, as);
        assert.deepEqual([await mayDoMore(app, as), await mayDoMore(app, other)], [true, false]);
        assertRefused(await giveCode(app, other, code(1)), 400, 'MFA_INVALID_TOKEN');
        assert.equal((await giveCode(app, other, renewed.code())).status, 200);
        await require(false);
      },
    );
  }

  test('where no policy requires it, sessions that gave a code outlast MFA, and those that owe one may enroll anew', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    await enrollMfa(app, as);
    const partial = await user.login();
    await app.request('DELETE', `/identities/${user.id}/mfa`);
    assert.equal(await mayDoMore(app, as), true);
    assert.deepEqual(await stateOf(app, partial), owing);
    assertRefused(await giveCode(app, partial, '123456'), 409, 'MFA_NOT_ENROLLED');
    await enrollMfa(app, partial);
    assert.deepEqual(await stateOf(app, partial), complete);
    assert.deepEqual(await stateOf(app, await user.login()), owing);
  });

  test('administrators see of every session whether a code is required and was given', proves(43), async () => {
    await using app = await open();
    const user = await app.user();
    const before = await user.login();
    const as = await user.login();
    const { code } = await enrollMfa(app, as);
    const [owes, given] = [await user.login(), await user.login()];
    await giveCode(app, given, code());
    const seen = async (token: string) => {
      const { id } = (await app.request('GET', '/current-api-session', { as: token })).body.data;
      const { isMfaRequired, isMfaComplete, authQueries } = (await app.request('GET', `/api-sessions/${id}`)).body.data;
      return [isMfaRequired, isMfaComplete, authQueries];
    };
    assert.deepEqual(await Promise.all([before, as, owes, given].map(seen)), [
      [false, false, []],
      [true, true, []],
      [true, false, []],
      [true, true, []],
    ]);
    const count = async (filter: string) => (await app.request('GET', `/api-sessions?filter=${filter}`)).body.meta.pagination.totalCount;
    assert.deepEqual([await count('mfaRequired'), await count('mfaComplete')], [3, 2]);
  });

  test('an end of MFA and a code given are in the change log, wrong codes are not', async () => {
    await using app = await open();
    const user = await app.user();
    const { code, wrongCode } = await enrollMfa(app, await user.login());
    const as = await user.login();
    assert.deepEqual(await app.trail(() => giveCode(app, as, wrongCode())), []);
    assert.deepEqual(await app.trail(() => giveCode(app, as, code())), ['update mfa', 'update apiSession']);
    const end = () => app.request('DELETE', AT, { as, headers: { 'mfa-validation-code': code() } });
    assert.deepEqual(await app.trail(end), ['update apiSession', 'update apiSession', 'delete mfa']);
    assert.equal((await app.rows('change')).at(-1)?.actor, user.id);
  });

  test("a host's own code has no MFA, and may use that of a session in process", async () => {
    await using app = await open();
    const { controller } = app;
    await assert.rejects(controller.api.currentMfa.get(), { code: 'UNAUTHORIZED' });
    await assert.rejects(controller.api.authentication.authenticateMfa({ body: { code: '123456' } }), { code: 'UNAUTHORIZED' });
    const user = await app.user();
    const own = controller.as(await user.login());
    const { id } = await own.currentMfa.enroll();
    assert.equal((await own.currentMfa.get()).id, id);
    const { contentType, body } = await own.currentMfa.getQrCode();
    assert.ok(contentType === 'image/png' && body instanceof Uint8Array);
    await assert.rejects(own.currentMfa.getRecoveryCodes({ code: '123456' }), { code: 'NOT_FOUND' });
    await own.currentMfa.delete();
    await controller.api.identities.deleteMfa({ id: user.id });
  });
});
