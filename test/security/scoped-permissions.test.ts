/** Permissions with a scope reach what carries its role attributes, and tell nothing of what lies outside. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';

const LATER = '2099-01-01T00:00:00.000Z';
const TEAM = { roleAttributes: ['team-a'] };
const ALL_OF_TEAM = {
  'identity.read': TEAM,
  'identity.create': TEAM,
  'identity.update': { ...TEAM, assignableRoleAttributes: ['phones'] },
  'identity.delete': TEAM,
  enrollment: TEAM,
};

const delegate = async (app: App, scopedPermissions: object, permissions: readonly string[] = []): Promise<string> =>
  (await app.user({ scopedPermissions, permissions })).login();

const person = (name: string, roleAttributes: readonly string[]) => ({ name, type: 'User', isAdmin: false, roleAttributes });

onEveryStore('a scoped permission', (open) => {
  test('lists, counts, finds and sorts only what is within', async () => {
    await using app = await open();
    const inside = await app.create('/identities', person('inside', ['team-a']));
    const outside = await app.create('/identities', person('outside', ['team-b']));
    const token = await delegate(app, ALL_OF_TEAM);
    for (const query of [
      '',
      '?sort=name',
      `?filter=${encodeURIComponent('name contains "side"')}`,
      `?filter=${encodeURIComponent(`not id = "${inside}"`)}`,
    ]) {
      const { body } = await app.request('GET', `/identities${query}`, { as: token });
      const names = body.data.map(({ name }: { name: string }) => name);
      assert.deepEqual([names, body.meta.pagination.totalCount], query.includes('not%20id') ? [[], 0] : [['inside'], 1], query);
    }
    assert.equal((await app.request('GET', `/identities/${inside}`, { as: token })).status, 200);
    for (const [method, path, body] of [
      ['GET', `/identities/${outside}`],
      ['PATCH', `/identities/${outside}`, { name: 'taken' }],
      ['DELETE', `/identities/${outside}`],
      ['POST', `/identities/${outside}/disable`, { durationMinutes: 1 }],
      ['GET', '/identities/no-such-id'],
    ] as const)
      assert.equal((await app.request(method, path, { as: token, body })).status, 404, `${method} ${path}`);
  });

  test('lets nothing out of its scope or into it, and gives only the role attributes that it names', async () => {
    await using app = await open();
    const inside = await app.create('/identities', person('inside', ['team-a']));
    const token = await delegate(app, ALL_OF_TEAM);
    const patch = async (roleAttributes: readonly string[]) =>
      (await app.request('PATCH', `/identities/${inside}`, { as: token, body: { roleAttributes } })).status;
    assert.equal(await patch(['team-a', 'phones']), 200);
    assert.equal(await patch(['team-a', 'team-b']), 401);
    assert.equal(await patch(['phones']), 401);
    assert.equal(await patch([]), 401);
    const create = async (roleAttributes: readonly string[]) =>
      (await app.request('POST', '/identities', { as: token, body: person(`new ${roleAttributes}`, roleAttributes) })).status;
    assert.equal(await create(['team-a']), 201);
    assert.equal(await create([]), 401);
    assert.equal(await create(['team-b']), 401);
    assert.equal(await create(['team-a', 'phones']), 401); // `identity.create` names no further attribute
  });

  test('enrolls those within, and shows their tokens, and none of those outside', async () => {
    await using app = await open();
    const inside = await app.create('/identities', { ...person('inside', ['team-a']), enrollment: { ott: true } });
    const outside = await app.create('/identities', { ...person('outside', ['team-b']), enrollment: { ott: true } });
    const token = await delegate(app, ALL_OF_TEAM);
    const { data, meta } = (await app.request('GET', '/enrollments', { as: token })).body;
    assert.deepEqual([data.map(({ identityId }: { identityId: string }) => identityId), meta.pagination.totalCount], [[inside], 1]);
    assert.ok((await app.request('GET', `/identities/${inside}`, { as: token })).body.data.enrollment.ott.token);
    const enroll = async (identityId: string) =>
      (
        await app.request('POST', '/enrollments', {
          as: token,
          body: { identityId, method: 'updb', username: `u-${identityId}`, expiresAt: LATER },
        })
      ).status;
    assert.equal(await enroll(inside), 201);
    assert.notEqual(await enroll(outside), 201);
    const all = await app.controller.api.identities.listEnrollments({ id: outside });
    assert.equal(all.data.length, 1);
    assert.equal((await app.request('GET', `/enrollments/${all.data[0]?.id}`, { as: token })).status, 404);
  });

  test('shows of policies, lists and names only what is within', async () => {
    await using app = await open();
    await app.create('/identities', person('inside', ['team-a']));
    const outside = await app.create('/identities', person('outside', ['team-b']));
    const policy = await app.create('/service-policies', {
      name: 'p',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${outside}`],
      serviceRoles: [],
    });
    const token = await delegate(app, ALL_OF_TEAM, ['service-policy.read']);
    const { text } = await app.request('GET', `/service-policies/${policy}`, { as: token });
    assert.doesNotMatch(text, /"outside"/);
    assert.equal((await app.request('GET', '/identity-role-attributes', { as: token })).status, 401);
    assert.deepEqual((await app.request('GET', `/service-policies/${policy}/identities`, { as: token })).body.data, []);
  });

  test('gives no unscoped right, none of another kind, and none on the client API', async () => {
    await using app = await open();
    const token = await delegate(app, { 'service.read': TEAM });
    await app.create('/services', { name: 'ours', encryptionRequired: true, roleAttributes: ['team-a'] });
    await app.create('/services', { name: 'theirs', encryptionRequired: true });
    const { data } = (await app.request('GET', '/services', { as: token })).body;
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['ours'],
    );
    for (const path of ['/identities', '/configs', '/service-policies', '/summary'])
      assert.equal((await app.request('GET', path, { as: token })).status, 401);
    assert.equal(
      (await app.request('POST', '/services', { as: token, body: { name: 'x', encryptionRequired: true, roleAttributes: ['team-a'] } }))
        .status,
      401,
    );
    assert.deepEqual((await app.request('GET', '/edge/client/v1/services', { as: token })).body.data, []);
  });

  for (const answer of [true, false, { where: 'name != ""' }])
    test(`on enrollments reaches those of its identities alone if a rule of the host answers ${JSON.stringify(answer)} about identities`, async () => {
      await using app = await open({
        authorize: ({ about, actor, right }) =>
          actor.identity?.isAdmin === false && about === 'visibility' && right?.startsWith('identity.') ? answer : undefined,
      });
      const make = async (name: string, attribute: string) => {
        const id = await app.create('/identities', { ...person(name, [attribute]), enrollment: { ott: true } });
        return (await app.request('GET', `/identities/${id}/enrollments`)).body.data[0].id;
      };
      const [inside, outside] = [await make('inside', 'team-a'), await make('outside', 'team-b')];
      const token = await delegate(app, { enrollment: TEAM });
      const { data } = (await app.request('GET', '/enrollments', { as: token })).body;
      assert.deepEqual(
        data.map(({ id, token }: { id: string; token: string }) => [id, token !== '']),
        [[inside, true]],
      );
      for (const [method, path] of [
        ['GET', `/enrollments/${outside}`],
        ['POST', `/enrollments/${outside}/refresh`],
        ['DELETE', `/enrollments/${outside}`],
      ] as const) {
        const body = method === 'POST' ? { expiresAt: LATER } : undefined;
        assert.equal((await app.request(method, path, { as: token, body })).status, 404, `${method} ${path}`);
      }
    });

  test('is given by administrators only, kept by PUT, and protects its holder', async () => {
    await using app = await open();
    const holder = await app.user({ scopedPermissions: { 'service.read': TEAM } });
    const shown = async () => (await app.request('GET', `/identities/${holder.id}`)).body.data.scopedPermissions;
    assert.equal(
      (await app.request('PUT', `/identities/${holder.id}`, { body: { name: 'again', type: 'User', isAdmin: false } })).status,
      200,
    );
    assert.deepEqual(await shown(), { 'service.read': TEAM });
    const token = await (await app.user({ permissions: ['identity', 'service'] })).login();
    const plain = await app.user();
    for (const [id, body] of [
      [holder.id, { scopedPermissions: {} }],
      [plain.id, { scopedPermissions: { 'service.read': TEAM } }],
    ] as const)
      assert.equal((await app.request('PATCH', `/identities/${id}`, { as: token, body })).status, 401);
    const body = { ...person('new', []), scopedPermissions: { 'service.read': TEAM } };
    assert.equal((await app.request('POST', '/identities', { as: token, body })).status, 401);
    const weak = await (await app.user({ permissions: ['identity'] })).login();
    assert.equal((await app.request('PATCH', `/identities/${holder.id}`, { as: weak, body: { name: 'taken' } })).status, 401);
    assert.equal((await app.request('PATCH', `/identities/${holder.id}`, { body: { scopedPermissions: {} } })).status, 200);
    assert.equal(await shown(), undefined);
    for (const scopedPermissions of [{ config: TEAM }, { nonsense: TEAM }, { ops: TEAM }, { 'service.read': { roleAttributes: [] } }]) {
      const { status, body } = await app.request('PATCH', `/identities/${plain.id}`, { body: { scopedPermissions } });
      assert.deepEqual([status, body.error.code], [400, 'COULD_NOT_VALIDATE'], JSON.stringify(scopedPermissions));
    }
  });
});
