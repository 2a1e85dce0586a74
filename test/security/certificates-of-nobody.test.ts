/** Where the name was taken, a certificate was issued for an identity that did not exist. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { assertInvalid } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, request } from '../support/token-enrollment.ts';

onEveryStore('a token that claims the name of another identity', (open) => {
  test('gives no identity and no certificate, and nothing of the token is shown or logged', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { enrollNameClaimsSelector: 'name', enrollAttributeClaimsSelector: 'roles' });
    const claims = { sub: 'the-subject-of-eve', name: 'Default Admin', roles: ['a-role-of-eve'] };
    for (const clientCsr of ['', await request()]) {
      const answer = await enrollBy(app, await signer.token(claims), { clientCsr });
      assertInvalid(answer, 'name');
      assert.ok(!answer.text.includes('Default Admin') && !answer.text.includes('CERTIFICATE'));
    }
    const tooLong = { ...claims, name: 'eve', sub: `the-subject-of-eve${'x'.repeat(3000)}` };
    assertInvalid(await enrollBy(app, await signer.token(tooLong)), 'externalId');
    assertInvalid(
      await enrollBy(app, await signer.token({ ...claims, name: 'the-name-of-eve', roles: ['#a-role-of-eve'] })),
      'roleAttributes',
    );
    assert.deepEqual([await app.count('identity'), await app.count('authenticator')], [1, 1]);
    const said = [...app.transcript.map(({ answer }) => answer.text), ...app.log].join();
    for (const secret of ['the-subject-of-eve', 'a-role-of-eve', 'the-name-of-eve', 'eyJ']) assert.ok(!said.includes(secret), secret);
  });
});
