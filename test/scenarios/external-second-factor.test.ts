import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { type CertificateSigner, certificateSigner, claimsOf, keyServer, loginByToken, providerKey, sign } from '../support/provider.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Somebody whose every request must be accompanied by a token of a signer. */
const owing = async (app: App, fields: Readonly<Record<string, unknown>> = {}, secondary: object = {}) => {
  const signer = await certificateSigner(app, fields);
  const authPolicyId = await app.create(
    '/auth-policies',
    policyBody('accompanied', { secondary: { requireTotp: false, requireExtJwtSigner: signer.id, ...secondary } }),
  );
  const user = await app.user({ authPolicyId, isAdmin: true, externalId: 'ann@example.com' });
  const login = async (token?: string) => {
    const body = { username: user.username, password: PASSWORD };
    return (await app.request('POST', '/authenticate?method=password', { as: null, body, ...(token ? { headers: bearer(token) } : {}) }))
      .body.data;
  };
  return { signer, authPolicyId, ...user, login, as: (await login()).token as string };
};
const queryOf = ({ id }: CertificateSigner, more: object = {}) => ({ typeId: 'EXT-JWT', provider: 'url', id, ...more, scopes: null });

onEveryStore('tokens of a signer as a second factor', (open) => {
  test('a session shows which token it owes, and where to get it', proves(36, 46, 432), async () => {
    await using app = await open();
    const { signer, as } = await owing(app, {
      externalAuthUrl: 'https://issuer.example/auth',
      clientId: 'the client',
      scopes: ['openid', 'email'],
    });
    const { data } = (await app.request('GET', '/current-api-session', { as })).body;
    const query = queryOf(signer, { httpUrl: 'https://issuer.example/auth', clientId: 'the client' });
    assert.deepEqual(data.authQueries, [{ ...query, scopes: ['email', 'openid'] }]);
    assert.deepEqual([data.isMfaRequired, data.isMfaComplete], [false, false]);
  });

  test('what a signer does not say is left out of the query', async () => {
    await using app = await open();
    const { signer, login } = await owing(app, { clientId: '' });
    assert.deepEqual((await login()).authQueries, [queryOf(signer)]);
  });

  test('every request needs the token; one request with it does not let the next one pass', proves(432), async () => {
    await using app = await open();
    const { signer, id, as } = await owing(app);
    const token = await signer.token({ sub: id });
    for (let i = 0; i < 2; i++) {
      assertRefused(await app.request('GET', '/identities', { as }), 401, 'UNAUTHORIZED');
      assert.equal((await app.request('GET', '/identities', { as, headers: bearer(token) })).status, 200);
      const { data } = (await app.request('GET', '/current-api-session', { as, headers: bearer(token) })).body;
      assert.deepEqual(data.authQueries, []);
    }
    const body = { name: 'made', type: 'User', isAdmin: false };
    assertRefused(await app.request('POST', '/identities', { as, body }), 401, 'UNAUTHORIZED');
    assert.equal((await app.request('POST', '/identities', { as, body, headers: bearer(token) })).status, 201);
    assert.equal((await app.request('GET', '/edge/client/v1/current-identity', { as, headers: bearer(`x, Bearer ${token}`) })).status, 200);
  });

  test('a login that the token accompanies owes nothing, by whatever method', async () => {
    await using app = await open();
    const { signer, id, login } = await owing(app);
    const token = await signer.token({ sub: id });
    assert.deepEqual((await login(token)).authQueries, []);
    const { data } = (await loginByToken(app, token)).body;
    assert.deepEqual(data.authQueries, []);
    assertRefused(await app.request('GET', '/identities', { as: data.token }), 401, 'UNAUTHORIZED');
    const first = await certificateSigner(app);
    const primary = await first.token({ sub: id });
    assert.deepEqual((await loginByToken(app, primary)).body.data.authQueries, [queryOf(signer)]);
    assert.deepEqual((await loginByToken(app, primary, token)).body.data.authQueries, []);
  });

  test('the token must be good, of that signer, and of the same identity', proves(432), async () => {
    await using app = await open();
    const { signer, id, as } = await owing(app);
    const [other, stranger] = [await certificateSigner(app), await app.user()];
    for (const [why, token] of [
      ['of another identity', await signer.token({ sub: stranger.id })],
      ['of another signer', await other.token({ sub: id })],
      ['of another audience', await signer.token({ sub: id, aud: 'x' })],
      ['over', await signer.token({ sub: id, exp: 1 })],
      ['nonsense', 'nonsense'],
    ] as const)
      assert.equal((await app.request('GET', '/identities', { as, headers: bearer(token) })).status, 401, why);
    for (const authorization of [await signer.token({ sub: id }), `Basic ${await signer.token({ sub: id })}`])
      assertRefused(await app.request('GET', '/identities', { as, headers: { authorization } }), 401, 'UNAUTHORIZED');
  });

  test('the token may name the identity by its externalId', async () => {
    await using app = await open();
    const { signer, id, as } = await owing(app, { claimsProperty: 'email', useExternalId: true });
    const get = async (claims: object) =>
      (await app.request('GET', '/identities', { as, headers: bearer(await signer.token({ ...claims })) })).status;
    assert.equal(await get({ email: 'ann@example.com' }), 200);
    assert.equal(await get({ email: id }), 401);
    assert.equal(await get({ sub: id }), 401);
    await app.request('PATCH', `/identities/${id}`, { body: { externalId: 'ann@renamed.example' } });
    assert.equal(await get({ email: 'ann@example.com' }), 401);
  });

  test('a token that was good ends with its time, or with a change of the signer, at once', async () => {
    await using app = await open();
    const { signer, id, as } = await owing(app);
    const token = await signer.token({ sub: id });
    const get = async () => (await app.request('GET', '/identities', { as, headers: bearer(token) })).status;
    const change = (body: object) => app.request('PATCH', `/external-jwt-signers/${signer.id}`, { body });
    assert.equal(await get(), 200);
    for (const [there, back] of [
      [{ enabled: false }, { enabled: true }],
      [{ issuer: 'https://renamed.example' }, { issuer: signer.issuer }],
      [{ audience: 'x' }, { audience: signer.body.audience }],
      [{ kid: 'x' }, { kid: signer.body.kid }],
    ]) {
      await change(there ?? {});
      assert.equal(await get(), 401, JSON.stringify(there));
      await change(back ?? {});
      assert.equal(await get(), 200);
    }
    app.clock.advance('11m');
    assert.equal(await get(), 401);
  });

  test('a policy that begins to ask for tokens, or ends to, holds for running sessions', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    const authPolicyId = await app.create('/auth-policies', policyBody('a policy'));
    const as = await (await app.user({ authPolicyId })).login();
    const require = (requireExtJwtSigner: string | null) =>
      app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { secondary: { requireExtJwtSigner } } });
    await require(signer.id);
    assertRefused(await app.request('GET', '/current-identity', { as }), 401, 'UNAUTHORIZED');
    await require(null);
    assert.equal((await app.request('GET', '/current-identity', { as })).status, 200);
  });

  test('in process a token accompanies a session, too', async () => {
    await using app = await open();
    const { signer, id, as } = await owing(app);
    await assert.rejects(app.controller.as(as).identities.get({ id }), { name: 'ApiError', code: 'UNAUTHORIZED' });
    const accompanied = app.controller.as(as, { externalToken: await signer.token({ sub: id }) });
    assert.equal((await accompanied.identities.get({ id })).id, id);
    const bad = app.controller.as(as, { externalToken: await signer.token({ sub: 'another' }) });
    await assert.rejects(bad.identities.get({ id }), { name: 'ApiError', code: 'UNAUTHORIZED' });
  });

  test('a token does not replace a code that is owed too', async () => {
    await using app = await open();
    const { signer, id, as } = await owing(app, {}, { requireTotp: true });
    const headers = bearer(await signer.token({ sub: id }));
    const queries = async (with_: object) =>
      (await app.request('GET', '/current-api-session', { as, ...with_ })).body.data.authQueries.map(
        ({ typeId }: { typeId: string }) => typeId,
      );
    assert.deepEqual(await queries({}), ['MFA', 'EXT-JWT']);
    assert.deepEqual(await queries({ headers }), ['MFA']);
    assertRefused(await app.request('GET', '/identities', { as, headers }), 401, 'UNAUTHORIZED');
  });

  test('the right that a token gave is judged again by the write itself', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const key = await providerKey('a');
    const server = await keyServer(t, []);
    const { signer, id, as } = await owing(app, { certPem: undefined, jwksEndpoint: server.url });
    await server.asked();
    const headers = bearer(await sign(claimsOf(signer.issuer, { sub: id }), key));
    const body = { name: 'late', type: 'User', isAdmin: false };
    app.clock.advance('1s');
    // The token is found good, and meanwhile the signer is disabled.
    server.answer = async () => {
      // Once: a signer that changes has its keys loaded again.
      server.answer = undefined;
      server.keys = [key.jwk];
      await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { body: { enabled: false } });
      return { body: JSON.stringify({ keys: server.keys }) };
    };
    assertRefused(await app.request('POST', '/identities', { as, headers, body }), 401, 'UNAUTHORIZED');
    await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { body: { enabled: true } });
    app.clock.advance('1s');
    assert.equal((await app.request('POST', '/identities', { as, headers, body })).status, 201);
  });

  test('the default administrator is not shut out by asking it for a token', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    const body = { secondary: { requireExtJwtSigner: signer.id } };
    assertInvalid(await app.request('PATCH', '/auth-policies/default', { body }), 'secondary.requireExtJwtSigner');
    const strict = await app.create(
      '/auth-policies',
      policyBody('strict', { secondary: { requireTotp: false, requireExtJwtSigner: signer.id } }),
    );
    const [{ id }] = (await app.request('GET', '/identities?filter=isDefaultAdmin%3Dtrue')).body.data;
    assertInvalid(await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId: strict } }), 'authPolicyId');
  });
});
