/** Tokens choose their algorithm and name their key. Neither makes a public key a secret, nor a token of the controller an enrollment. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { tokensOf } from '../support/oidc.ts';
import { claimsOf, forge, keyServer, providerKey, sign } from '../support/provider.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, request } from '../support/token-enrollment.ts';

onEveryStore('a token that is not a signed token of a signer', (open) => {
  test('enrolls nobody, by whichever algorithm, key or header', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const claims = claimsOf(signer.issuer, { sub: 'eve' });
    const evil = await providerKey('evil');
    const tokens: string[] = [];
    for (const alg of ['none', 'None', 'HS256', 'HS512', 'RS256', 'ES384', 'EdDSA']) {
      const [head, body] = forge({ alg, kid: signer.key.kid }, claims).split('.');
      for (const secret of [signer.party.cert, JSON.stringify(signer.key.jwk), ''])
        tokens.push(`${head}.${body}.${createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')}`);
      tokens.push(`${head}.${body}.`, `${head}.${body}.AA`);
    }
    for (const header of [{ jku: 'https://evil.example' }, { jwk: evil.jwk }, { x5u: 'https://evil.example' }])
      tokens.push(await sign(claims, { ...evil, kid: signer.key.kid }, header));
    for (const kid of ['__proto__', 'constructor', 'toString', '../../etc/passwd', "x' or '1'='1", '*', ''])
      tokens.push(await sign(claims, { ...evil, kid }), await sign(claims, { ...signer.key, kid }));
    tokens.push(forge({ alg: 'ES256', kid: signer.key.kid }, { ...claims, fill: 'x'.repeat(1_000_000) }), 'x'.repeat(100_000));
    for (const token of tokens)
      for (const issuerId of [undefined, signer.id]) {
        const answer = await enrollBy(app, token, issuerId === undefined ? {} : { issuerId });
        assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
      }
    assert.equal(await app.count('identity'), 1);
  });

  test('enrolls nobody if it is one of the controller, even where a signer trusts its issuer and its keys', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const user = await app.user();
    const tokens = await tokensOf(app, user.username);
    const { keys } = (await app.request('GET', '/oidc/keys', { as: null })).body;
    const { url } = await keyServer(t, keys);
    const { iss } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString());
    const paths = { useExternalId: true, enrollToCertEnabled: true, enrollToTokenEnabled: true };
    await app.create('/external-jwt-signers', {
      name: 'own',
      issuer: iss,
      audience: 'openziti',
      enabled: true,
      jwksEndpoint: url,
      ...paths,
    });
    for (const token of Object.values(tokens))
      for (const clientCsr of ['', await request()])
        if (typeof token === 'string') assertRefused(await enrollBy(app, token, { clientCsr }), 400, 'INVALID_ENROLLMENT_TOKEN');
    assert.equal(await app.count('identity'), 2);
  });

  test('is looked at in two places of the header at most, so that hundreds cost no more', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const bad = forge({ alg: 'ES256', kid: signer.key.kid }, claimsOf(signer.issuer, { sub: 'eve' }));
    const good = await signer.token({ sub: 'ann' });
    assertRefused(await enrollBy(app, [...Array.from({ length: 300 }, () => bad), good]), 400, 'INVALID_ENROLLMENT_TOKEN');
    assert.equal((await enrollBy(app, [bad, good])).status, 200);
  });
});
