import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthenticationEvent } from '../../src/index.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { person, refused } from '../support/external-logins.ts';
import { begin, byPassword, post } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner, claimsOf, loginByToken, providerKey, sign } from '../support/provider.ts';

const bearer = (...tokens: readonly string[]) => ({ authorization: tokens.map((token) => `Bearer ${token}`).join(', ') });

onEveryStore('why a token of an external signer is refused', (open) => {
  const opened = async () => {
    const events: AuthenticationEvent[] = [];
    const app = await open({ observe: (event) => void (event.type === 'authentication' && events.push(event)) });
    /** The one failure that some work leaves among the events, and its line in the log. */
    const failure = async (work: () => Promise<unknown>) => {
      app.clock.advance('10s'); // the same reason is logged again
      const [before] = [app.log.length, (events.length = 0)];
      await work();
      const [event, ...others] = events.filter(({ outcome }) => outcome === 'failed');
      assert.ok(event && others.length === 0, JSON.stringify(events));
      const lines = app.log.slice(before).map((line) => JSON.parse(line));
      const [, details] = lines.find(([message]) => message === 'a token of an external JWT signer was refused') ?? [];
      return { event, details };
    };
    return { app, failure };
  };

  test('the event and the log of a login say it, and the signer, while every answer is the same', async () => {
    const { app, failure } = await opened();
    await using _ = app;
    const [signer, id, disabled] = [await certificateSigner(app), await person(app), await person(app)];
    const off = await certificateSigner(app, { enabled: false });
    await app.controller.api.identities.disable({ id: disabled, body: { durationMinutes: 0 } });
    const policy = policyBody('others');
    const authPolicyId = await app.create('/auth-policies', {
      ...policy,
      primary: { ...policy.primary, extJwt: { allowed: true, allowedSigners: [off.id] } },
    });
    const elsewhere = await person(app, { authPolicyId });
    const seconds = () => app.clock.now() / 1000;
    const fresh = () => ({ exp: seconds() + 600, iat: seconds() });
    for (const [reason, make, identityId] of [
      ['malformed', async () => 'nonsense'],
      ['issuer', () => signer.token({ ...fresh(), sub: id, iss: 'https://none.example' })],
      ['signer-disabled', () => off.token({ ...fresh(), sub: id })],
      ['key', () => signer.token({ ...fresh(), sub: id }, { kid: 'other' })],
      ['signature', async () => sign(claimsOf(signer.issuer, { ...fresh(), sub: id }), await providerKey(signer.key.kid))],
      ['audience', () => signer.token({ ...fresh(), sub: id, aud: 'others' })],
      ['expired', () => signer.token({ ...fresh(), sub: id, exp: seconds() - 61 })],
      ['not-yet-valid', () => signer.token({ ...fresh(), sub: id, nbf: seconds() + 61 })],
      ['claim', () => signer.token(fresh())],
      ['claim', () => signer.token({ ...fresh(), sub: id, exp: undefined })],
      ['unknown', () => signer.token({ ...fresh(), sub: 'no-such-identity' })],
      ['disabled', () => signer.token({ ...fresh(), sub: disabled }), disabled],
      ['policy', () => signer.token({ ...fresh(), sub: elsewhere }), elsewhere],
    ] as const) {
      const { event, details } = await failure(async () => refused(await loginByToken(app, await make()), reason));
      const signerId = ['malformed', 'issuer'].includes(reason) ? undefined : (reason === 'signer-disabled' ? off : signer).id;
      assert.deepEqual([event.method, event.reason, event.signerId, event.identityId], ['ext-jwt', reason, signerId, identityId]);
      assert.deepEqual([details?.reason, details?.signerId, details?.identityId], [reason, signerId, identityId]);
    }
    const { event, details } = await failure(async () => refused(await loginByToken(app)));
    assert.deepEqual([event.reason, details], ['missing', undefined]);
  });

  test('of two tokens the event is about the last one that was refused, and none is left where one is good', async () => {
    const { app, failure } = await opened();
    await using _ = app;
    const [signer, id] = [await certificateSigner(app), await person(app)];
    const good = { sub: id, exp: app.clock.now() / 1000 + 3600 };
    const { event } = await failure(async () =>
      refused(await loginByToken(app, 'nonsense', await signer.token({ ...good, aud: 'others' }))),
    );
    assert.equal(event.reason, 'audience');
    await assert.rejects(failure(async () => assert.equal((await loginByToken(app, 'nonsense', await signer.token(good))).status, 200)));
  });

  /** A user whose sessions owe a token of a signer. */
  const owing = async (app: App) => {
    const signer = await certificateSigner(app);
    const secondary = { requireTotp: false, requireExtJwtSigner: signer.id };
    const user = await app.user({ authPolicyId: await app.create('/auth-policies', policyBody('accompanied', { secondary })) });
    const good = (sub: string) => ({ sub, exp: app.clock.now() / 1000 + 3600 });
    return { signer, user, good };
  };

  test('they say it of a second factor that a session owes', async () => {
    const { app, failure } = await opened();
    await using _ = app;
    const { signer, user, good } = await owing(app);
    const other = await certificateSigner(app);
    const as = await user.login();
    for (const [reason, token, signerId] of [
      ['malformed', 'nonsense', undefined],
      ['audience', await signer.token({ ...good(user.id), aud: 'others' }), signer.id],
      ['other-identity', await signer.token(good(await person(app))), signer.id],
      ['other-signer', await other.token(good(user.id)), other.id],
    ] as const) {
      const ask = async () => assert.equal((await app.request('GET', '/services', { as, headers: bearer(token) })).status, 401);
      const { event, details } = await failure(ask);
      assert.deepEqual([event.method, event.reason, event.signerId, event.identityId], ['ext-jwt', reason, signerId, user.id]);
      assert.deepEqual([details.reason, details.signerId, details.identityId], [reason, signerId, user.id]);
    }
    await assert.rejects(
      failure(() => app.request('GET', '/current-identity', { as })),
      'who presents no token has tried none',
    );
  });

  test('they say it of a second factor that is given at the login, also by the OpenID provider', async () => {
    const { app, failure } = await opened();
    await using _ = app;
    const { signer, user, good } = await owing(app);
    const headers = bearer(await signer.token({ ...good(user.id), aud: 'others' }));
    const body = { username: user.username, password: PASSWORD };
    const login = await failure(() => app.request('POST', '/authenticate?method=password', { as: null, body, headers }));
    const oidc = await failure(async () => byPassword(app, await begin(app), user.username, PASSWORD, { headers }));
    for (const { event, details } of [login, oidc]) {
      assert.deepEqual([event.method, event.reason, event.signerId, event.identityId], ['ext-jwt', 'audience', signer.id, user.id]);
      assert.deepEqual([details.reason, details.signerId], ['audience', signer.id]);
    }
  });

  test('they say it of a login by the OpenID provider, and of a second factor that follows on it', async () => {
    const { app, failure } = await opened();
    await using _ = app;
    const { signer, user, good } = await owing(app);
    const byToken = (id: string, token: string) => post(app, '/login/ext-jwt', { id }, { headers: bearer(token) });
    const first = await failure(async () =>
      byToken((await begin(app)).id, await signer.token({ ...good(user.id), exp: app.clock.now() / 1000 - 61 })),
    );
    const { id } = await begin(app);
    await byPassword(app, { id }, user.username);
    const second = await failure(async () => byToken(id, await signer.token({ ...good(user.id), exp: app.clock.now() / 1000 - 61 })));
    assert.equal(second.event.identityId, user.id);
    for (const { event, details } of [first, second]) {
      assert.deepEqual([event.method, event.reason, event.signerId], ['ext-jwt', 'expired', signer.id]);
      assert.deepEqual([details.reason, details.signerId], ['expired', signer.id]);
    }
  });
});
