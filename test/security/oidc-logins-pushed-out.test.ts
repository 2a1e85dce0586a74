/**
 * Logins are stored in bounded number, and anyone may begin one: strangers must not push out those in which somebody has proved something.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authRequest } from '../../src/contract/api/auth-requests.ts';
import { openApp } from '../support/app.ts';
import { enrollMfa } from '../support/mfa.ts';
import { begin, byPassword, codeOf, post, redeem, tokensIn } from '../support/oidc.ts';

test('of 25,000 logins, those whose first step was made stay, however many strangers begin', async () => {
  await using app = await openApp('memory');
  const user = await app.user();
  const factor = await enrollMfa(app, await user.login());
  const victim = await begin(app);
  await byPassword(app, victim, user.username);
  app.clock.advance('1s');
  const oldest = await begin(app);
  app.clock.advance('1s');
  const endsAt = new Date(app.clock.now() + 600_000).toISOString();
  const rows = await app.inStore('read', (entities) => entities.list(authRequest, { where: { op: 'all' } }));
  const { request, progress } = rows.find(({ id }) => id === oldest.id) ?? assert.fail();
  await app.inStore('write', async (entities) => {
    for (let i = 0; i < 24_998; i++) await entities.insert(authRequest, { request, progress, apiSessionId: null, endsAt });
  });
  for (let i = 0; i < 5; i++) await begin(app);
  assert.equal(await app.count('authRequest'), 25_000);
  assert.equal((await byPassword(app, oldest, user.username)).status, 401, 'nothing was proved in it');
  assert.equal((await post(app, '/login/totp', { id: victim.id, code: factor.code(1) })).status, 302);
  tokensIn(await redeem(app, victim, await codeOf(app, victim)));
});
