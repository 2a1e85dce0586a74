import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { allowed, person, refused } from '../support/external-logins.ts';
import { AUDIENCE, certificateSigner, claimsOf, keyServer, loginByToken, providerKey, sign } from '../support/provider.ts';
import { newStorage } from '../support/stores.ts';

onEveryStore('keys of external tokens', (open, store) => {
  test('changes of a signer hold at once, and sessions that it opened continue without it', proves(152, 428), async () => {
    await using app = await open();
    const [signer, id] = [await certificateSigner(app), await person(app)];
    const token = await signer.token({ sub: id });
    const as = (await loginByToken(app, token)).body.data.token;
    const at = `/external-jwt-signers/${signer.id}`;
    for (const change of [
      { enabled: false },
      { audience: 'others' },
      { issuer: 'https://renamed.example' },
      { kid: 'renamed' },
      { claimsProperty: 'email' },
    ]) {
      await app.request('PATCH', at, { body: change });
      refused(await loginByToken(app, token), JSON.stringify(change));
      await app.request('PUT', at, { body: signer.body });
      allowed(await loginByToken(app, token));
    }
    await app.request('DELETE', at);
    refused(await loginByToken(app, token));
    assert.equal((await app.request('GET', '/current-identity', { as })).status, 200);
  });

  test('a login that was judged by what a signer was is not taken once it is something else', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const key = await providerKey('a');
    const server = await keyServer(t, []);
    const issuer = 'https://provider.example';
    const body = { name: 'provider', issuer, audience: AUDIENCE, enabled: true, jwksEndpoint: server.url };
    const id = await app.create('/external-jwt-signers', body);
    const token = await sign(claimsOf(issuer, { sub: await person(app) }), key);
    for (const change of [{ enabled: false }, { audience: 'others' }, { useExternalId: true }]) {
      await app.request('PUT', `/external-jwt-signers/${id}`, { body });
      app.clock.advance('1s');
      // While the keys are on their way the signer changes.
      server.answer = async () => {
        server.answer = undefined;
        await app.request('PATCH', `/external-jwt-signers/${id}`, { body: change });
        return { body: JSON.stringify({ keys: [key.jwk] }) };
      };
      refused(await loginByToken(app, token));
    }
    server.keys = [key.jwk];
    await app.request('PUT', `/external-jwt-signers/${id}`, { body });
    app.clock.advance('1s');
    allowed(await loginByToken(app, token));
  });

  test('keys come from where the signer says, when it is stored, and again for a name that is new', proves(157), async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const [a, b] = [await providerKey('a'), await providerKey('b', 'RS256')];
    const server = await keyServer(t, [a.jwk]);
    const issuer = 'https://provider.example';
    const body = { name: 'provider', issuer, audience: AUDIENCE, enabled: true, jwksEndpoint: server.url };
    const signerId = await app.create('/external-jwt-signers', body);
    const id = await person(app);
    const [byA, byB] = [await sign(claimsOf(issuer, { sub: id }), a), await sign(claimsOf(issuer, { sub: id }), b)];
    await server.asked();
    allowed(await loginByToken(app, byA));
    allowed(await loginByToken(app, byA));
    refused(await loginByToken(app, byB));
    assert.equal(server.hits, 1);
    server.keys = [b.jwk];
    refused(await loginByToken(app, byB));
    app.clock.advance('1s');
    allowed(await loginByToken(app, byB));
    refused(await loginByToken(app, byA));
    app.clock.advance('1s');
    server.keys = [a.jwk];
    await app.request('PATCH', `/external-jwt-signers/${signerId}`, { body: { tags: { a: 'b' } } });
    allowed(await loginByToken(app, byA));
    refused(await loginByToken(app, byB));
  });

  test('a provider that is away does not keep a signer from being stored, nor other calls waiting', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const key = await providerKey('a');
    const server = await keyServer(t, [key.jwk]);
    server.answer = () => ({ status: 503, body: 'away' });
    const issuer = 'https://provider.example';
    await app.create('/external-jwt-signers', { name: 'provider', issuer, audience: AUDIENCE, enabled: true, jwksEndpoint: server.url });
    const token = await sign(claimsOf(issuer, { sub: await person(app) }), key);
    refused(await loginByToken(app, token));
    server.answer = undefined;
    app.clock.advance('1s');
    allowed(await loginByToken(app, token));
    assert.match(app.log.join(), /could not be loaded.*status 503/);
  });

  test('controllers on one store each follow a change that another one made', async () => {
    const storage = newStorage(store);
    await using app = await open({ storage });
    await using other = await open({ storage });
    const signer = await certificateSigner(app);
    const token = await signer.token({ sub: await person(app) });
    for (const each of [app, other]) allowed(await loginByToken(each, token));
    await other.request('PATCH', `/external-jwt-signers/${signer.id}`, { body: { audience: 'others' } });
    for (const each of [app, other]) refused(await loginByToken(each, token));
  });

  test('key sets with empty members, as .NET servers write them, and those of SPIFFE bundles log in; another use is logged', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const [rsa, svid, other] = [await providerKey('rsa', 'RS256'), await providerKey('svid'), await providerKey('other')];
    const nothing = { key_ops: [], oth: null, x5c: [], x5t: null, 'x5t#S256': '', x5u: '', d: null, dp: '', k: null };
    const answer = JSON.stringify({
      keys: [
        { ...nothing, ...rsa.jwk, alg: '', crv: null },
        { ...svid.jwk, use: 'jwt-svid', alg: undefined },
        { ...other.jwk, use: 'enc' },
      ],
    });
    const server = await keyServer(t, []);
    server.answer = () => ({ body: answer });
    const issuer = 'https://provider.example';
    await app.create('/external-jwt-signers', { name: 'provider', issuer, audience: AUDIENCE, enabled: true, jwksEndpoint: server.url });
    const claims = claimsOf(issuer, { sub: await person(app) });
    allowed(await loginByToken(app, await sign(claims, rsa)));
    allowed(await loginByToken(app, await sign(claims, svid)));
    refused(await loginByToken(app, await sign(claims, other)));
    const lines = app.log.filter((line) => line.includes('the key with the id in a token cannot be used'));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /"kid":"other","reason":"its use is not sig"/);
  });
});
