import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { allowed, person, refused } from '../support/external-logins.ts';
import { NOW } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { AUDIENCE, certificateSigner, claimsOf, loginByToken, providerKey, sign } from '../support/provider.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

onEveryStore('logins by external tokens', (open) => {
  test('a token whose subject is an identity opens a session of it', proves(37, 355, 423, 428), async () => {
    await using app = await open();
    const [signer, id] = [await certificateSigner(app), await person(app)];
    const token = await signer.token({ sub: id });
    const left = await app.trail(async () => {
      const { status, headers, body } = await loginByToken(app, token);
      assert.equal(status, 200);
      assert.deepEqual(
        [body.data.identityId, body.data.authenticatorId, body.data.authQueries, body.data.isCertExtendable],
        [id, `extJwtId:${signer.id}`, [], false],
      );
      const as = headers['zt-session'] ?? '';
      assert.equal((await app.request('GET', '/current-identity', { as })).body.data.id, id);
      assert.equal((await app.request('GET', '/edge/client/v1/current-api-session', { as })).body.data.id, body.data.id);
    });
    assert.deepEqual(left, ['create apiSession']);
    assert.ok(!JSON.stringify([await app.rows('apiSession'), await app.rows('change')]).includes(token), 'the token is kept nowhere');
  });

  test('a login by token keeps what the client tells, as any other', proves(356, 357), async () => {
    await using app = await open();
    const [signer, id] = [await certificateSigner(app), await person(app)];
    const told = { envInfo: { os: 'linux' }, sdkInfo: { type: 'sdk-c', version: '1.2.3' } };
    const { body } = await app.request('POST', '/edge/client/v1/authenticate?method=ext-jwt', {
      as: null,
      headers: { authorization: `Bearer ${await signer.token({ sub: id })}` },
      body: { ...told, configTypes: ['all'] },
    });
    assert.deepEqual(body.data.configTypes, ['all']);
    const { envInfo, sdkInfo } = (await app.request('GET', `/identities/${id}`)).body.data;
    assert.deepEqual({ envInfo, sdkInfo }, told);
  });

  test('the token is in Authorization: Bearer; two are tried in their order, and no third', async () => {
    await using app = await open();
    const [signer, ann, bob] = [await certificateSigner(app), await person(app), await person(app)];
    const [good, other, bad] = [await signer.token({ sub: ann }), await signer.token({ sub: bob }), await signer.token({ sub: 'nobody' })];
    const present = (authorization?: string) =>
      app.request('POST', '/authenticate?method=ext-jwt', {
        as: null,
        ...(authorization === undefined ? {} : { headers: { authorization } }),
      });
    for (const header of [undefined, '', good, `Basic ${good}`, `Bearer  `, `Bearer${good}`, `Bearer x, Bearer y, Bearer ${good}`])
      refused(await present(header), header?.slice(0, 10));
    for (const [header, id] of [
      [`Bearer ${good}`, ann],
      [`Bearer ${bad}, Bearer ${other}`, bob],
      [`Bearer ${good}, Bearer ${other}`, ann],
    ] as const)
      assert.equal((await present(header)).body.data.identityId, id);
    const missing = await app.request('POST', '/authenticate?method=password', {
      as: null,
      headers: { authorization: `Bearer ${good}` },
      body: {},
    });
    assertRefused(missing, 400, 'COULD_NOT_VALIDATE');
    assertRefused(
      await app.request('GET', '/current-identity', { as: null, headers: { authorization: `Bearer ${good}` } }),
      401,
      'UNAUTHORIZED',
    );
  });

  test('every failure gets the same answer, whatever is wrong with the token', proves(428), async () => {
    await using app = await open();
    const [signer, id] = [await certificateSigner(app), await person(app)];
    const seconds = NOW / 1000;
    allowed(await loginByToken(app, await signer.token({ sub: id })));
    allowed(await loginByToken(app, await signer.token({ sub: id, aud: ['x', AUDIENCE], nbf: seconds })));
    const seen = new Set<string>();
    for (const [why, reason, token] of [
      ['no such identity', 'unknown', await signer.token({ sub: 'no-such-id' })],
      ['no subject', 'claim', await signer.token({})],
      ['a number', 'claim', await signer.token({ sub: 5 })],
      ['another audience', 'audience', await signer.token({ sub: id, aud: 'other' })],
      ['no audience', 'audience', await signer.token({ sub: id, aud: undefined })],
      ['another issuer', 'issuer', await signer.token({ sub: id, iss: `${signer.issuer}/` })],
      ['no issuer', 'issuer', await signer.token({ sub: id, iss: undefined })],
      ['over', 'expired', await signer.token({ sub: id, exp: seconds - 60 })],
      ['without end', 'claim', await signer.token({ sub: id, exp: undefined })],
      ['not yet', 'not-yet-valid', await signer.token({ sub: id, nbf: seconds + 61 })],
      ['born later', 'not-yet-valid', await signer.token({ sub: id, iat: seconds + 61 })],
      ['another kid', 'key', await signer.token({ sub: id }, { kid: 'other' })],
      ['no kid', 'malformed', await signer.token({ sub: id }, { kid: undefined })],
      ['another key', 'signature', await sign(claimsOf(signer.issuer, { sub: id }), await providerKey(signer.key.kid))],
      ['what no store can be asked for', 'claim', await signer.token({ sub: 'a\u0000b' })],
      ['nor by its issuer', 'issuer', await signer.token({ sub: id, iss: 'a\u0000b' })],
      ['nonsense', 'malformed', 'nonsense'],
    ] as const) {
      refused(await loginByToken(app, token), why);
      const lines = app.log.slice(seen.size);
      assert.equal(lines.length, seen.has(reason) ? 0 : 1, 'a reason is logged once in ten seconds');
      seen.add(reason);
      const [line] = lines;
      if (line === undefined) continue;
      const signerId = ['issuer', 'malformed'].includes(reason) ? undefined : signer.id;
      const [message, told] = JSON.parse(line);
      assert.deepEqual([message, told.reason, told.signerId], ['a token of an external JWT signer was refused', reason, signerId], why);
      for (const part of [...token.split('.'), id, 'no-such-id']) assert.ok(!line.includes(part), 'nothing of the token is logged');
    }
  });

  test('the claim that says who it is may be another, and mean the externalId', proves(121, 149, 162, 419), async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { claimsProperty: 'email', useExternalId: true });
    const id = await person(app, { externalId: 'ann@example.com' });
    assert.equal((await loginByToken(app, await signer.token({ sub: 'whoever', email: 'ann@example.com' }))).body.data.identityId, id);
    for (const claims of [
      { email: 'Ann@example.com' },
      { email: id },
      { sub: id },
      { email: ['ann@example.com'] },
      { email: '' },
      { email: null },
    ])
      refused(await loginByToken(app, await signer.token(claims)), JSON.stringify(claims));
    const claims = { email: 'ann@example.com' };
    refused(await loginByToken(app, await sign(claimsOf(signer.issuer, claims), await providerKey(signer.key.kid))), 'another key');
    const enable = (enabled: boolean) => app.request('PATCH', `/external-jwt-signers/${signer.id}`, { body: { enabled } });
    await enable(false);
    refused(await loginByToken(app, await signer.token(claims)), 'a disabled signer');
    await enable(true);
    allowed(await loginByToken(app, await signer.token(claims)));
    await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { body: { useExternalId: false } });
    refused(await loginByToken(app, await signer.token({ email: 'ann@example.com' })));
    allowed(await loginByToken(app, await signer.token({ email: id })));
  });

  test('an identity that is disabled, or gone, has no login', proves(274, 289, 292), async () => {
    await using app = await open();
    const [signer, id] = [await certificateSigner(app), await person(app)];
    const token = await signer.token({ sub: id });
    await app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 5 } });
    refused(await loginByToken(app, token));
    await app.request('POST', `/identities/${id}/enable`);
    allowed(await loginByToken(app, token));
    assert.equal((await app.rows('apiSession')).filter(({ identityId }) => identityId === id).length, 1);
    await app.request('DELETE', `/identities/${id}`);
    refused(await loginByToken(app, token));
    // Only that of the administrator who looks.
    assert.equal((await app.rows('apiSession')).length, 1);
  });

  test('a policy decides whether tokens may be used, and whose', proves(50, 419, 429), async () => {
    await using app = await open();
    const [signer, other] = [await certificateSigner(app), await certificateSigner(app)];
    const authPolicyId = await app.create('/auth-policies', policyBody('strict', { extJwt: { allowedSigners: [signer.id] } }));
    const id = await person(app, { authPolicyId });
    const [own, others] = [await signer.token({ sub: id }), await other.token({ sub: id })];
    allowed(await loginByToken(app, own));
    refused(await loginByToken(app, others));
    const set = (extJwt: object) => app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { primary: { extJwt } } });
    await set({ allowedSigners: [] });
    allowed(await loginByToken(app, others));
    await set({ allowed: false });
    refused(await loginByToken(app, own));
  });

  test('a method of login stays what its name says', async () => {
    await using app = await open();
    const user = await app.user();
    const signer = await certificateSigner(app);
    const headers = { authorization: `Bearer ${await signer.token({ sub: user.id })}` };
    assertInvalid(await app.request('POST', '/authenticate', { as: null, headers }), 'method');
    refused(await app.request('POST', '/authenticate?method=cert', { as: null, headers }));
    refused(
      await app.request('POST', '/authenticate?method=password', {
        as: null,
        headers,
        body: { username: user.username, password: `${PASSWORD}!` },
      }),
    );
  });
});
