import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { person } from '../support/external-logins.ts';
import { certificateSigner, claimsOf, loginByToken, providerKey, sign } from '../support/provider.ts';

onEveryStore('checking a token of an identity provider', (open) => {
  const check = (app: App, token: string) => app.controller.api.externalJwtSigners.checkToken({ body: { token } });
  const fresh = (app: App) => ({ exp: app.clock.now() / 1000 + 600, iat: app.clock.now() / 1000 });

  test('an accepted one tells whom it would log in, and opens no session', async () => {
    await using app = await open();
    const [signer, id] = [await certificateSigner(app), await person(app, { name: 'ann' })];
    const token = await signer.token({ ...fresh(app), sub: id });
    const sessions = await app.rows('apiSession');
    const { identity, signer: by, ...result } = await check(app, token);
    assert.deepEqual(result, { isAccepted: true, message: 'the token is accepted', subject: id });
    assert.deepEqual([identity?.id, identity?.name, by?.id], [id, 'ann', signer.id]);
    assert.deepEqual(await app.rows('apiSession'), sessions);
    assert.equal((await loginByToken(app, token)).status, 200);
  });

  test('a refused one shows why, as the login would decide, and whose it is as far as that is proven', async () => {
    await using app = await open();
    const [signer, id, disabled] = [await certificateSigner(app), await person(app), await person(app)];
    await app.controller.api.identities.disable({ id: disabled, body: { durationMinutes: 0 } });
    for (const [reason, token, subject, identityId] of [
      ['malformed', 'nonsense'],
      ['issuer', await signer.token({ ...fresh(app), sub: id, iss: 'https://none.example' })],
      ['signature', await sign(claimsOf(signer.issuer, { ...fresh(app), sub: id }), await providerKey(signer.key.kid))],
      ['audience', await signer.token({ ...fresh(app), sub: id, aud: 'others' })],
      ['expired', await signer.token({ ...fresh(app), sub: id, exp: app.clock.now() / 1000 - 61 })],
      ['unknown', await signer.token({ ...fresh(app), sub: 'nobody' }), 'nobody'],
      ['disabled', await signer.token({ ...fresh(app), sub: disabled }), disabled, disabled],
    ] as const) {
      const result = await check(app, token);
      assert.deepEqual([result.isAccepted, result.reason], [false, reason]);
      assert.match(result.message, /^the token is refused: \w/);
      assert.deepEqual([result.subject, result.identity?.id], [subject, identityId], reason);
      assert.equal(result.signer?.id, ['malformed', 'issuer'].includes(reason) ? undefined : signer.id);
      assert.notEqual((await loginByToken(app, token)).status, 200);
    }
  });

  test('neither the log nor the audit contains the token', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    const token = await signer.token({ ...fresh(app), sub: 'nobody' });
    await check(app, token);
    assert.ok(!JSON.stringify([app.log, (await app.controller.api.audit.list({})).data]).includes(token.slice(-40)));
  });
});
