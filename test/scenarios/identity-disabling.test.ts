import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const disable = (app: App, id: string, durationMinutes: unknown) =>
  app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes } });
const enable = (app: App, id: string, body?: object) => app.request('POST', `/identities/${id}/enable`, { body });
const stateOf = async (app: App, id: string) => {
  const { disabled, disabledAt, disabledUntil } = (await app.request('GET', `/identities/${id}`)).body.data;
  return { disabled, disabledAt, disabledUntil };
};
const ENABLED = { disabled: false, disabledAt: undefined, disabledUntil: undefined };

onEveryStore('disabling identities', (open) => {
  test('a disabled identity has no sessions and cannot log in', proves(17, 22, 111, 274, 398), async () => {
    await using app = await open();
    const user = await app.user();
    const [one, two] = [await user.login(), await user.login()];
    const { status, body } = await disable(app, user.id, 30);
    assert.deepEqual([status, body.data], [200, {}]);
    for (const as of [one, two]) assertRefused(await app.request('GET', '/current-identity', { as }), 401, 'UNAUTHORIZED');
    assertRefused(await app.login(user.username, 'Passw0rd!Passw0rd!'), 401, 'INVALID_AUTH');
    assert.deepEqual(await stateOf(app, user.id), {
      disabled: true,
      disabledAt: '2026-11-21T10:00:00.000Z',
      disabledUntil: '2026-11-21T10:30:00.000Z',
    });
    assert.equal((await app.request('GET', `/identities/${user.id}`)).body.data.hasApiSession, false);
    assert.deepEqual((await app.request('GET', `/api-sessions?filter=${encodeURIComponent(`identity="${user.id}"`)}`)).body.data, []);
  });

  test('the disabled state ends by itself after its minutes, and not before', proves(111, 275), async () => {
    await using app = await open();
    const user = await app.user();
    await disable(app, user.id, 5);
    app.clock.advance('299s');
    assert.equal((await stateOf(app, user.id)).disabled, true);
    assertRefused(await app.login(user.username, 'Passw0rd!Passw0rd!'), 401, 'INVALID_AUTH');
    app.clock.advance('1s');
    assert.deepEqual(await stateOf(app, user.id), ENABLED);
    assert.equal((await app.login(user.username, 'Passw0rd!Passw0rd!')).status, 200);
  });

  test('zero minutes, or fewer, disable until somebody enables', proves(111, 276, 466), async () => {
    for (const minutes of [0, -7]) {
      await using app = await open();
      const user = await app.user();
      await disable(app, user.id, minutes);
      app.clock.advance('3650d');
      assertRefused(await app.login(user.username, 'Passw0rd!Passw0rd!'), 401, 'INVALID_AUTH');
      const as = (await app.login('admin', 'the-admin-password')).body.data.token;
      const { data } = (await app.request('GET', `/identities/${user.id}`, { as })).body;
      assert.deepEqual([data.disabled, data.disabledAt, data.disabledUntil], [true, '2026-11-21T10:00:00.000Z', undefined]);
    }
  });

  test('enabling clears all disabled state, and an enabled identity may be enabled', proves(17, 22, 277, 399), async () => {
    await using app = await open();
    const user = await app.user();
    for (const minutes of [0, 30]) {
      await disable(app, user.id, minutes);
      const { status, body } = await enable(app, user.id);
      assert.deepEqual([status, body.data], [200, {}]);
      assert.deepEqual(await stateOf(app, user.id), ENABLED);
      const stored = (await app.rows('identity')).find(({ id }) => id === user.id);
      assert.deepEqual([stored?.disabledAt, stored?.disabledUntil], [null, null]);
      assert.equal((await app.login(user.username, 'Passw0rd!Passw0rd!')).status, 200);
      assert.equal((await enable(app, user.id, {})).status, 200);
    }
  });

  test('disabling again starts anew, and a session of before stays dead after enabling', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    await disable(app, user.id, 60);
    app.clock.advance('10m');
    await disable(app, user.id, 5);
    assert.deepEqual(await stateOf(app, user.id), {
      disabled: true,
      disabledAt: '2026-11-21T10:10:00.000Z',
      disabledUntil: '2026-11-21T10:15:00.000Z',
    });
    await enable(app, user.id);
    assertRefused(await app.request('GET', '/current-identity', { as }), 401, 'UNAUTHORIZED');
  });

  test('a time beyond all calendars is as good as forever', async () => {
    await using app = await open();
    const user = await app.user();
    assert.equal((await disable(app, user.id, Number.MAX_SAFE_INTEGER)).status, 200);
    assert.deepEqual(await stateOf(app, user.id), {
      disabled: true,
      disabledAt: '2026-11-21T10:00:00.000Z',
      disabledUntil: '9999-12-31T23:59:59.999Z',
    });
  });

  test('disabling needs a whole number of minutes', proves(235), async () => {
    await using app = await open();
    const user = await app.user();
    const left = await app.trail(async () => {
      assertInvalid(await disable(app, user.id, undefined), 'durationMinutes');
      assertInvalid(await disable(app, user.id, null), 'durationMinutes');
      for (const minutes of ['5', 1.5, true, [1]]) assertRefused(await disable(app, user.id, minutes), 400, 'COULD_NOT_PARSE_BODY');
      assertInvalid(await app.request('POST', `/identities/${user.id}/disable`), 'disable');
    });
    assert.deepEqual(left, []);
    assert.deepEqual(await stateOf(app, user.id), ENABLED);
  });

  test('an administrator may disable itself, which ends the session that did it', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const as = await user.login();
    assert.equal((await app.request('POST', `/identities/${user.id}/disable`, { as, body: { durationMinutes: 1 } })).status, 200);
    assertRefused(await app.request('GET', '/identities', { as }), 401, 'UNAUTHORIZED');
  });
});
