/**
 * GHSA-4h58-w989-xgg4: with the id of a signer in `ziti-token-issuer-id`, only the signature of a token was checked, so that any token of
 * that provider enrolled: one for another audience, an expired one, one that never expires.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, request } from '../support/token-enrollment.ts';

onEveryStore('a provider signs tokens for others, too', (open) => {
  test('none of them makes an identity of its bearer, with or without the id of the signer', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const now = app.clock.now() / 1000;
    const tokens = {
      'for another audience': await signer.token({ sub: 'eve', aud: 'another application' }),
      'for several others': await signer.token({ sub: 'eve', aud: ['one', 'two'] }),
      expired: await signer.token({ sub: 'eve', exp: now - 3600 }),
      'without an end': await signer.token({ sub: 'eve', exp: undefined }),
      'from a tenant with the same keys': await signer.token({ sub: 'eve', iss: `${signer.issuer}/another-tenant` }),
    };
    for (const [why, token] of Object.entries(tokens))
      for (const clientCsr of ['', await request()])
        for (const issuerId of [undefined, signer.id]) {
          const answer = await enrollBy(app, token, { clientCsr, ...(issuerId === undefined ? {} : { issuerId }) });
          assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
          assert.deepEqual([await app.count('identity'), await app.count('authenticator')], [1, 1], why);
        }
  });
});
