import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveToken, statusAs } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';

const person = { name: 'ann', type: 'User', isAdmin: false } as const;

onEveryStore('the permissions of an identity', (open) => {
  test('are a sorted set, shown wherever the identity is, and empty by default', async () => {
    await using app = await open();
    const id = await app.create('/identities', person);
    const shown = async () => (await app.request('GET', `/identities/${id}`)).body.data.permissions;
    assert.deepEqual(await shown(), []);
    const patch = (body: object) => app.request('PATCH', `/identities/${id}`, { body });
    assert.equal((await patch({ permissions: ['service.read', 'identity', 'service.read'] })).status, 200);
    assert.deepEqual(await shown(), ['identity', 'service.read']);
    for (const body of [{ name: 'ann' }, { permissions: null }]) {
      assert.equal((await patch(body)).status, 200);
      assert.deepEqual(await shown(), ['identity', 'service.read']);
    }
    const { data } = (await app.request('GET', '/identities?filter=name="ann"')).body;
    assert.deepEqual(data[0].permissions, ['identity', 'service.read']);
    assert.equal((await patch({ permissions: [] })).status, 200);
    assert.deepEqual(await shown(), []);
    await patch({ permissions: ['ops'] });
    assert.equal((await app.request('PUT', `/identities/${id}`, { body: person })).status, 200);
    assert.deepEqual(await shown(), []);
  });

  test('are shown to their holder', async () => {
    await using app = await open();
    const token = await (await app.user({ permissions: ['admin_readonly'] })).login();
    for (const prefix of ['/edge/management/v1', '/edge/client/v1'])
      assert.deepEqual((await app.request('GET', `${prefix}/current-identity`, { as: token })).body.data.permissions, ['admin_readonly']);
  });

  test('that do not exist are refused by name, with those that do, and nothing is written', async () => {
    await using app = await open();
    const id = await app.create('/identities', person);
    const before = await app.rows('identity');
    const names = ['nonsense', 'admin', '*', 'Identity', 'authenticator', 'revocation.create', 'ops.create', ' identity', ''];
    for (const name of names)
      for (const [method, path] of [
        ['POST', '/identities'],
        ['PUT', `/identities/${id}`],
        ['PATCH', `/identities/${id}`],
      ] as const) {
        const { status, body } = await app.request(method, path, { body: { ...person, name: 'bob', permissions: ['service', name] } });
        assert.deepEqual([status, body.error.code, body.error.cause.field], [400, 'COULD_NOT_VALIDATE', 'permissions'], name);
        assert.match(
          body.error.cause.reason,
          /^invalid permissions '.*': must be admin_readonly, .*terminator, alone or followed by \.read, \.create, \.update, \.delete$/,
        );
      }
    for (const permissions of ['ops', { ops: true }, [7], true])
      assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { permissions } })).body.error.code, 'COULD_NOT_PARSE_BODY');
    assert.deepEqual(await app.rows('identity'), before);
  });

  test('hold in process, too: for an identity that the host acts for', async () => {
    await using app = await open();
    const { id } = await app.user({ permissions: ['service.read'] });
    const own = app.controller.asIdentity(id);
    assert.deepEqual((await own.services.list({})).data, []);
    await assert.rejects(own.identities.list({}), { code: 'UNAUTHORIZED' });
  });

  test('are needed by no session, and by no API token, that lists the fixed types', async () => {
    await using app = await open();
    const user = await app.user();
    const { secret } = await giveToken(app, user.id, {});
    for (const as of [await user.login(), secret])
      for (const path of ['/identity-types', '/identity-types/Router', '/posture-check-types', '/posture-check-types/OS'])
        assert.equal(await statusAs(app, as, path), 200, path);
    for (const path of ['/identity-types', '/posture-check-types'])
      assert.equal((await app.request('GET', path, { as: null })).status, 401);
  });

  test('cannot be filtered or sorted by', async () => {
    await using app = await open();
    assert.equal((await app.request('GET', '/identities?filter=anyOf(permissions)="ops"')).status, 400);
  });
});
