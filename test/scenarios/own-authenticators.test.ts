import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const MANAGEMENT = '/current-identity/authenticators';
const CLIENT = '/edge/client/v1/current-identity/authenticators';

/** A user who is logged in, and the way to its own authenticator. */
const loggedIn = async (app: App) => {
  const user = await app.user();
  const as = await user.login();
  return {
    ...user,
    as,
    path: `${MANAGEMENT}/${user.authenticatorId}`,
    change: (method: string, body: object) => app.request(method, `${MANAGEMENT}/${user.authenticatorId}`, { as, body }),
  };
};

onEveryStore('own authenticators', (open) => {
  test('an identity sees its own authenticators, with no links but their own, on both APIs', proves(33, 376), async () => {
    await using app = await open();
    const { id, username, authenticatorId, as } = await loggedIn(app);
    await app.user();
    for (const path of [MANAGEMENT, CLIENT]) {
      const { data } = (await app.request('GET', `${path}/${authenticatorId}`, { as })).body;
      assert.deepEqual(data._links, { self: { href: `./current-identity/authenticators/${authenticatorId}` } });
      assert.deepEqual([data.identityId, data.method, data.username], [id, 'updb', username]);
      assert.deepEqual((await app.request('GET', path, { as })).body.data, [data]);
    }
  });

  test('the list of own authenticators obeys limit, offset, filter and sort', proves(375), async () => {
    await using app = await open();
    const { as, authenticatorId, username } = await loggedIn(app);
    const total = async (query: Parameters<typeof list>[2]) => (await list(app, MANAGEMENT, query, { as })).body;
    assert.equal((await total({ filter: `updbUsername = "${username}"` })).meta.pagination.totalCount, 1);
    assert.deepEqual((await total({ filter: 'method = "cert"' })).data, []);
    assert.deepEqual((await total({ offset: 1 })).data, []);
    assert.deepEqual(
      (await total({ limit: 1, sort: 'createdAt desc' })).data.map(({ id }: { id: string }) => id),
      [authenticatorId],
    );
    assertInvalid(await list(app, MANAGEMENT, { limit: 'x' }, { as }), 'limit');
    assertRefused(await list(app, MANAGEMENT, { filter: 'nope = 1' }, { as }), 400, 'INVALID_FILTER');
  });

  test('an identity changes its own password by the current one', proves(77, 377), async () => {
    await using app = await open();
    const user = await loggedIn(app);
    assert.deepEqual((await user.change('PATCH', { password: 'another password', currentPassword: PASSWORD })).body.data, {});
    assertRefused(await app.login(user.username, PASSWORD), 401, 'INVALID_AUTH');
    assert.equal((await app.login(user.username, 'another password')).status, 200);
    assert.equal(
      (await user.change('PUT', { username: 'renamed', password: 'third password', currentPassword: 'another password' })).status,
      200,
    );
    assert.equal((await app.login('renamed', 'third password')).status, 200);
    assert.equal((await app.request('GET', '/current-identity', { as: user.as })).status, 200);
  });

  test('a wrong current password is refused, names the field, and changes nothing', proves(77), async () => {
    await using app = await open();
    const user = await loggedIn(app);
    const left = await app.trail(async () => {
      for (const answer of [
        await user.change('PATCH', { password: 'another password', currentPassword: 'not the current one' }),
        await user.change('PUT', { username: 'renamed', password: 'another password', currentPassword: 'not the current one' }),
      ]) {
        assertRefused(answer, 401, 'UNAUTHORIZED');
        assert.equal(answer.body.error.cause.field, 'currentPassword');
        assert.ok(!answer.text.includes('not the current one'));
      }
    });
    assert.deepEqual(left, []);
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('the current password is needed and has 5 to 100 characters', proves(77, 78), async () => {
    await using app = await open();
    const user = await loggedIn(app);
    for (const currentPassword of [undefined, null, 'abcd', 'a'.repeat(101), '😀'.repeat(4)]) {
      assertInvalid(await user.change('PATCH', { password: 'another password', currentPassword }), 'currentPassword');
      assertInvalid(
        await user.change('PUT', { username: user.username, password: 'another password', currentPassword }),
        'currentPassword',
      );
    }
  });

  test('a username that another has is refused', async () => {
    await using app = await open();
    const user = await loggedIn(app);
    assertInvalid(await user.change('PATCH', { username: 'admin', currentPassword: PASSWORD }), 'username');
    assertInvalid(await user.change('PUT', { username: 'admin', password: 'another password', currentPassword: PASSWORD }), 'username');
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('a patch keeps the tags unless it gives some, a replace empties them', async () => {
    await using app = await open();
    const user = await loggedIn(app);
    const currentPassword = PASSWORD;
    const tags = async () => (await app.request('GET', user.path, { as: user.as })).body.data.tags;
    await user.change('PATCH', { tags: { a: 'b' }, currentPassword });
    assert.deepEqual(await tags(), { a: 'b' });
    await user.change('PATCH', { username: 'renamed', tags: null, currentPassword });
    assert.deepEqual(await tags(), { a: 'b' });
    await user.change('PUT', { username: 'renamed', password: PASSWORD, currentPassword });
    assert.deepEqual(await tags(), {});
  });

  test('a patch that gives nothing but the current password changes nothing', async () => {
    await using app = await open();
    const user = await loggedIn(app);
    const left = await app.trail(async () =>
      assert.equal((await user.change('PATCH', { currentPassword: PASSWORD, username: null })).status, 200),
    );
    assert.deepEqual(left, []);
  });

  test(
    'the authenticators of others are not there: neither to see nor to change, whatever the password',
    proves(376, 377, 437),
    async () => {
      await using app = await open();
      const [user, other] = [await loggedIn(app), await loggedIn(app)];
      const left = await app.trail(async () => {
        for (const path of [other.path, `${CLIENT}/${other.authenticatorId}`, `${MANAGEMENT}/no-such-id`]) {
          assertRefused(await app.request('GET', path, { as: user.as }), 404, 'NOT_FOUND');
          assertRefused(
            await app.request('PATCH', path, { as: user.as, body: { password: 'taken over', currentPassword: PASSWORD } }),
            404,
            'NOT_FOUND',
          );
          assertRefused(
            await app.request('PUT', path, {
              as: user.as,
              body: { username: 'taken over', password: 'taken over', currentPassword: PASSWORD },
            }),
            404,
            'NOT_FOUND',
          );
        }
        assertRefused(await app.request('GET', user.path), 404, 'NOT_FOUND');
      });
      assert.deepEqual(left, []);
    },
  );
});
