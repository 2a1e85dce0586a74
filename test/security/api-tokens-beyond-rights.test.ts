/**
 * An API token must not do, see or change anything that its identity could not in a session of its own, nor anything that the permissions
 * of the token do not allow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EXTENSIONS, giveToken, statusAs, tokenPath } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { numRuns } from '../support/stores.ts';

const TEAMS = ['team-a', 'team-b'];
const NAMES = [
  'identity',
  'identity.read',
  'identity.update',
  'service.read',
  'enrollment',
  'enrollment.read',
  'service-policy.read',
  'ops',
  'admin_readonly',
];
const SCOPABLE = ['identity', 'identity.read', 'identity.update', 'service.read', 'enrollment.read', 'service'];

const rights = fc.record({
  isAdmin: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  permissions: fc.subarray(NAMES, { maxLength: 4 }),
  scopedPermissions: fc.dictionary(fc.constantFrom(...SCOPABLE), fc.record({ roleAttributes: fc.subarray(TEAMS, { minLength: 1 }) }), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
});

const LISTS = ['/identities', '/services', '/enrollments', '/service-policies', '/api-sessions', '/authenticators', '/edge-routers'].concat(
  '/identity-role-attributes',
  `${EXTENSIONS}/api-tokens`,
);

/** Identities and services of one team, of both and of none, with what belongs to them. @returns the ids of the identities */
const ground = async (app: App): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const [i, roleAttributes] of [['team-a'], ['team-b'], TEAMS, []].entries()) {
    const fields = { type: 'User', isAdmin: false, enrollment: { ott: true } };
    ids.push(await app.create('/identities', { name: `identity ${i}`, roleAttributes, ...fields }));
    await app.create('/services', { name: `service ${i}`, encryptionRequired: true, roleAttributes });
  }
  const roles = { identityRoles: ids.map((id) => `@${id}`), serviceRoles: ['#all'] };
  await app.create('/service-policies', { name: 'policy', type: 'Dial', semantic: 'AnyOf', ...roles });
  return ids;
};

/** What a caller achieves and learns: the calls that succeed, and the ids and names that they show. */
const achieved = async (app: App, as: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const all = new Set<string>();
  for (const path of LISTS) {
    const { status, text, body } = await app.request('GET', path, { as });
    if (status !== 200) continue;
    all.add(path);
    for (const item of body.data) {
      all.add(`${path} shows ${typeof item === 'string' ? item : item.id}`);
      if (item.token) all.add(`${path} shows the token of ${item.id}`);
    }
    for (const [name] of text.matchAll(/(identity|service) \d/g)) all.add(`${path} names ${name}`);
  }
  for (const id of ids)
    for (const [method, path, body] of [
      ['GET', `/identities/${id}`],
      ['GET', `/identities/${id}/enrollments`],
      ['PATCH', `/identities/${id}`, { appData: {} }],
      ['PATCH', `/identities/${id}`, { isAdmin: false, permissions: [] }],
      ['DELETE', `/identities/${id}/service-configs`],
    ] as const)
      if ((await statusAs(app, as, path, method, body)) === 200) all.add(`${method} ${path} ${JSON.stringify(body)}`);
  return all;
};

onEveryStore('an API token', (open, store) => {
  test('achieves only what a session of its identity does, and an identity with the permissions of the token', async () => {
    await using app = await open();
    const ids = await ground(app);
    const [owner, twin] = [await app.user({ name: 'owner' }), await app.user({ name: 'twin' })];
    const [ofOwner, ofTwin] = [await owner.login(), await twin.login()];
    const patch = (id: string, body: object) => app.controller.api.identities.patch({ id, body });
    await fc.assert(
      fc.asyncProperty(rights, rights, async (held, given) => {
        await patch(twin.id, given);
        await patch(owner.id, given);
        const { id, secret } = await giveToken(app, owner.id, given);
        await patch(owner.id, held);
        const [session, alone] = [await achieved(app, ofOwner, ids), await achieved(app, ofTwin, ids)];
        for (const what of await achieved(app, secret, ids)) {
          assert.ok(session.has(what), `beyond its identity: ${what}`);
          assert.ok(alone.has(what), `beyond the token: ${what}`);
        }
        assert.equal((await app.request('DELETE', tokenPath(id))).status, 200);
      }),
      numRuns(store, 15),
    );
  });

  test('of one team shows the enrollments of that team only, whether its identity or the token itself is limited to it', async () => {
    await using app = await open();
    const [, ofTeam] = await ground(app);
    const owner = await app.user({ name: 'owner' });
    const patch = (body: object) => app.controller.api.identities.patch({ id: owner.id, body });
    const wide = { permissions: ['enrollment'], scopedPermissions: {} };
    const narrow = { permissions: [], scopedPermissions: { 'enrollment.read': { roleAttributes: ['team-b'] } } };
    for (const [held, given] of [
      [wide, narrow],
      [narrow, wide],
    ] as const) {
      await patch(given);
      const { secret } = await giveToken(app, owner.id, given);
      await patch(held);
      const { data } = (await app.request('GET', '/enrollments', { as: secret })).body;
      assert.deepEqual(
        new Set(data.map(({ identity }: { readonly identity: { readonly name: string } }) => identity.name)),
        new Set(['identity 1', 'identity 2']),
      );
      assert.ok(data.some(({ identityId }: { readonly identityId: string }) => identityId === ofTeam));
    }
  });

  test('that may only read enrollments does not show their tokens, although its identity may create some', async () => {
    await using app = await open();
    await ground(app);
    for (const rights of [{ isAdmin: true }, { permissions: ['enrollment'] }]) {
      const owner = await app.user(rights);
      for (const [permission, isShown] of [
        ['enrollment', true],
        ['enrollment.read', false],
      ] as const) {
        const { secret } = await giveToken(app, owner.id, { permissions: [permission] });
        const { data } = (await app.request('GET', '/enrollments', { as: secret })).body;
        assert.equal(data.length, 4);
        for (const { token } of data) assert.equal(typeof token === 'string' && token !== '', isShown, permission);
      }
    }
  });

  test('is limited by the whole rule of the host, and assigns role attributes that the rule and its own permission both allow', async () => {
    await using app = await open({
      authorize: ({ actor, right }) =>
        actor.identity?.name === 'owner' && right?.startsWith('identity.')
          ? { where: 'name = "identity 1" or name = "identity 0"', roleAttributes: (attribute) => attribute !== 'team-b' }
          : undefined,
    });
    const [first = ''] = await ground(app);
    const within = { roleAttributes: ['team-a'], assignableRoleAttributes: ['team-b', 'sales'] };
    const rights = { permissions: [], scopedPermissions: { 'identity.read': within, 'identity.update': within } };
    const owner = await app.user({ name: 'owner', ...rights });
    const { secret: as } = await giveToken(app, owner.id, rights);
    const { data } = (await app.request('GET', '/identities', { as })).body;
    assert.deepEqual(
      data.map(({ name }: { readonly name: string }) => name),
      ['identity 0'],
    );
    const patch = (attribute: string) => statusAs(app, as, `/identities/${first}`, 'PATCH', { roleAttributes: ['team-a', attribute] });
    assert.deepEqual([await patch('team-b'), await patch('others'), await patch('sales')], [401, 401, 200]);
  });

  test('of an administrator has only its permissions, unless it was asked for with all rights', async () => {
    await using app = await open();
    const admin = await app.user({ isAdmin: true });
    const limited = await giveToken(app, admin.id, { permissions: ['service.read'] });
    const full = await giveToken(app, admin.id, { isAdmin: true });
    for (const [path, expected] of [
      ['/services', 200],
      ['/identities', 401],
      ['/authenticators', 401],
      ['/summary', 401],
      ['/fabric/v1/cluster/list-members', 401],
      [`${EXTENSIONS}/changes`, 401],
      ['/sessions', 401],
    ] as const)
      assert.deepEqual([await statusAs(app, limited.secret, path), await statusAs(app, full.secret, path)], [expected, 200], path);
    await app.request('PATCH', `/identities/${admin.id}`, { body: { isAdmin: false } });
    for (const path of ['/services', '/summary'])
      assert.deepEqual([await statusAs(app, limited.secret, path), await statusAs(app, full.secret, path)], [401, 401], path);
  });

  test('of an administrator with some permissions cannot reach administrators, or give permissions', async () => {
    await using app = await open();
    const admin = await app.user({ isAdmin: true });
    const permissions = ['identity', 'enrollment', 'ops', 'auth-policy'];
    const { secret } = await giveToken(app, admin.id, { permissions });
    const person = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    const strong = await app.create('/identities', { name: 'bob', type: 'User', isAdmin: false, permissions: ['ca.delete'] });
    const expiresAt = '2099-01-01T00:00:00.000Z';
    for (const [method, path, body] of [
      ['PATCH', `/identities/${person}`, { isAdmin: true }],
      ['PATCH', `/identities/${person}`, { permissions: ['identity'] }],
      ['PATCH', `/identities/${admin.id}`, { name: 'mallory' }],
      ['POST', '/enrollments', { identityId: admin.id, method: 'ott', expiresAt }],
      ['POST', '/identities', { name: 'mallory', type: 'User', isAdmin: true }],
      ['PATCH', `/identities/${strong}`, { name: 'mallory' }],
      ['PATCH', '/auth-policies/default', { name: 'weak' }],
    ] as const)
      assert.equal(await statusAs(app, secret, path, method, body), 401, `${method} ${path} ${JSON.stringify(body)}`);
    assert.equal(await statusAs(app, secret, `/identities/${person}`, 'PATCH', { name: 'anne' }), 200);
  });

  for (const isDefault of [true, false])
    test(`of ${isDefault ? 'the default' : 'an'} administrator is limited on every surface: lists, counts, batches, previews, exports, histories`, async () => {
      await using app = await open();
      const { data: all } = await app.controller.api.identities.list({ filter: 'isDefaultAdmin = true' });
      const owner = isDefault ? (all[0]?.id ?? assert.fail()) : (await app.user({ isAdmin: true })).id;
      const service = await app.create('/services', { name: 'wiki', encryptionRequired: true });
      const person = await app.user();
      const { revision } = await app.controller.api.audit.head();
      await app.controller.api.services.patch({ id: service, body: { name: 'crm' } });
      const { secret } = await giveToken(app, owner, { permissions: ['service.read'] });
      const patch = { operation: 'services.patch', input: { id: service, body: { name: 'taken' } } };
      for (const [method, path, body] of [
        ['GET', '/identities'],
        ['GET', '/summary'],
        ['GET', '/api-sessions'],
        ['PATCH', `/services/${service}`, { name: 'taken' }],
        ['POST', `${EXTENSIONS}/batch`, { operations: [patch] }],
        ['POST', `${EXTENSIONS}/access/preview`, { operations: [patch] }],
        ['GET', `${EXTENSIONS}/audit`],
        ['GET', `${EXTENSIONS}/audit/export`],
        ['GET', `${EXTENSIONS}/audit/verify`],
        ['GET', `${EXTENSIONS}/changes`],
        ['GET', `${EXTENSIONS}/history/service/${service}`],
        ['GET', `${EXTENSIONS}/history/service/${service}/state`],
        ['POST', `${EXTENSIONS}/history/service/${service}/revert`, { revision }],
        ['GET', `${EXTENSIONS}/access/matrix`],
        ['POST', '/database/snapshot'],
        ['POST', `${EXTENSIONS}/api-tokens`, { identityId: owner, name: 'more', expiresAt: '2026-11-25T00:00:00.000Z', isAdmin: true }],
      ] as const)
        assert.equal(await statusAs(app, secret, path, method, body), 401, `${method} ${path}`);
      const dryRun = { as: secret, body: { name: 'taken' }, headers: { prefer: 'dry-run' } };
      assert.equal((await app.request('PATCH', `/services/${service}`, dryRun)).status, 401);
      const { data } = (await app.request('GET', '/services', { as: secret })).body;
      assert.deepEqual([data.length, data[0].name], [1, 'crm']);

      // An auditor sees nothing of the credentials of administrators, nor how many there are.
      const auditor = await giveToken(app, owner, { permissions: ['admin_readonly'] });
      await giveToken(app, person.id, {});
      const listed = (await app.request('GET', `${EXTENSIONS}/api-tokens`, { as: auditor.secret })).body;
      assert.deepEqual(
        [listed.data.map(({ identityId }: { readonly identityId: string }) => identityId), listed.meta.pagination.totalCount],
        [[person.id], 1],
      );
      assert.equal(await statusAs(app, auditor.secret, `/services/${service}`, 'PATCH', { name: 'taken' }), 401);
      const full = await giveToken(app, owner, { isAdmin: true });
      assert.equal(await statusAs(app, full.secret, `/services/${service}`, 'PATCH', { name: 'taken' }), 200);
    });
});
