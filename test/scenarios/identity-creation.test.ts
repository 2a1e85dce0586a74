import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
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

  test('every type of identity that may be given is stored as Default', proves(4, 131, 132), async () => {
    await using app = await open();
    for (const type of ['User', 'Device', 'Service', 'Router', 'Default']) {
      const id = await app.create('/identities', { ...ann, name: `a ${type}`, type });
      const { data } = (await app.request('GET', `/identities/${id}`)).body;
      assert.deepEqual([data.typeId, data.type.name], ['Default', 'Default'], type);
    }
  });

  test('a type that is not one of the list is refused, also in other capitals', proves(131), async () => {
    await using app = await open();
    for (const type of ['Robot', 'user', '']) assertInvalid(await app.request('POST', '/identities', { body: { ...ann, type } }), 'type');
  });

  test('an identity needs a name, a type and isAdmin, and null is not accepted for any of them', proves(124, 127, 420), async () => {
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

  test('hosting precedences are those of the list, and costs of services at most 65535', proves(110, 129, 130), async () => {
    await using app = await open();
    assertInvalid(
      await app.request('POST', '/identities', { body: { ...ann, defaultHostingPrecedence: 'best' } }),
      'defaultHostingPrecedence',
    );
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
});
