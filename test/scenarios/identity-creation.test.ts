import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

onEveryStore('creating identities', (open) => {
  test('an identity with only the required fields has all its defaults', proves(23, 28, 107, 112, 123, 132, 304, 327, 430), async () => {
    await using app = await open();
    const id = await app.create('/identities', ann);
    const { status, body } = await app.request('GET', `/identities/${id}`);
    const { _links, createdAt, updatedAt, type, authPolicy, ...fields } = body.data;
    assert.equal(status, 200);
    assert.match(createdAt, /^2026-11-21T10:00:00\.\d{3}Z$/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(type, {
      _links: { self: { href: './identity-types/Default' } },
      entity: 'identity-types',
      id: 'Default',
      name: 'Default',
    });
    assert.deepEqual(authPolicy, {
      _links: { self: { href: './auth-policies/default' } },
      entity: 'auth-policies',
      id: 'default',
      name: 'Default',
    });
    assert.deepEqual(fields, {
      id,
      name: 'ann',
      permissions: [],
      tags: {},
      typeId: 'Default',
      isAdmin: false,
      isDefaultAdmin: false,
      isMfaEnabled: false,
      hasApiSession: false,
      hasEdgeRouterConnection: false,
      edgeRouterConnectionStatus: 'offline',
      roleAttributes: null,
      authPolicyId: 'default',
      externalId: null,
      appData: {},
      defaultHostingCost: 0,
      defaultHostingPrecedence: 'default',
      serviceHostingCosts: {},
      serviceHostingPrecedences: {},
      disabled: false,
      envInfo: {},
      sdkInfo: {},
      interfaces: null,
      authenticators: {},
      enrollment: {},
    });
  });

  test('an identity links to all that hangs from it', proves(33), async () => {
    await using app = await open();
    const id = await app.create('/identities', ann);
    const { body } = await app.request('GET', `/identities/${id}`);
    const below = [
      'authenticators',
      'edge-router-policies',
      'edge-routers',
      'enrollments',
      'failed-service-requests',
      'posture-data',
      'service-configs',
      'service-policies',
      'services',
    ];
    assert.deepEqual(body.data._links, {
      self: { href: `./identities/${id}` },
      'auth-policies': { href: './auth-policies/default' },
      ...Object.fromEntries(below.map((name) => [name, { href: `./identities/${id}/${name}` }])),
    });
  });

  test('an identity keeps every writable field', proves(29, 105, 107, 110), async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('strict'));
    const fields = {
      name: 'rack 7',
      isAdmin: true,
      tags: { s: 'x', n: null, b: true },
      appData: { one: 'two', deep: { x: [1, 2.5, null] }, none: null },
      externalId: 'ext-7',
      authPolicyId,
      defaultHostingCost: 65535,
      defaultHostingPrecedence: 'required',
    };
    const id = await app.create('/identities', { ...fields, type: 'Device', roleAttributes: ['b', 'a', 'b'] });
    const { data } = (await app.request('GET', `/identities/${id}`)).body;
    const kept = Object.fromEntries(Object.keys(fields).map((key) => [key, data[key]]));
    assert.deepEqual(kept, fields);
    assert.deepEqual(data.roleAttributes, ['a', 'b']);
    assert.equal(data.authPolicy.name, 'strict');
  });

  test('every type of identity that may be given is stored as Default', proves(4, 131, 132), async () => {
    await using app = await open();
    for (const type of ['User', 'Device', 'Service', 'Router', 'Default']) {
      const id = await app.create('/identities', { ...ann, name: `a ${type}`, type });
      const { data } = (await app.request('GET', `/identities/${id}`)).body;
      assert.deepEqual([data.typeId, data.type.name], ['Default', 'Default'], type);
    }
  });

  test('a type that is none of the list is refused, also in other capitals', proves(131), async () => {
    await using app = await open();
    for (const type of ['Robot', 'user', '']) assertInvalid(await app.request('POST', '/identities', { body: { ...ann, type } }), 'type');
  });

  test('an identity needs a name, a type and isAdmin, and null is none of them', proves(124, 127, 420), async () => {
    await using app = await open();
    const forms = [
      {},
      { enrollment: { ott: true } },
      { enrollment: { ottca: 'a-ca' } },
      { enrollment: { updb: 'annie' } },
      { externalId: 'a' },
    ];
    for (const form of forms)
      for (const field of ['name', 'type', 'isAdmin'])
        for (const value of [undefined, null])
          assertInvalid(await app.request('POST', '/identities', { body: { ...ann, ...form, [field]: value } }), field);
    assertInvalid(await app.request('POST', '/identities', { body: {} }), 'isAdmin');
    assertInvalid(await app.request('POST', '/identities', { body: { ...ann, name: '' } }), 'name');
    assertInvalid(await app.request('POST', '/identities'), 'identity');
  });

  test('fields of another JSON type than theirs make the body unreadable', proves(445), async () => {
    await using app = await open();
    const strange = {
      name: 5,
      isAdmin: 'yes',
      roleAttributes: 'a',
      tags: [],
      appData: 'x',
      defaultHostingCost: 1.5,
      serviceHostingCosts: [],
    };
    for (const [field, value] of Object.entries(strange)) {
      assertRefused(await app.request('POST', '/identities', { body: { ...ann, [field]: value } }), 400, 'COULD_NOT_PARSE_BODY');
    }
    for (const raw of ['{"name":', '[]', '"text"', '5'])
      assertRefused(await app.request('POST', '/identities', { raw }), 400, 'COULD_NOT_PARSE_BODY');
  });

  test('hosting costs go from 0 to 65535 and precedences are those of the list', proves(109, 110, 129, 130, 462), async () => {
    await using app = await open();
    for (const cost of [-1, 65536])
      assertInvalid(await app.request('POST', '/identities', { body: { ...ann, defaultHostingCost: cost } }), 'defaultHostingCost');
    assertInvalid(
      await app.request('POST', '/identities', { body: { ...ann, defaultHostingPrecedence: 'best' } }),
      'defaultHostingPrecedence',
    );
    for (const cost of [0, 65535]) await app.create('/identities', { ...ann, name: `costs ${cost}`, defaultHostingCost: cost });
    const web = await app.create('/services', { name: 'web', encryptionRequired: true });
    for (const precedence of ['default', 'required', 'failed']) {
      const given = { defaultHostingPrecedence: precedence, serviceHostingPrecedences: { [web]: precedence } };
      const id = await app.create('/identities', { ...ann, name: precedence, ...given });
      assert.partialDeepStrictEqual((await app.request('GET', `/identities/${id}`)).body.data, given);
    }
    assertInvalid(
      await app.request('POST', '/identities', { body: { ...ann, serviceHostingCosts: { web: 65536 } } }),
      'serviceHostingCosts.web',
    );
    assertInvalid(
      await app.request('POST', '/identities', { body: { ...ann, serviceHostingPrecedences: { web: 'best' } } }),
      'serviceHostingPrecedences.web',
    );
  });

  test('hosting costs and precedences of an unknown service are not found', async () => {
    await using app = await open();
    for (const field of [{ serviceHostingCosts: { web: 1 } }, { serviceHostingPrecedences: { web: 'failed' } }]) {
      assertRefused(await app.request('POST', '/identities', { body: { ...ann, ...field } }), 404, 'NOT_FOUND');
    }
  });

  test('role attributes do not begin with # or @, are not empty, and are texts', async () => {
    await using app = await open();
    for (const attribute of ['#all', '@x', ''])
      assertInvalid(await app.request('POST', '/identities', { body: { ...ann, roleAttributes: ['a', attribute] } }), 'roleAttributes');
    for (const entry of [null, 5, ['a']])
      assert.equal((await app.request('POST', '/identities', { body: { ...ann, roleAttributes: [entry] } })).status, 400);
  });

  test('an unknown authentication policy is not found, and a blank one is the default', proves(106), async () => {
    await using app = await open();
    assertRefused(await app.request('POST', '/identities', { body: { ...ann, authPolicyId: 'no-such-policy' } }), 404, 'NOT_FOUND');
    for (const [name, authPolicyId] of [
      ['blank', ' '],
      ['empty', ''],
      ['none', null],
    ]) {
      const id = await app.create('/identities', { ...ann, name, authPolicyId });
      assert.equal((await app.request('GET', `/identities/${id}`)).body.data.authPolicyId, 'default');
    }
  });

  test('an enrollment by an unknown CA is not found, and no identity is made', proves(117), async () => {
    await using app = await open();
    const left = await app.trail(async () => {
      const unknown = await app.request('POST', '/identities', { body: { ...ann, enrollment: { ottca: 'no-such-ca' } } });
      assertRefused(unknown, 404, 'NOT_FOUND');
      assert.equal(unknown.body.error.cause.field, 'caId');
    });
    assert.deepEqual(left, []);
  });

  test('the username of an enrollment has 4 to 100 characters', proves(460), async () => {
    await using app = await open();
    for (const updb of ['abc', 'a'.repeat(101), ''])
      assertInvalid(await app.request('POST', '/identities', { body: { ...ann, enrollment: { updb } } }), 'enrollment.updb');
    const identityId = await app.create('/identities', ann);
    for (const username of ['abc', 'a'.repeat(101)]) {
      const body = { identityId, method: 'updb', expiresAt: '2026-11-22T10:00:00Z', username };
      assertInvalid(await app.request('POST', '/enrollments', { body }), 'username');
    }
  });

  test('an identity without enrollment and authenticator cannot log in', proves(415), async () => {
    await using app = await open();
    for (const [name, request] of Object.entries({ annie: { enrollment: {} }, bobby: {} })) {
      const id = await app.create('/identities', { ...ann, name, ...request });
      const { authenticators, enrollment } = (await app.request('GET', `/identities/${id}`)).body.data;
      assert.deepEqual([authenticators, enrollment], [{}, {}], 'nothing to log in by, and no way to get it');
      assert.deepEqual((await app.request('GET', `/identities/${id}/enrollments`)).body.data, []);
    }
    for (const name of ['annie', 'bobby']) assertRefused(await app.login(name, 'any password'), 401, 'INVALID_AUTH');
  });

  test('a refused creation leaves nothing', async () => {
    await using app = await open();
    const left = await app.trail(async () => {
      await app.request('POST', '/identities', { body: { ...ann, authPolicyId: 'no-such-policy' } });
      await app.request('POST', '/identities', { body: { ...ann, roleAttributes: ['#x'] } });
      await app.request('POST', '/identities', { body: { ...ann, name: 'Default Admin' } });
    });
    assert.deepEqual(left, []);
    assert.equal((await app.rows('identity')).length, 1);
  });
});
