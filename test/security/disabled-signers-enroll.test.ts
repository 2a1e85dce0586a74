import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, request } from '../support/token-enrollment.ts';

onEveryStore('a signer that was disabled', (open) => {
  test('enrolls nobody, named by its id or by the issuer of the token, and the answer is that of an unknown one', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { enabled: false });
    const token = await signer.token({ sub: 'eve' });
    const unknown = await enrollBy(app, await signer.token({ sub: 'eve', iss: 'https://nobody.example' }));
    for (const clientCsr of ['', await request()])
      for (const options of [{ clientCsr }, { clientCsr, issuerId: signer.id }]) {
        const answer = await enrollBy(app, token, options);
        assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
        assert.deepEqual(answer.body.error.cause, unknown.body.error.cause);
      }
    assert.equal(await app.count('identity'), 1);
  });
});
