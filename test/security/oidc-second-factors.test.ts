/**
 * The second factors of a login by the provider: each proves this identity and no other, at the step, and again when the code is redeemed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type App, onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { interleaved } from '../support/interleaving.ts';
import { enrollMfa, totp } from '../support/mfa.ts';
import { type Begun, bearer, begin, byPassword, claimsOf, codeOf, get, inLocation, post, redeem, tokensIn } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { type CertificateSigner, certificateSigner } from '../support/provider.ts';
import { newStorage } from '../support/stores.ts';

const owed = ({ status, body, text }: Answer): readonly string[] => {
  assert.equal(status, 200, text);
  return body.authQueries.map(({ typeId }: { typeId: string }) => typeId);
};

interface Network {
  readonly signer: CertificateSigner;
  /** An identity whose policy requires a token of the signer, besides what else is said. */
  person(
    secondary?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly username: string; readonly externalId: string; login(): Promise<string> }>;
}

const network = async (app: App): Promise<Network> => {
  const signer = await certificateSigner(app, { useExternalId: true });
  let serial = 0;
  return {
    signer,
    person: async (secondary = {}) => {
      const body = policyBody(`accompanied ${++serial}`, { secondary: { requireExtJwtSigner: signer.id, ...secondary } });
      const externalId = `person-${serial}@example.org`;
      return { ...(await app.user({ authPolicyId: await app.create('/auth-policies', body), externalId })), externalId };
    },
  };
};

const byToken = (app: App, { id }: Pick<Begun, 'id'>, ...tokens: readonly string[]) =>
  post(app, '/login/ext-jwt', { id }, { headers: { authorization: tokens.map((token) => `Bearer ${token}`).join(', ') } });

onEveryStore('the token of an external signer, as the second factor of a login', (open) => {
  test('comes with the password, or in a step of its own, and is noted among the methods', async () => {
    await using app = await open();
    const { signer, person } = await network(app);
    const ann = await person();
    const token = await signer.token({ sub: ann.externalId });
    const with1 = await begin(app);
    assert.equal((await byPassword(app, with1, ann.username, PASSWORD, { headers: bearer(token) })).status, 302);
    const with2 = await begin(app);
    assert.deepEqual(owed(await byPassword(app, with2, ann.username)), ['EXT-JWT']);
    assert.equal(inLocation(await get(app, '/authorize/callback', { id: with2.id }), 'error'), 'interaction_required');
    assert.equal((await byToken(app, with2, token)).status, 302);
    for (const login of [with1, with2]) {
      const { amr, sub } = claimsOf(tokensIn(await redeem(app, login, await codeOf(app, login))).access_token);
      assert.deepEqual([sub, [...amr].sort()], [ann.id, [`ejs:${signer.id}`, 'password']]);
    }
  });

  test('is none where it is of another identity, of another signer, of another audience, expired, or changed', async () => {
    await using app = await open();
    const { signer, person } = await network(app);
    const foreign = await certificateSigner(app, { useExternalId: true });
    const [ann, bob] = [await person(), await person()];
    const now = Math.floor(app.clock.now() / 1000);
    const good = await signer.token({ sub: ann.externalId });
    for (const [what, token] of [
      ['of another identity', await signer.token({ sub: bob.externalId })],
      ['of an identity by its id', await signer.token({ sub: ann.id })],
      ['of another signer', await foreign.token({ sub: ann.externalId })],
      ['for another audience', await signer.token({ sub: ann.externalId, aud: 'others' })],
      ['that has expired', await signer.token({ sub: ann.externalId, exp: now - 120 })],
      ['that is not yet good', await signer.token({ sub: ann.externalId, nbf: now + 600 })],
      ['with another signature', `${good.slice(0, -8)}AAAAAAAA`],
    ] as const) {
      const login = await begin(app);
      assert.deepEqual(owed(await byPassword(app, login, ann.username, PASSWORD, { headers: bearer(token) })), ['EXT-JWT'], what);
      const step = await byToken(app, login, token);
      // Another identity whose token it is may log in by it instead, as itself.
      if (step.status === 302)
        assert.equal(claimsOf(tokensIn(await redeem(app, login, await codeOf(app, login))).access_token).sub, bob.id, what);
      else assert.notEqual(step.status, 302, what);
      const { headers } = await get(app, '/authorize/callback', { id: login.id });
      assert.doesNotMatch(headers.location ?? '', /[?&]code=/, what);
    }
  });

  test('is found beside another one, which is of another identity or has expired', async () => {
    await using app = await open();
    const { signer, person } = await network(app);
    const [ann, bob] = [await person(), await person()];
    const good = await signer.token({ sub: ann.externalId });
    const expired = await signer.token({ sub: ann.externalId, exp: Math.floor(app.clock.now() / 1000) - 120 });
    for (const other of [expired, await signer.token({ sub: bob.externalId })])
      for (const tokens of [
        [other, good],
        [good, other],
      ]) {
        const authorization = tokens.map((token) => `Bearer ${token}`).join(', ');
        const login = await begin(app);
        assert.equal((await byPassword(app, login, ann.username, PASSWORD, { headers: { authorization } })).status, 302);
      }
  });

  test('adds to a code of TOTP, in either order, and each is owed until it is given', async () => {
    await using app = await open();
    const { signer, person } = await network(app);
    const ann = await person({ requireTotp: true });
    const token = await signer.token({ sub: ann.externalId });
    const first = await begin(app);
    assert.deepEqual(owed(await byPassword(app, first, ann.username)), ['TOTP', 'EXT-JWT']);
    const { provisioningUrl } = (await post(app, '/login/totp/enroll', { id: first.id })).body;
    const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
    assert.deepEqual(owed(await post(app, '/login/totp/enroll/verify', { id: first.id, code: totp(secret, app.clock.now()) })), [
      'EXT-JWT',
    ]);
    assert.equal((await byToken(app, first, token)).status, 302);
    const second = await begin(app);
    await byPassword(app, second, ann.username);
    assert.deepEqual(owed(await byToken(app, second, token)), ['TOTP']);
    app.clock.advance('30s');
    assert.equal((await post(app, '/login/totp', { id: second.id, code: totp(secret, app.clock.now()) })).status, 302);
    for (const login of [first, second]) {
      const { amr } = claimsOf(tokensIn(await redeem(app, login, await codeOf(app, login))).access_token);
      assert.deepEqual([...amr].sort(), [`ejs:${signer.id}`, 'password', 'totp']);
    }
  });
});

onEveryStore('a code of TOTP in a login', (open) => {
  test('of another identity completes nothing, neither as a factor nor to confirm an enrollment nor to give it up', async () => {
    await using app = await open();
    const requireTotp = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
    const [ann, bob, eve] = [await app.user(), await app.user({ authPolicyId: requireTotp }), await app.user()];
    await enrollMfa(app, await ann.login());
    const eves = await enrollMfa(app, await eve.login());
    app.clock.advance('30s');

    const login = await begin(app);
    await byPassword(app, login, ann.username);
    for (const code of [eves.code(), eves.recoveryCodes[0]])
      assert.equal((await post(app, '/login/totp', { id: login.id, code })).status, 400);
    const body = { id: login.id, code: eves.code() };
    assert.equal((await app.request('DELETE', '/oidc/login/totp/enroll', { as: null, body })).status, 400);

    const setUp = await begin(app);
    await byPassword(app, setUp, bob.username);
    assert.equal((await post(app, '/login/totp/enroll', { id: setUp.id })).status, 201);
    assert.equal((await post(app, '/login/totp/enroll/verify', { id: setUp.id, code: eves.code() })).status, 400);
    for (const { id } of [login, setUp])
      assert.equal(inLocation(await get(app, '/authorize/callback', { id }), 'error'), 'interaction_required');
  });
});

onEveryStore('the factors of a login', (open) => {
  const complete = async (app: App, username: string): Promise<readonly [Begun, string]> => {
    const login = await begin(app);
    assert.equal((await byPassword(app, login, username)).status, 302);
    return [login, await codeOf(app, login)];
  };

  test('are asked again when the code is redeemed: what was required since is owed', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    for (const secondary of [{ requireTotp: true }, { requireExtJwtSigner: signer.id }]) {
      const authPolicyId = await app.create('/auth-policies', policyBody(JSON.stringify(secondary)));
      const { username } = await app.user({ authPolicyId });
      const [login, code] = await complete(app, username);
      await app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { secondary } });
      assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant', JSON.stringify(secondary));
      await app.request('PATCH', `/auth-policies/${authPolicyId}`, {
        body: { secondary: { requireTotp: false, requireExtJwtSigner: null } },
      });
      tokensIn(await redeem(app, login, code));
    }
  });

  test('are asked again when MFA was enrolled since', async () => {
    await using app = await open();
    const user = await app.user();
    const [login, code] = await complete(app, user.username);
    const factor = await enrollMfa(app, await user.login());
    assert.equal((await redeem(app, login, code)).body.error, 'invalid_grant');
    app.clock.advance('30s');
    assert.equal((await post(app, '/login/totp', { id: login.id, code: factor.code() })).status, 302);
    const { amr } = claimsOf(tokensIn(await redeem(app, login, await codeOf(app, login))).access_token);
    assert.deepEqual([...amr].sort(), ['password', 'totp']);
  });
});

test('a code is none for an identity that logs in while it is checked', async () => {
  for (const reads of [1, 2, 3]) {
    const between = interleaved(newStorage('memory'));
    await using app = await openApp('memory', { storage: between.storage });
    const [ann, bob] = [await app.user(), await app.user()];
    const anns = await enrollMfa(app, await ann.login());
    await enrollMfa(app, await bob.login());
    app.clock.advance('30s');
    const login = await begin(app);
    await byPassword(app, login, ann.username);
    between.afterReads(() => byPassword(app, login, bob.username), reads);
    const { status } = await post(app, '/login/totp', { id: login.id, code: anns.code() });
    if (!between.isOver && status === 302) continue; // the code was checked with fewer reads
    assert.equal(status, 400, `after ${reads} reads`);
    assert.equal(inLocation(await get(app, '/authorize/callback', { id: login.id }), 'error'), 'interaction_required');
  }
});

test('a token is not a factor once its signer was disabled or changed, or the policy requires another signer', async () => {
  const between = interleaved(newStorage('memory'));
  await using app = await openApp('memory', { storage: between.storage });
  const { signer, person } = await network(app);
  const other = await certificateSigner(app, { useExternalId: true });
  const change = async (path: string, body: object) => assert.equal((await app.request('PATCH', path, { body })).status, 200);
  const changes: Readonly<Record<string, (policy: string) => Promise<void>>> = {
    'signer disabled': () => change(`/external-jwt-signers/${signer.id}`, { enabled: false }),
    'policy changed': (policy) => change(`/auth-policies/${policy}`, { secondary: { requireTotp: false, requireExtJwtSigner: other.id } }),
    'audience changed': () => change(`/external-jwt-signers/${signer.id}`, { enabled: true, audience: 'elsewhere' }),
  };
  for (const [what, change] of Object.entries(changes)) {
    await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { body: { enabled: true } });
    const ann = await person();
    const { authPolicyId } = (await app.request('GET', `/identities/${ann.id}`)).body.data;
    const login = await begin(app);
    await byPassword(app, login, ann.username);
    between.beforeWrite(() => change(authPolicyId));
    await byToken(app, login, await signer.token({ sub: ann.externalId }));
    assert.ok(between.isOver, what);
    assert.equal(inLocation(await get(app, '/authorize/callback', { id: login.id }), 'error'), 'interaction_required', what);
  }
});
