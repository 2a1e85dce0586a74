/**
 * GHSA-whjr-3j94-gw3c: the address of a key set was fetched wherever it led, as long as it took. Strangers cause such fetches, too, by
 * tokens that name unknown keys at a login or an enrollment.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { AUDIENCE, claimsOf, forge, keyServer, loginByToken, providerKey, sign } from '../support/provider.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy } from '../support/token-enrollment.ts';

const INSIDE = ['127.0.0.1', 'localhost', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '10.0.0.1', '[fd00::1]'];
const ALWAYS_REFUSED = ['169.254.169.254', '[::ffff:a9fe:a9fe]', '[fe80::1]'];
const body = (name: string, jwksEndpoint: string) => {
  const issuer = `https://${name}.example`;
  return { name, issuer, audience: AUDIENCE, enabled: true, useExternalId: true, enrollToTokenEnabled: true, jwksEndpoint };
};

onEveryStore('the address of a key set', (open) => {
  test('leads to no service inside, by a login or an enrollment', async (t) => {
    await using app = await open();
    const key = await providerKey('a');
    const server = await keyServer(t, [key.jwk]);
    const { port } = new URL(server.url);
    for (const [i, host] of [...INSIDE, ...ALWAYS_REFUSED].entries()) {
      const signer = body(`signer-${i}`, `http://${host}:${port}/keys`);
      await app.create('/external-jwt-signers', signer);
      const token = await sign(claimsOf(signer.issuer, { sub: 'ann' }), key);
      assertRefused(await enrollBy(app, token), 400, 'INVALID_ENROLLMENT_TOKEN');
      assertRefused(await loginByToken(app, token), 401, 'INVALID_AUTH');
    }
    assert.equal(server.hits, 0);
  });

  test('never leads to metadata services and link-local addresses, also if the host allows its own network, or by a redirect', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['127.0.0.1/32'] } });
    const key = await providerKey('a');
    const inside = await keyServer(t, [key.jwk]);
    const targets = [...ALWAYS_REFUSED.map((host) => `http://${host}/latest/meta-data`), inside.url.replace('127.0.0.1', 'localhost')];
    for (const [i, location] of targets.entries()) {
      const redirecting = createServer((_, response) => void response.writeHead(302, { location }).end());
      await new Promise<void>((ready) => redirecting.listen(0, '127.0.0.1', ready));
      t.after(() => {
        redirecting.closeAllConnections();
        redirecting.close();
      });
      // A TCP server that listens has an address with a port.
      const { port } = redirecting.address() as AddressInfo;
      const redirected = `http://127.0.0.1:${port}/keys`;
      // The last target may be reached, but not by a redirect from another origin.
      for (const [way, jwksEndpoint] of Object.entries({ redirected, ...(i < ALWAYS_REFUSED.length && { direct: location }) })) {
        const signer = body(`${way}-${i}`, jwksEndpoint);
        await app.create('/external-jwt-signers', signer);
        const token = await sign(claimsOf(signer.issuer, { sub: 'ann' }), key);
        assertRefused(await enrollBy(app, token), 400, 'INVALID_ENROLLMENT_TOKEN');
      }
    }
    assert.deepEqual([inside.hits, await app.count('identity')], [0, 1]);
  });

  test('is fetched once a second at most, however many keys strangers make up at enrollments and logins', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const server = await keyServer(t, [(await providerKey('a')).jwk]);
    const signer = body('signer', server.url);
    await app.create('/external-jwt-signers', signer);
    await server.asked();
    app.clock.advance('1s');
    const before = server.hits;
    const made = Array.from({ length: 100 }, (_, i) => forge({ alg: 'ES256', kid: `made-up-${i}` }, claimsOf(signer.issuer, { sub: 'x' })));
    await Promise.all(made.flatMap((token) => [enrollBy(app, token), loginByToken(app, token)]));
    assert.equal(server.hits - before, 1);
  });
});
