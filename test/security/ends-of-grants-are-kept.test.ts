/** Clients that do not know the ends of grants write what they read, which must not turn a grant with an end into one without. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';

const END = '2026-11-21T11:00:00.000Z';
const LATER = '2026-11-21T20:00:00.000Z';
const grant = (validUntil = END) => ({ roleAttributeGrants: { contractor: { validUntil } } });

const annOf = async (app: App, fields: Readonly<Record<string, unknown>> = grant()) => {
  const id = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['staff'], ...fields });
  const path = `/identities/${id}`;
  const read = async () => {
    const { roleAttributes, roleAttributeGrants = {} } = (await app.request('GET', path)).body.data;
    return { roleAttributes, ends: Object.keys(roleAttributeGrants) };
  };
  const write = (method: string, body: Readonly<Record<string, unknown>>) =>
    app.request(method, path, { body: method === 'PUT' ? { name: 'ann', type: 'User', isAdmin: false, ...body } : body });
  return { id, read, write };
};

onEveryStore('ends of grants', (open) => {
  for (const method of ['PUT', 'PATCH'])
    test(`a ${method} by a client that repeats a granted role attribute does not extend it`, async () => {
      await using app = await open({ settings: { sessionTimeoutMinutes: 600 } });
      const ann = await annOf(app);
      const repeated = { roleAttributes: ['contractor', 'staff'] };
      assert.equal((await ann.write(method, repeated)).status, 200);
      assert.deepEqual(await ann.read(), { ...repeated, ends: ['contractor'] });
      app.clock.suspend('60m');
      const late = await ann.write(method, repeated);
      assert.deepEqual([late.status, late.body.error.cause.field], [400, 'roleAttributes'], 'nor does one that was read before the end');
      assert.deepEqual(await ann.read(), { roleAttributes: ['staff'], ends: ['contractor'] });
      assert.equal((await ann.write(method, { roleAttributes: ['staff'] })).status, 200);
      assert.equal((await ann.write(method, repeated)).status, 400, 'nor one after another client wrote what it read after the end');
      assert.equal((await ann.write(method, { ...repeated, ...grant(LATER) })).status, 200);
      assert.deepEqual(await ann.read(), { ...repeated, ends: ['contractor'] });
    });

  test('a role attribute named like a property of every object ends like any other', async () => {
    await using app = await open({ settings: { sessionTimeoutMinutes: 600 } });
    const ann = await annOf(app, { roleAttributeGrants: { constructor: { validUntil: END } } });
    assert.deepEqual((await ann.read()).roleAttributes, ['constructor', 'staff']);
    app.clock.suspend('60m');
    assert.deepEqual((await ann.read()).roleAttributes, ['staff']);
  });

  test('a client that removes a granted role attribute revokes it', async () => {
    await using app = await open();
    const ann = await annOf(app);
    assert.equal((await ann.write('PATCH', { roleAttributes: ['staff'] })).status, 200);
    assert.deepEqual(await ann.read(), { roleAttributes: ['staff'], ends: [] });
  });

  test('a PUT of a service policy without its end keeps the end, before and after it', async () => {
    await using app = await open({ settings: { sessionTimeoutMinutes: 600 } });
    const policy = { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#staff'], serviceRoles: ['#all'] };
    const path = `/service-policies/${await app.create('/service-policies', { ...policy, validUntil: END, reason: 'audit' })}`;
    for (const identityRoles of [['#staff'], null]) {
      assert.equal((await app.request('PUT', path, { body: { ...policy, identityRoles: ['#staff'] } })).status, 200);
      const { body } = await app.request('GET', path);
      assert.deepEqual([body.data.validUntil, body.data.reason], [END, 'audit']);
      assert.deepEqual(body.data.identityRoles ?? null, identityRoles);
      app.clock.suspend('60m');
    }
  });

  test('an administrator of some identities neither sets nor extends role attributes beyond the scope', async () => {
    await using app = await open();
    const ann = await annOf(app, { roleAttributeGrants: { contractor: { validUntil: END }, guest: { validUntil: END } } });
    const scope = { roleAttributes: ['staff'], assignableRoleAttributes: ['guest'] };
    const delegate = await app.user({ scopedPermissions: { 'identity.read': scope, 'identity.update': scope } });
    const as = await delegate.login();
    const patch = (ends: Readonly<Record<string, string>>) => {
      const entries = Object.entries({ contractor: END, guest: END, ...ends }).map(([name, validUntil]) => [name, { validUntil }]);
      return app.request('PATCH', `/identities/${ann.id}`, { as, body: { roleAttributeGrants: Object.fromEntries(entries) } });
    };
    assert.equal((await patch({ guest: LATER })).status, 200);
    assert.equal((await patch({ guest: LATER, contractor: LATER })).status, 401);
    assert.equal((await patch({ guest: LATER, director: LATER })).status, 401);
    const reader = await app.user({ permissions: ['identity.read', 'service-policy.read'] });
    const answer = await app.request('PATCH', `/identities/${ann.id}`, { as: await reader.login(), body: grant(LATER) });
    assert.equal(answer.status, 401);
  });

  test('the holder of a scope neither sets, moves nor removes the end of a role attribute of the scope', async () => {
    await using app = await open();
    const scope = { roleAttributes: ['team', 'other'], assignableRoleAttributes: ['guest'] };
    const names = ['identity.read', 'identity.create', 'identity.update', 'identity.delete'];
    const scopedPermissions = Object.fromEntries(names.map((name) => [name, scope]));
    const as = await (await app.user({ scopedPermissions })).login();
    const person = (name: string, fields: object) => ({ name, type: 'User', isAdmin: false, ...fields });
    const until = (validUntil: string, ...attributes: readonly string[]) => ({
      roleAttributeGrants: Object.fromEntries(attributes.map((each) => [each, { validUntil }])),
    });
    const lasting = await app.create('/identities', person('lasting', { roleAttributes: ['team', 'other'] }));
    const ending = await app.create('/identities', person('ending', { roleAttributes: ['other'], ...until(END, 'team', 'guest') }));
    const unchanged = async () => {
      const [one, another] = await Promise.all([lasting, ending].map((id) => app.request('GET', `/identities/${id}`)));
      assert.equal(one?.body.data.roleAttributeGrants, undefined);
      const { roleAttributes, roleAttributeGrants } = another?.body.data ?? {};
      assert.deepEqual(
        { roleAttributes, roleAttributeGrants },
        { roleAttributes: ['guest', 'other', 'team'], ...until(END, 'guest', 'team') },
      );
    };
    const part = (roleAttributes: readonly string[]) => ({
      operation: 'identities.patch',
      input: { id: ending, body: { roleAttributes } },
    });
    const attempts: readonly (readonly [string, string, object])[] = [
      ['PATCH', `/identities/${lasting}`, until(END, 'team')],
      ['PATCH', `/identities/${lasting}`, { roleAttributes: ['team', 'other'], ...until(END, 'other') }],
      ['PATCH', `/identities/${ending}`, until(LATER, 'team', 'guest')],
      ['PATCH', `/identities/${ending}`, { roleAttributes: ['team', 'other', 'guest'], roleAttributeGrants: {} }],
      ['PATCH', `/identities/${ending}`, { roleAttributes: ['other', 'guest'] }],
      ['POST', '/identities', person('new', until(END, 'team'))],
      ['PUT', '/edge/management/extensions/v1/identities', person('new', until(END, 'team'))],
      ['PUT', '/edge/management/extensions/v1/identities', { name: 'lasting', ...until(END, 'team') }],
      ['DELETE', `/edge/management/extensions/v1/identities/${ending}/role-attributes`, { roleAttributes: ['team'] }],
      ['POST', '/edge/management/extensions/v1/batch', { operations: [['other'], ['team', 'other']].map(part) }],
    ];
    for (const [method, path, body] of attempts) {
      assert.equal((await app.request(method, path, { as, body })).status, 401, `${method} ${path} ${JSON.stringify(body)}`);
      await unchanged();
    }
    assert.equal((await app.request('PATCH', `/identities/${ending}`, { as, body: { name: 'renamed' } })).status, 200);
    await unchanged();
    assert.equal(
      (await app.request('PATCH', `/identities/${ending}`, { as, body: until(LATER, 'guest') })).status,
      401,
      'it leaves out team',
    );
    const guest = { ...until(END, 'team').roleAttributeGrants, ...until(LATER, 'guest').roleAttributeGrants };
    assert.equal((await app.request('PATCH', `/identities/${ending}`, { as, body: { roleAttributeGrants: guest } })).status, 200);
    const wide = await (await app.user({ permissions: ['identity'] })).login();
    assert.equal((await app.request('PATCH', `/identities/${ending}`, { as: wide, body: until(LATER, 'team') })).status, 200);
  });

  test('who is limited by a filter of the host changes no end on which the filter depends', async () => {
    let where = '';
    await using app = await open({ authorize: ({ actor, right }) => (actor.kind === 'host' && right ? { where } : undefined) });
    const ann = await annOf(app, { roleAttributes: ['staff', 'guest'] });
    const write = (attribute: string) =>
      app.controller.api.identities.patch(
        { id: ann.id, body: { roleAttributeGrants: { [attribute]: { validUntil: END } } } },
        { actor: 'sso:desk' },
      );
    for (where of [
      'anyOf(roleAttributes) = "staff"',
      'anyOf(roleAttributes) in ["other", "staff"]',
      'anyOf(roleAttributes) icontains "STA"',
      'not (allOf(roleAttributes) != "staff")',
      'anyOf(roleAttributes) = "staff" and name = "ann"',
      'anyOf(roleAttributes) = "staff" or name = "bob"',
      'not (anyOf(roleAttributes) = "staff" and name = "bob")',
    ])
      await assert.rejects(write('staff'), { code: 'UNAUTHORIZED' }, where);
    where = 'count(roleAttributes) = 2';
    await assert.rejects(write('guest'), { code: 'UNAUTHORIZED' });
    for (where of ['anyOf(roleAttributes) = "staff"', 'name = "ann"']) await write('guest');
  });
});
