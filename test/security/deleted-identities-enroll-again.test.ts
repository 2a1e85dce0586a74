/**
 * The token of an identity that was disabled must not make it another identity. One that was deleted is unknown, and may enroll again: the
 * guide says so.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { loginByToken } from '../support/provider.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, identityNamed } from '../support/token-enrollment.ts';

onEveryStore('the token of an enrolled identity, sent again', (open) => {
  test('enrolls nobody while the identity is there, disabled or not; after its deletion it gives a new identity without what the old one had', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const token = await signer.token({ sub: 'ann' });
    assert.equal((await enrollBy(app, token)).status, 200);
    const { id } = await identityNamed(app, 'ann');
    await app.request('PATCH', `/identities/${id}`, { body: { roleAttributes: ['trusted'] } });
    const session = (await loginByToken(app, token)).body.data.token;
    await app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 0 } });
    assertRefused(await enrollBy(app, token), 409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
    assert.equal((await loginByToken(app, token)).status, 401);
    await app.request('DELETE', `/identities/${id}`);
    assert.equal((await enrollBy(app, token)).status, 200);
    const again = await identityNamed(app, 'ann');
    assert.notEqual(again.id, id);
    assert.deepEqual([again.roleAttributes, again.isAdmin], [null, false]);
    assert.equal((await app.request('GET', '/edge/client/v1/current-identity', { as: session })).status, 401);
  });
});
