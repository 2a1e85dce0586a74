/**
 * #4118: the signer of a token was found by the id of its key, so that of two signers with a common id one accepted what the other had
 * signed, or neither did.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { AUDIENCE, claimsOf, keyServer, loginByToken, providerKey, sign } from '../support/provider.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy } from '../support/token-enrollment.ts';

onEveryStore('signers whose key sets have a key id in common', (open) => {
  test('accept their own tokens only, at logins and enrollments, with and without the id of the signer', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const keys = [await providerKey('shared'), await providerKey('shared')];
    const signers = [];
    for (const [i, key] of keys.entries()) {
      const issuer = `https://provider-${i}.example`;
      const body = { name: issuer, issuer, audience: AUDIENCE, enabled: true, useExternalId: true, enrollToTokenEnabled: true };
      const { url } = await keyServer(t, [key.jwk]);
      signers.push({ key, issuer, id: await app.create('/external-jwt-signers', { ...body, jwksEndpoint: url }) });
    }
    const [first = assert.fail(), second = assert.fail()] = signers;
    for (const [own, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const sub = `of ${own.issuer}`;
      const forged = await sign(claimsOf(own.issuer, { sub }), other.key);
      for (const issuerId of [undefined, own.id, other.id])
        assertRefused(await enrollBy(app, forged, issuerId === undefined ? {} : { issuerId }), 400, 'INVALID_ENROLLMENT_TOKEN');
      const good = await sign(claimsOf(own.issuer, { sub }), own.key);
      assertRefused(await enrollBy(app, good, { issuerId: other.id }), 400, 'INVALID_ENROLLMENT_TOKEN');
      assert.equal((await enrollBy(app, good)).status, 200);
      for (let i = 0; i < 3; i++) assert.equal((await loginByToken(app, good)).status, 200);
      assert.equal((await loginByToken(app, forged)).status, 401);
    }
    assert.equal(await app.count('identity'), 3);
  });
});
