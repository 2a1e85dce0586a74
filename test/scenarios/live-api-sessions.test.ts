/** All sessions, as operators see them: the published API hides those of OpenID logins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { lives, tokensOf } from '../support/oidc.ts';
import { assertRefused } from '../support/refusals.ts';

const SESSIONS = `${EXTENSIONS}/api-sessions`;

/** Someone with two sessions, the second one with signed tokens, and what operators see of both. */
const withSessions = async (app: App) => {
  const user = await app.user();
  await user.login();
  const { access_token: access } = await tokensOf(app, user.username);
  const query = `?filter=${encodeURIComponent(`identity = "${user.id}"`)}`;
  const listed = async () => (await app.request('GET', `${SESSIONS}${query}`)).body.data;
  return { access, query, listed };
};

onEveryStore('the live API sessions', (open) => {
  test('sessions with signed tokens are listed with their client and their end, beside those without', async () => {
    await using app = await open();
    const { query, listed } = await withSessions(app);
    const sessions = await listed();
    assert.deepEqual(sessions.map(({ clientId }: { clientId: string | null }) => clientId).toSorted(), [null, 'openziti'].toSorted());
    for (const { id, token, expiresAt } of sessions) {
      assert.equal(token, id, 'the token of a session is not shown');
      assert.ok(Date.parse(expiresAt) > app.clock.now());
      assert.equal((await app.request('GET', `${SESSIONS}/${id}`)).body.data.expiresAt, expiresAt);
    }
    assert.equal((await app.request('GET', `/api-sessions${query}`)).body.data.length, 1, 'as in the published API');
  });

  test('a session that is ended is gone, with its signed tokens and a revocation', async () => {
    await using app = await open();
    const { access, listed } = await withSessions(app);
    assert.equal(await lives(app, access), true);
    const { id } = (await listed()).find(({ clientId }: { clientId: string | null }) => clientId !== null);
    assert.equal((await app.request('DELETE', `${SESSIONS}/${id}`)).status, 200);
    assert.equal(await lives(app, access), false);
    assertRefused(await app.request('GET', `${SESSIONS}/${id}`), 404, 'NOT_FOUND');
    assert.equal((await app.request('GET', `/revocations/${id}`)).body.data.type, 'API_SESSION');
  });

  test('a session that has ended by time is neither listed nor ended', async () => {
    await using app = await open();
    const { query, listed } = await withSessions(app);
    const [{ id }] = (await listed()).filter(({ clientId }: { clientId: string | null }) => clientId === null);
    app.clock.advance('40m');
    const { api } = app.controller;
    const { data } = await api.liveApiSessions.list({ filter: decodeURIComponent(query.slice('?filter='.length)) });
    assert.ok(data.every((session) => session.id !== id));
    await assert.rejects(api.liveApiSessions.delete({ id }), { code: 'NOT_FOUND' });
  });
});
