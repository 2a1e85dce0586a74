import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, identityNamed, request } from '../support/token-enrollment.ts';

onEveryStore('a signer that names identities by id', (open) => {
  test('enrolls nobody by a token alone: a chosen subject would never log in, or would log in as another', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { useExternalId: false });
    const administrator = (await identityNamed(app, 'Default Admin')).id;
    for (const sub of ['ann', administrator]) {
      const answer = await enrollBy(app, await signer.token({ sub }));
      assertRefused(answer, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
      assert.equal(answer.body.error.cause.field, 'useExternalId');
    }
    assert.equal(await app.count('identity'), 1);
    assert.equal((await enrollBy(app, await signer.token({ sub: 'ann' }), { clientCsr: await request() })).status, 200);
  });
});
