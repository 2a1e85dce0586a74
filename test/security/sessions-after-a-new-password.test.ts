import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';

const NEW = 'another password';
const isAlive = async (app: App, as: string) => (await app.request('GET', '/current-identity', { as })).status === 200;

/** Somebody with two sessions, and somebody else with one. */
const people = async (app: App) => {
  const ann = await app.user();
  const bob = await app.user();
  return { ann, own: await ann.login(), other: await ann.login(), bobs: await bob.login() };
};
type Ann = Awaited<ReturnType<typeof people>>['ann'];

const changes: Readonly<Record<string, (app: App, ann: Ann, as: string) => Promise<{ readonly status: number }>>> = {
  'PATCH of an own authenticator': (app, { authenticatorId }, as) =>
    app.request('PATCH', `/current-identity/authenticators/${authenticatorId}`, { as, body: { password: NEW, currentPassword: PASSWORD } }),
  'PUT of an own authenticator': (app, { authenticatorId, username }, as) =>
    app.request('PUT', `/current-identity/authenticators/${authenticatorId}`, {
      as,
      body: { username, password: NEW, currentPassword: PASSWORD },
    }),
  'PATCH by an administrator': (app, { authenticatorId }) =>
    app.request('PATCH', `/authenticators/${authenticatorId}`, { body: { password: NEW } }),
  'PUT by an administrator': (app, { authenticatorId, username }) =>
    app.request('PUT', `/authenticators/${authenticatorId}`, { body: { username, password: NEW } }),
};
const expiresAt = (app: App) => new Date(app.clock.now() + 600_000).toISOString();

onEveryStore('sessions after a new password', (open) => {
  for (const [how, change] of Object.entries(changes)) {
    test(`${how}: where the host wants it, the other sessions of the identity end with the change, and nobody else's`, async () => {
      await using app = await open({ settings: { endSessionsOnPasswordChange: true } });
      const { ann, own, other, bobs } = await people(app);
      assert.equal((await change(app, ann, own)).status, 200);
      assert.equal(await isAlive(app, own), how.includes('own'), 'the session that gave it goes on');
      assert.equal(await isAlive(app, other), false);
      assert.ok(await isAlive(app, bobs));
      assert.ok(await isAlive(app, app.admin));
    });

    test(`${how}: by default sessions outlive it`, async () => {
      await using app = await open();
      const { ann, own, other } = await people(app);
      assert.equal((await change(app, ann, own)).status, 200);
      assert.deepEqual([await isAlive(app, own), await isAlive(app, other)], [true, true]);
    });
  }

  for (const ends of [true, false])
    test(`a password that is taken away for an enrollment, and the one that is given then, ${ends ? 'end' : 'leave'} sessions that were opened otherwise`, async () => {
      await using app = await open({ settings: { endSessionsOnPasswordChange: ends } });
      const { ann, own, other } = await people(app);
      // As one by a certificate: it does not go with the authenticator.
      const rows = await app.rows('apiSession');
      for (const { id, identityId } of rows) if (identityId === ann.id) await app.alter('apiSession', id, { authenticatorId: 'internal' });
      const { status } = await app.request('POST', `/authenticators/${ann.authenticatorId}/re-enroll`, {
        body: { expiresAt: expiresAt(app) },
      });
      assert.equal(status, 201);
      assert.deepEqual([await isAlive(app, own), await isAlive(app, other)], [!ends, !ends]);
      const { token } = (await app.request('GET', `/identities/${ann.id}`)).body.data.enrollment.updb;
      const body = { username: ann.username, password: NEW };
      assert.equal((await app.request('POST', `/edge/client/v1/enroll?method=updb&token=${token}`, { as: null, body })).status, 200);
      assert.equal((await app.login(ann.username, NEW)).status, 200);
    });

  test('a change of anything else ends no session, and neither does a change that is refused', async () => {
    await using app = await open({ settings: { endSessionsOnPasswordChange: true } });
    const { ann, own, other } = await people(app);
    const at = `/current-identity/authenticators/${ann.authenticatorId}`;
    assert.equal((await app.request('PATCH', at, { as: own, body: { username: 'another-name', currentPassword: PASSWORD } })).status, 200);
    assert.equal((await app.request('PATCH', `/authenticators/${ann.authenticatorId}`, { body: { tags: { a: 'b' } } })).status, 200);
    assert.equal((await app.request('PATCH', at, { as: own, body: { password: NEW, currentPassword: 'a wrong one' } })).status, 401);
    assert.deepEqual([await isAlive(app, own), await isAlive(app, other)], [true, true]);
  });

  test('the setting is true or false', async () => {
    await assert.rejects(
      open({ settings: { endSessionsOnPasswordChange: 'yes' as never } }),
      /endSessionsOnPasswordChange must be true or false, got 'yes'/,
    );
  });
});
