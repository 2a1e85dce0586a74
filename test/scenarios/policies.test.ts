import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const POLICIES = [
  ['/service-policies', { type: 'Dial' }, ['identityRoles', 'serviceRoles']],
  ['/edge-router-policies', {}, ['identityRoles', 'edgeRouterRoles']],
  ['/service-edge-router-policies', {}, ['serviceRoles', 'edgeRouterRoles']],
] as const;

onEveryStore('policies', (open) => {
  test('a policy shows its roles as a set, and beside them the names of what they select', proves(30, 31, 182, 184, 185, 187), async () => {
    await using app = await open();
    const net = network(app);
    const [ann, web] = [await net.identity('ann'), await net.service('web')];
    const id = await app.create('/service-policies', {
      name: 'p',
      type: 'Bind',
      semantic: 'AllOf',
      serviceRoles: ['#two', '#one', `@${web}`, '#one'],
      identityRoles: [`@${ann}`, '#zz'],
      tags: { a: 'b' },
    });
    const read = async () => {
      const { createdAt, updatedAt, _links, ...rest } = (await app.request('GET', `/service-policies/${id}`)).body.data;
      return rest;
    };
    const expected = {
      id,
      name: 'p',
      type: 'Bind',
      semantic: 'AllOf',
      serviceRoles: ['#one', '#two', `@${web}`],
      serviceRolesDisplay: [
        { role: '#one', name: '#one' },
        { role: '#two', name: '#two' },
        { role: `@${web}`, name: '@web' },
      ],
      identityRoles: ['#zz', `@${ann}`],
      identityRolesDisplay: [
        { role: '#zz', name: '#zz' },
        { role: `@${ann}`, name: '@ann' },
      ],
      postureCheckRoles: null,
      postureCheckRolesDisplay: [],
      tags: { a: 'b' },
    };
    assert.deepEqual(await read(), expected);
    await net.patch(`/identities/${ann}`, { name: 'anna' });
    assert.deepEqual((await read()).identityRolesDisplay[1], { role: `@${ann}`, name: '@anna' });
    await app.alter('servicePolicy', id, { identityRoles: ['#zz', '@gone'] });
    assert.deepEqual((await read()).identityRolesDisplay, [{ role: '#zz', name: '#zz' }]);
  });

  test('policies of each kind show names and attributes beside each kind of roles of theirs', proves(31, 182, 184, 187), async () => {
    for (const [path, more, roleFields] of POLICIES) {
      await using app = await open();
      const net = network(app);
      const named = {
        identityRoles: [await net.identity('ann'), 'ann'],
        serviceRoles: [await net.service('web'), 'web'],
        edgeRouterRoles: [await net.router('fra'), 'fra'],
        postureCheckRoles: [await app.create('/posture-checks', { name: 'corp', typeId: 'DOMAIN', domains: ['a.example'] }), 'corp'],
      } as const;
      const fields = [...roleFields, ...(path === '/service-policies' ? (['postureCheckRoles'] as const) : [])];
      const roles = Object.fromEntries(fields.map((field) => [field, ['#some', `@${named[field][0]}`]]));
      const id = await app.create(path, { name: 'p', semantic: 'AnyOf', ...more, ...roles });
      const { data } = (await app.request('GET', `${path}/${id}`)).body;
      for (const field of fields)
        assert.deepEqual(data[`${field}Display`], [
          { role: '#some', name: '#some' },
          { role: `@${named[field][0]}`, name: `@${named[field][1]}` },
        ]);
    }
  });

  test('bodies that make no policy of any kind are refused with their field', proves(32, 34, 181, 183, 185, 422), async () => {
    for (const [path, more, roleFields] of POLICIES) {
      await using app = await open();
      const web = await network(app).service('web');
      const post = (body: object) => app.request('POST', path, { body: { name: 'p', semantic: 'AnyOf', ...more, ...body } });
      const left = await app.trail(async () => {
        for (const name of [undefined, '']) assertInvalid(await post({ name }), 'name');
        for (const semantic of [undefined, 'anyof', 'OneOf', '']) assertInvalid(await post({ semantic }), 'semantic');
        for (const field of roleFields) {
          for (const roles of [['bare'], ['#all', '#x'], ['#all', '#all'], ['@none'], ['#a', '@none'], ['@web'], [`@${web}`, 'bare']])
            assertInvalid(await post({ [field]: roles }), field);
          assertRefused(await post({ [field]: '#a' }), 400, 'COULD_NOT_PARSE_BODY');
        }
        // What is missing comes before what is wrong with roles.
        assertInvalid(await post({ semantic: undefined, [roleFields[0]]: ['bare'] }), 'semantic');
      });
      assert.deepEqual(left, []);
    }
  });

  test(
    'policies of each kind are created, read, listed, replaced, patched and deleted',
    proves(6, 181, 182, 183, 184, 185, 188, 324, 325, 422),
    async () => {
      for (const [path, more, roleFields] of POLICIES) {
        await using app = await open();
        const [left, right] = roleFields;
        const id = await app.create(path, { name: 'p', semantic: 'AllOf', ...more, [left]: ['#a'], [right]: ['#b'] });
        const read = async () => (await app.request('GET', `${path}/${id}`)).body.data;
        assert.deepEqual([(await read())[left], (await read())[right]], [['#a'], ['#b']]);
        assert.deepEqual(namesIn(await list(app, path, { filter: `anyOf(${left}) = "#a" and semantic = "AllOf"` })), ['p']);
        await app.request('PATCH', `${path}/${id}`, { body: { [left]: [], [right]: null } });
        assert.deepEqual([(await read())[left], (await read())[`${left}Display`], (await read())[right]], [null, [], ['#b']]);
        await app.request('PUT', `${path}/${id}`, { body: { name: 'q', semantic: 'AnyOf', ...more } });
        assert.deepEqual([(await read()).name, (await read())[right]], ['q', null]);
        assert.equal((await app.request('DELETE', `${path}/${id}`)).status, 200);
        assertRefused(await app.request('GET', `${path}/${id}`), 404, 'NOT_FOUND');
      }
    },
  );

  test('the type of a service policy is Dial or Bind, and a number in filters', proves(186, 422), async () => {
    await using app = await open();
    const net = network(app);
    const post = (type: unknown) => app.request('POST', '/service-policies', { body: { name: 'p', semantic: 'AnyOf', type } });
    assertInvalid(await post('Invalid'), 'policyType');
    for (const type of ['dial', 'Both', undefined]) assertInvalid(await post(type), 'type');
    const id = await net.dial({});
    await net.bind({});
    const found = async (filter: string) => (await list(app, '/service-policies', { filter })).body.meta.pagination.totalCount;
    assert.equal(await found('type = 1'), 1);
    await net.patch(`/service-policies/${id}`, { type: 'Bind' });
    assert.deepEqual([await found('type = 2'), await found('type = 1')], [2, 0]);
    assertInvalid(await net.patch(`/service-policies/${id}`, { type: 'Invalid' }), 'policyType');
  });

  test('in filters of release 1.7, the type of a service policy is a number only', async () => {
    await using app = await open({ settings: { compat: '1.7' } });
    const net = network(app);
    const ids = [await net.dial({}), await net.bind({})];
    assertRefused(await list(app, '/service-policies', { filter: 'type = "Dial"' }), 400, 'INVALID_FILTER');
    const found = async (query: Readonly<Record<string, string>>) =>
      (await list(app, '/service-policies', query)).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual([await found({ filter: 'type = 1' }), await found({ sort: 'type' })], [[ids[0]], ids]);
  });

  test('in filters of release 2.0, the type of a service policy is its name, and its number as well', async () => {
    await using app = await open();
    const net = network(app);
    const [dial, bind] = [await net.dial({}), await net.bind({})];
    const found = async (query: Readonly<Record<string, string>>) =>
      (await list(app, '/service-policies', query)).body.data.map(({ id }: { id: string }) => id);
    for (const filter of [
      'type = "Dial"',
      'type icontains "di"',
      'type != "Bind"',
      'type in ["Dial"]',
      'type = 1',
      'type != 2',
      'type in [1, 3]',
    ])
      assert.deepEqual(await found({ filter }), [dial], filter);
    assert.deepEqual(await found({ filter: 'type = 3' }), []);
    assert.deepEqual(await found({ sort: 'type' }), [bind, dial]);
  });

  test('service policies are found by the identities and services that they select', async () => {
    await using app = await open();
    const net = network(app);
    const [ann, bob] = [await net.identity('ann', 'sales'), await net.identity('bob')];
    const web = await net.service('web', 'web');
    await net.dial({ identities: ['#sales'], services: [`@${web}`] });
    await net.dial({ identities: ['#all'], services: ['#none'] });
    await net.dial({ semantic: 'AllOf', identities: ['#sales', '#other'] });
    const found = async (filter: string) => namesIn(await list(app, '/service-policies', { filter, sort: 'name' }));
    assert.deepEqual(await found(`anyOf(identities) = "${ann}"`), ['policy 1', 'policy 2']);
    assert.deepEqual(await found(`anyOf(identities) in ["${bob}", "none"]`), ['policy 2']);
    assert.deepEqual(await found(`not anyOf(identities) = "${bob}"`), ['policy 1', 'policy 3']);
    assert.deepEqual(await found('isEmpty(services)'), ['policy 2', 'policy 3']);
    assert.deepEqual(await found('count(identities) = 1'), ['policy 1']);
    assert.deepEqual(await found('not isEmpty(from services where name = "web")'), ['policy 1']);
    assert.deepEqual(await found(`allOf(identities) = "${ann}"`), ['policy 1', 'policy 3']);
    assert.deepEqual(await found(`anyOf(services) contains "${web.slice(2, 9)}"`), ['policy 1']);
  });

  test('a deleted edge router leaves the roles of router policies', async () => {
    await using app = await open();
    const net = network(app);
    const router = await net.router('r');
    const one = await net.routersOfIdentities({ identities: ['#all'], routers: [`@${router}`] });
    const two = await net.routersOfServices({ services: ['#all'], routers: [`@${router}`, '#x'] });
    await app.request('DELETE', `/edge-routers/${router}`);
    assert.equal((await app.request('GET', `/edge-router-policies/${one}`)).body.data.edgeRouterRoles, null);
    assert.deepEqual((await app.request('GET', `/service-edge-router-policies/${two}`)).body.data.edgeRouterRoles, ['#x']);
  });

  test('a policy write leaves one change record, whatever it selects', async () => {
    await using app = await open();
    const net = network(app);
    for (let i = 0; i < 20; i++) await net.identity(`i${i}`, 'a');
    let id = '';
    assert.deepEqual(await app.trail(async () => (id = await net.dial({ identities: ['#all'], services: ['#all'] }))), [
      'create servicePolicy',
    ]);
    assert.deepEqual(await app.trail(() => net.patch(`/service-policies/${id}`, { identityRoles: ['#a'] })), ['update servicePolicy']);
  });
});
