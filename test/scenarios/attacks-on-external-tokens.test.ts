import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Answer, type App, onEveryStore } from '../support/app.ts';
import { party } from '../support/pki.ts';
import {
  AUDIENCE,
  certificateSigner,
  claimsOf,
  forge,
  keyOfParty,
  keyServer,
  loginByToken,
  providerKey,
  sign,
} from '../support/provider.ts';
import { assertRefused } from '../support/refusals.ts';

const victim = (app: App, fields: Readonly<Record<string, unknown>> = {}) =>
  app.create('/identities', { name: `victim-${Math.random()}`, type: 'User', isAdmin: true, ...fields });
const refused = (answer: Answer) => assertRefused(answer, 401, 'INVALID_AUTH');
const signerBody = (name: string, fields: Readonly<Record<string, unknown>>) => ({
  name,
  issuer: `https://${name}.example`,
  audience: AUDIENCE,
  enabled: true,
  ...fields,
});

onEveryStore('attacks on external tokens', (open) => {
  test('no algorithm that a token chooses makes a public key a secret, or a signature unneeded', async () => {
    await using app = await open();
    const [signer, sub] = [await certificateSigner(app), await victim(app)];
    const claims = claimsOf(signer.issuer, { sub });
    for (const alg of ['none', 'None', 'HS256', 'HS384', 'HS512', 'RS256', 'PS256', 'ES384', 'EdDSA', 'dir', 'ES256K']) {
      const [head, body] = forge({ alg, kid: signer.key.kid }, claims).split('.');
      for (const secret of [signer.party.cert, signer.party.cert.trim(), JSON.stringify(signer.key.jwk), '']) {
        const mac = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
        for (const signature of [mac, '', 'AA']) refused(await loginByToken(app, `${head}.${body}.${signature}`));
      }
    }
  });

  test('a kid is a name and nothing else: no path, no address, no other signer', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const [signer, other, sub] = [await certificateSigner(app), await certificateSigner(app), await victim(app)];
    const evil = await providerKey('evil');
    const server = await keyServer(t, [evil.jwk]);
    for (const kid of [
      server.url,
      '../../etc/passwd',
      '/dev/null',
      "x' or '1'='1",
      other.key.kid,
      signer.id,
      other.party.certificate.fingerprint,
      '*',
      ' ',
    ])
      refused(await loginByToken(app, await sign(claimsOf(signer.issuer, { sub }), { ...evil, kid })));
    for (const header of [
      { jku: server.url },
      { x5u: server.url },
      { jwk: evil.jwk },
      { x5c: [Buffer.from((await party('evil')).certificate.der).toString('base64')] },
    ])
      refused(await loginByToken(app, await sign(claimsOf(signer.issuer, { sub }), { ...evil, kid: signer.key.kid }, header)));
    assert.equal(server.hits, 0);
  });

  test('who signs for one issuer signs for no other, though the names of keys be the same', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const [good, evil] = [await providerKey('shared'), await providerKey('shared')];
    const [ours, theirs] = [await keyServer(t, [good.jwk]), await keyServer(t, [evil.jwk])];
    await app.create('/external-jwt-signers', signerBody('ours', { jwksEndpoint: ours.url }));
    await app.create('/external-jwt-signers', signerBody('theirs', { jwksEndpoint: theirs.url, audience: 'others' }));
    const sub = await victim(app);
    refused(await loginByToken(app, await sign(claimsOf('https://ours.example', { sub }), evil)));
    refused(await loginByToken(app, await sign(claimsOf('https://theirs.example', { sub }), evil)));
    refused(
      await loginByToken(
        app,
        await sign({ ...claimsOf('https://theirs.example', { sub }), iss: ['https://ours.example', 'https://theirs.example'] }, evil),
      ),
    );
    assert.equal((await loginByToken(app, await sign(claimsOf('https://ours.example', { sub }), good))).status, 200);
  });

  test('a token for another audience, or for another of the same provider, opens nothing here', async () => {
    await using app = await open();
    const [signer, sub] = [await certificateSigner(app), await victim(app)];
    for (const aud of ['another application', `${AUDIENCE} `, `${AUDIENCE},x`, [], [`${AUDIENCE}/x`], { [AUDIENCE]: 1 }, '*', null, true])
      refused(await loginByToken(app, await signer.token({ sub, aud })));
  });

  test('what was good is not, once the signer is another: after a change of key, issuer, or a signer made anew', async () => {
    await using app = await open();
    const [signer, sub] = [await certificateSigner(app), await victim(app)];
    const token = await signer.token({ sub });
    const at = `/external-jwt-signers/${signer.id}`;
    const fresh = await party('fresh');
    for (const change of [{ certPem: fresh.cert }, { issuer: 'https://renamed.example' }]) {
      assert.equal((await loginByToken(app, token)).status, 200);
      await app.request('PATCH', at, { body: change });
      refused(await loginByToken(app, token));
      await app.request('PUT', at, { body: signer.body });
    }
    await app.request('DELETE', at);
    await app.create('/external-jwt-signers', { ...signer.body, certPem: fresh.cert });
    refused(await loginByToken(app, token));
    assert.equal(
      (await loginByToken(app, await sign(claimsOf(signer.issuer, { sub }), await keyOfParty(fresh, signer.key.kid)))).status,
      200,
    );
  });

  test('no address that a signer names reaches the machine itself, its neighbours, or the services of a cloud', async (t) => {
    await using app = await open();
    const key = await providerKey('a');
    const server = await keyServer(t, [key.jwk]);
    const { port } = new URL(server.url);
    const sub = await victim(app);
    const hosts = [
      '127.0.0.1',
      'localhost',
      'any.localhost',
      '0x7f.1',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '169.254.169.254',
      '[::ffff:a9fe:a9fe]',
      '[fe80::1]',
      '10.0.0.1',
      '192.168.1.1',
      '[fd00::1]',
      '[64:ff9b::7f00:1]',
    ];
    for (const [i, host] of hosts.entries()) {
      const body = signerBody(`signer-${i}`, { jwksEndpoint: `http://${host}:${port}/keys` });
      await app.create('/external-jwt-signers', body);
      refused(await loginByToken(app, await sign(claimsOf(body.issuer, { sub }), key)));
    }
    assert.equal(server.hits, 0);
    const failures = app.log.filter((line) => line.includes('could not be loaded'));
    assert.equal(failures.length, hosts.length);
    for (const line of failures) assert.match(line, /OutboundRefused/);
  });

  test('no redirect leads to where an address may not', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['127.0.0.1/32'] } });
    const key = await providerKey('a');
    const inside = await keyServer(t, [key.jwk]);
    const outside = createServer((_, response) => void response.writeHead(302, { location: inside.url }).end());
    await new Promise<void>((ready) => outside.listen(0, '127.0.0.1', ready));
    t.after(() => {
      outside.closeAllConnections();
      outside.close();
    });
    const body = signerBody('signer', { jwksEndpoint: `http://127.0.0.1:${(outside.address() as AddressInfo).port}/keys` });
    await app.create('/external-jwt-signers', body);
    refused(await loginByToken(app, await sign(claimsOf(body.issuer, { sub: await victim(app) }), key)));
    assert.equal(inside.hits, 0);
  });

  test('a provider that answers without end, or with nonsense, harms nobody', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const key = await providerKey('a');
    const server = await keyServer(t, [key.jwk]);
    const body = signerBody('signer', { jwksEndpoint: server.url });
    // The keys are asked for as soon as the signer is there.
    server.answer = () => ({ body: 'nonsense' });
    await app.create('/external-jwt-signers', body);
    const token = await sign(claimsOf(body.issuer, { sub: await victim(app) }), key);
    for (const answer of [
      JSON.stringify({ keys: [key.jwk], fill: 'x'.repeat(300_000) }),
      '{"keys":',
      `${'['.repeat(100_000)}`,
      '{"keys":[null,{"kty":{}}]}',
      '',
    ]) {
      server.answer = () => ({ body: answer });
      app.clock.advance('1s');
      refused(await loginByToken(app, token));
    }
    server.answer = undefined;
    app.clock.advance('1s');
    assert.equal((await loginByToken(app, token)).status, 200);
  });

  test('made-up names of keys cost the provider one request a second, however many come', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const key = await providerKey('a');
    const server = await keyServer(t, [key.jwk]);
    const body = signerBody('signer', { jwksEndpoint: server.url });
    await app.create('/external-jwt-signers', body);
    const token = (i: number) => forge({ alg: 'ES256', kid: `made-up-${i}` }, claimsOf(body.issuer, { sub: 'x' }));
    await Promise.all(Array.from({ length: 50 }, async (_, i) => refused(await loginByToken(app, token(i)))));
    app.clock.advance('1s');
    await Promise.all(Array.from({ length: 50 }, async (_, i) => refused(await loginByToken(app, token(i)))));
    assert.equal(server.hits, 2);
  });

  test('tokens of any size and shape are refused without harm', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    const claims = claimsOf(signer.issuer, { sub: 'x' });
    const header = { alg: 'ES256', kid: signer.key.kid };
    for (const token of [
      'eyJhbGciOiJFUzI1NiJ9',
      'eyJ..',
      '...',
      'a.b.c',
      forge(header, { ...claims, fill: 'x'.repeat(100_000) }),
      forge(header, `${'{"a":'.repeat(1500)}1${'}'.repeat(1500)}`),
      forge(header, { ...claims, sub: 'x'.repeat(9000) }),
      forge(header, { ...claims, iss: { toString: 'x' } }),
      forge({ ...header, kid: '__proto__' }, claims),
      forge({ ...header, alg: '__proto__' }, claims),
      await signer.token({ sub: 'x'.repeat(9000) }),
      await signer.token({ sub: '__proto__' }),
      await signer.token({ sub: "' or '1'='1" }),
    ])
      refused(await loginByToken(app, token));
  });

  test('no answer and no log line repeats a token', async () => {
    await using app = await open();
    const [signer, sub] = [await certificateSigner(app), await victim(app)];
    const tokens = [await signer.token({ sub }), await signer.token({ sub: 'nobody' }), await signer.token({ sub, aud: 'x' })];
    for (const token of tokens) {
      await loginByToken(app, token);
      await app.request('GET', '/identities', { headers: { authorization: `Bearer ${token}` } });
    }
    const answers = app.transcript.map(({ answer }) => answer);
    const said = JSON.stringify([answers, app.log, await app.rows('change'), await app.rows('apiSession')]);
    for (const token of tokens) assert.ok(!said.includes(token.split('.')[2] ?? ''));
  });
});
