import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { AUDIENCE, claimsOf, keyServer, loginByToken, providerKey, sign } from '../support/provider.ts';
import { assertRefused } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

const ISSUER = 'https://provider.example';
const settings = { outboundAllow: ['loopback'] };

/** A provider with one key, somebody who has a token of it, and a way to withdraw the key. */
const opened = async (app: App, server: Awaited<ReturnType<typeof keyServer>>, headers: Readonly<Record<string, string>> = {}) => {
  const [old, other] = [await providerKey('old'), await providerKey('new')];
  server.keys = [old.jwk];
  server.headers = headers;
  await app.create('/external-jwt-signers', {
    name: 'provider',
    issuer: ISSUER,
    audience: AUDIENCE,
    enabled: true,
    jwksEndpoint: server.url,
  });
  const sub = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
  // Good for a day: only the key can end it.
  const tokenOf = (key: typeof old) => sign(claimsOf(ISSUER, { sub, exp: app.clock.now() / 1000 + 86_400 }), key);
  const [token, next] = [await tokenOf(old), await tokenOf(other)];
  await server.asked();
  const allowed = async (of: App = app, what = token) => assert.equal((await loginByToken(of, what)).status, 200);
  const refused = async (of: App = app) => assertRefused(await loginByToken(of, token), 401, 'INVALID_AUTH');
  await allowed();
  const withdraw = () => {
    server.keys = [other.jwk];
  };
  return { allowed, refused, withdraw, next };
};

onEveryStore('keys that a provider has withdrawn', (open, store) => {
  test('are trusted for five minutes at most, though no other token comes by', async (t) => {
    await using app = await open({ settings });
    const server = await keyServer(t, []);
    const { allowed, refused, withdraw, next } = await opened(app, server);
    withdraw();
    app.clock.advance('299999ms');
    await allowed();
    assert.equal(server.hits, 1);
    app.clock.advance('1ms');
    await refused();
    assert.equal(server.hits, 2);
    await allowed(app, next);
    assert.equal(server.hits, 2);
  });

  test('are trusted for no longer than the caching of the answer allows', async (t) => {
    await using app = await open({ settings });
    const server = await keyServer(t, []);
    const { allowed, refused, withdraw } = await opened(app, server, { 'cache-control': 'public, max-age=60' });
    withdraw();
    app.clock.advance('59999ms');
    await allowed();
    app.clock.advance('1ms');
    await refused();
  });

  test('are not trusted for longer than five minutes because an answer may be cached for a day', async (t) => {
    await using app = await open({ settings });
    const server = await keyServer(t, []);
    const { refused, withdraw } = await opened(app, server, { 'cache-control': 'max-age=86400' });
    withdraw();
    app.clock.advance('5m');
    await refused();
  });

  test('an answer that may not be cached is asked for once a second, not for each request', async (t) => {
    await using app = await open({ settings });
    const server = await keyServer(t, []);
    const { allowed, refused, withdraw } = await opened(app, server, { 'cache-control': 'no-store' });
    app.clock.advance('999ms');
    for (let i = 0; i < 3; i++) await allowed();
    assert.equal(server.hits, 1);
    app.clock.advance('1ms');
    for (let i = 0; i < 3; i++) await allowed();
    assert.equal(server.hits, 2);
    withdraw();
    app.clock.advance('1s');
    await refused();
  });

  test('while the provider is away its keys stay in use for 15 minutes, and it is asked again every 30 seconds', async (t) => {
    await using app = await open({ settings });
    const server = await keyServer(t, []);
    const { allowed, refused } = await opened(app, server);
    server.answer = () => ({ status: 503, body: 'away' });
    app.clock.advance('5m');
    for (let i = 0; i < 3; i++) await allowed();
    assert.equal(server.hits, 2);
    app.clock.advance('29999ms');
    await allowed();
    assert.equal(server.hits, 2);
    app.clock.advance('1ms');
    await allowed();
    assert.equal(server.hits, 3);
    app.clock.advance('569999ms');
    await allowed();
    app.clock.advance('1ms');
    await refused();
    server.answer = undefined;
    app.clock.advance('1s');
    await allowed();
  });

  test('an accompanied session ends to be one with its key', async (t) => {
    await using app = await open({ settings });
    const server = await keyServer(t, []);
    const { withdraw } = await opened(app, server);
    const key = await providerKey('second');
    server.keys = [key.jwk];
    const [{ id }] = (await app.request('GET', '/external-jwt-signers')).body.data;
    const secondary = { requireTotp: false, requireExtJwtSigner: id };
    const authPolicyId = await app.create('/auth-policies', policyBody('accompanied', { secondary }));
    const user = await app.user({ authPolicyId });
    const as = await user.login();
    app.clock.advance('5m');
    const headers = { authorization: `Bearer ${await sign(claimsOf(ISSUER, { sub: user.id, exp: app.clock.now() / 1000 + 3600 }), key)}` };
    const get = async () => (await app.request('GET', '/edge/client/v1/services', { as, headers })).status;
    assert.equal(await get(), 200);
    withdraw();
    app.clock.advance('5m');
    assert.equal(await get(), 401);
  });

  test('several controllers on one store forget them alike', async (t) => {
    const storage = newStorage(store);
    await using app = await open({ settings, storage });
    await using other = await open({ settings, storage });
    const server = await keyServer(t, []);
    const { allowed, refused, withdraw } = await opened(app, server);
    await allowed(other);
    withdraw();
    for (const each of [app, other]) {
      each.clock.advance('5m');
      await refused(each);
    }
  });
});
