/**
 * The bearer of a token may have chosen its name. Control characters in it would be obeyed by the terminals on which administrators list
 * identities.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { assertInvalid } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, request } from '../support/token-enrollment.ts';

onEveryStore('control characters in the claims of a token', (open) => {
  test('enroll nobody, as name, id or role attribute, and are not repeated', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { enrollNameClaimsSelector: 'name', enrollAttributeClaimsSelector: 'roles' });
    const good = { sub: 'eve', name: 'eve', roles: ['staff'] };
    for (const bad of ['eve\u001b[2J', 'eve\nadmin', '\reve', 'eve\u0007', 'eve\u009b31m', '\u007feve'])
      for (const clientCsr of ['', await request()])
        for (const [field, claims] of Object.entries({
          name: { name: bad },
          externalId: { sub: bad },
          roleAttributes: { roles: ['staff', bad] },
        })) {
          const answer = await enrollBy(app, await signer.token({ ...good, ...claims }), { clientCsr });
          assertInvalid(answer, field);
          assert.equal(answer.body.error.cause.value, '<nil>');
        }
    assert.deepEqual([await app.count('identity'), await app.count('authenticator')], [1, 1]);
    const named = { ...good, name: 'Zoë O’Hara 🦊 (ops)' };
    assert.equal((await enrollBy(app, await signer.token(named))).status, 200);
  });
});
