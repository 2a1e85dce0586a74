import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { consoleQuery, type forms, openAndSave, pages, type Shown, save } from '../support/console.ts';
import { network } from '../support/network.ts';
import { authority, party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';

const HOST_V1 = 'NH5p4FpGR';
const SETTINGS = { protocol: 'tcp', address: 'db.internal', port: 5432 };
const TAGS = { place: 'attic' };

/** One of everything that pages show, joined by policies. */
const aNetwork = async (app: App) => {
  const net = network(app);
  const identity = await app.user({ name: 'ann', roleAttributes: ['sales'], tags: TAGS, appData: { floor: 2 }, externalId: 'a-1' });
  const bob = await net.identity('bob', 'ops');
  const config = await app.create('/configs', { name: 'db host', configTypeId: HOST_V1, data: SETTINGS, tags: TAGS });
  const body = { name: 'web', encryptionRequired: true, roleAttributes: ['web'], configs: [config], maxIdleTimeMillis: 500, tags: TAGS };
  const service = await app.create('/services', { ...body, terminatorStrategy: 'sticky' });
  const router = await app.create('/edge-routers', { name: 'edge', roleAttributes: ['public'], cost: 7, noTraversal: true, tags: TAGS });
  const check = await app.create('/posture-checks', {
    name: 'systems',
    typeId: 'OS',
    operatingSystems: [{ type: 'Linux', versions: ['>=5'] }],
    roleAttributes: ['managed'],
    tags: TAGS,
  });
  const servicePolicy = await app.create('/service-policies', {
    name: 'with checks',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#sales', `@${bob}`],
    serviceRoles: [`@${service}`],
    postureCheckRoles: ['#managed', `@${check}`],
    tags: TAGS,
  });
  await app.create('/service-policies', {
    name: 'plain',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: ['#sales'],
    serviceRoles: ['#web'],
  });
  const routerPolicy = await net.routersOfIdentities({ identities: ['#sales'], routers: [`@${router}`, '#public'] });
  const serviceRouterPolicy = await net.routersOfServices({ services: ['#web'], routers: ['#all'] });
  const terminator = await app.create('/terminators', { service, router, binding: 'transport', address: 'tcp:10.0.0.1:80', cost: 3 });
  const signer = {
    name: 'provider',
    issuer: 'https://issuer.example',
    audience: 'us',
    enabled: true,
    certPem: (await party('provider')).cert,
  };
  const signerId = await app.create('/external-jwt-signers', {
    ...signer,
    clientId: 'console',
    scopes: ['openid'],
    claimsProperty: 'email',
    tags: TAGS,
  });
  const ca = await app.create('/cas', {
    ...caBody('factory', (await authority('factory')).cert),
    identityNameFormat: '[caName]-[commonName]',
    tags: TAGS,
  });
  await app.create('/transit-routers', { name: 'transit', tags: TAGS });
  await app.request('POST', `/identities/${identity.id}/service-configs`, { body: [{ serviceId: service, configId: config }] });
  const as = await identity.login();
  await app.request('POST', '/edge/client/v1/sessions', { as, body: { serviceId: service, type: 'Dial' } });
  const shown: Shown = {
    identity: identity.id,
    service,
    router,
    config,
    configType: HOST_V1,
    servicePolicy,
    routerPolicy,
    serviceRouterPolicy,
  };
  return { ...shown, bob, check, terminator, signer: signerId, ca, shown, as };
};

onEveryStore('what the admin console asks for', (open) => {
  test('every list of every page is answered, with what the page shows', async () => {
    await using app = await open();
    const { shown } = await aNetwork(app);
    const wrong: string[] = [];
    for (const [page, requests] of Object.entries(pages(shown)))
      for (const { path, count } of requests) {
        const { status, body, text } = await app.request('GET', path, { headers: { accept: 'application/json' } });
        if (status !== 200) wrong.push(`${page}: GET ${path} is ${status} ${text}`);
        else if (body.meta.pagination && body.meta.pagination.totalCount !== count)
          wrong.push(`${page}: GET ${path} counts ${body.meta.pagination.totalCount}, not ${count}`);
        else if (!Array.isArray(body.data)) wrong.push(`${page}: GET ${path} is no list`);
      }
    assert.deepEqual(wrong, []);
  });

  test('what is opened and saved with another name keeps everything else', async () => {
    await using app = await open();
    const net = await aNetwork(app);
    const transit = await app.create('/transit-routers', { name: 'another', tags: TAGS });
    const policy = await app.create('/auth-policies', policyBody('strict', { extJwt: { allowedSigners: [net.signer] }, tags: TAGS }));
    const type = await app.create('/config-types', {
      name: 'a type',
      schema: { type: 'object', properties: { a: { type: 'string' } } },
      tags: TAGS,
    });
    const opened: readonly (readonly [collection: keyof typeof forms, id: string])[] = [
      ['identities', net.identity],
      ['services', net.service],
      ['configs', net.config],
      ['config-types', type],
      ['edge-routers', net.router],
      ['transit-routers', transit],
      ['service-policies', net.servicePolicy],
      ['edge-router-policies', net.routerPolicy],
      ['service-edge-router-policies', net.serviceRouterPolicy],
      ['posture-checks', net.check],
      ['auth-policies', policy],
      ['cas', net.ca],
    ];
    for (const [collection, id] of opened) {
      const before = await read(app, collection, id);
      const name = `renamed ${collection}`;
      const { status, text } = await openAndSave(app, collection, id, { name });
      assert.equal(status, 200, `${collection}: ${text}`);
      assert.deepEqual(await read(app, collection, id), { ...before, name }, collection);
    }
  });

  test('each type of posture check is saved with the fields of all types, and keeps its own', async () => {
    await using app = await open();
    const process = { osType: 'Linux', path: '/bin/agent', hashes: ['ab'.repeat(64)], signerFingerprint: 'cd'.repeat(20) };
    const { signerFingerprint, ...multi } = process;
    const blank = {
      semantic: 'AllOf',
      roleAttributes: [],
      domains: [],
      macAddresses: [],
      operatingSystems: [],
      processes: [{ hashes: [], osType: '', path: '', signerFingerprints: [] }],
      process: { hashes: [], osType: '', path: '', signerFingerprint: '' },
      promptOnWake: false,
      promptOnUnlock: false,
      timeoutSeconds: 0,
      tags: {},
    };
    const own: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      DOMAIN: { domains: ['corp.example'] },
      MAC: { macAddresses: ['0123456789ab'] },
      MFA: { promptOnWake: true, promptOnUnlock: true, timeoutSeconds: 600 },
      OS: { operatingSystems: [{ type: 'Windows', versions: ['>=10.0.0'] }] },
      PROCESS: { process },
      PROCESS_MULTI: { semantic: 'AnyOf', processes: [{ ...multi, signerFingerprints: [signerFingerprint] }] },
    };
    for (const [typeId, fields] of Object.entries(own)) {
      const id = await app.create('/posture-checks', { ...blank, name: typeId, typeId, ...fields });
      const before = await read(app, 'posture-checks', id);
      assert.partialDeepStrictEqual(before, fields, typeId);
      const saved = await openAndSave(app, 'posture-checks', id, { name: `${typeId} renamed` });
      assert.equal(saved.status, 200, saved.text);
      assert.deepEqual(await read(app, 'posture-checks', id), { ...before, name: `${typeId} renamed` });
    }
  });

  test('a service policy shows the names of what its roles select, whether or not they are on the page that was loaded', async () => {
    await using app = await open();
    const { servicePolicy, service, bob, check } = await aNetwork(app);
    const { data } = (await app.request('GET', `/service-policies/${servicePolicy}//`)).body;
    assert.deepEqual(
      new Set(
        [...data.identityRolesDisplay, ...data.serviceRolesDisplay, ...data.postureCheckRolesDisplay].map(
          ({ role, name }) => `${role} ${name}`,
        ),
      ),
      new Set(['#sales #sales', `@${bob} @bob`, `@${service} @web`, '#managed #managed', `@${check} @systems`]),
    );
  });

  test('a role that is taken out in the form is taken out, and one that is put in is in', async () => {
    await using app = await open();
    const { servicePolicy, bob, as } = await aNetwork(app);
    const sees = async () => (await app.request('GET', '/edge/client/v1/services', { as })).body.data[0].postureQueries.length;
    assert.equal(await sees(), 2);
    await openAndSave(app, 'service-policies', servicePolicy, { identityRoles: [`@${bob}`], postureCheckRoles: [] });
    assert.equal(await sees(), 1);
    const { data } = (await app.request('GET', `/service-policies/${servicePolicy}`)).body;
    assert.deepEqual([data.identityRoles, data.postureCheckRoles], [[`@${bob}`], null]);
    await openAndSave(app, 'service-policies', servicePolicy, { identityRoles: ['#sales', `@${bob}`] });
    assert.equal(await sees(), 2);
  });

  test('terminators, JWT signers and overrides are saved as their forms send them', async () => {
    await using app = await open();
    const net = await aNetwork(app);
    const fields = {
      service: net.service,
      router: net.router,
      identity: '',
      binding: 'transport',
      precedence: 'default',
      cost: 0,
      identitySecret: '',
    };
    const terminator = await app.create('/terminators', { ...fields, address: 'tcp:10.0.0.2:80' });
    assert.equal((await save(app, 'terminators', terminator, { ...fields, address: 'tcp:10.0.0.3:80', cost: 9 })).status, 200);
    const { address, cost, serviceId, router } = await read(app, 'terminators', terminator);
    assert.deepEqual([address, cost, serviceId, router.name], ['tcp:10.0.0.3:80', 9, net.service, 'edge']);

    const before = await read(app, 'external-jwt-signers', net.signer);
    const { name, audience, issuer, clientId, certPem, claimsProperty, enabled, useExternalId, externalAuthUrl, scopes, tags } = before;
    const form = { name, audience, issuer, clientId, certPem, claimsProperty, enabled, useExternalId, kid: before.kid ?? '', scopes, tags };
    const enrolling = { enrollToCertEnabled: before.enrollToCertEnabled, enrollToTokenEnabled: before.enrollToTokenEnabled };
    const sent = { ...form, ...enrolling, externalAuthUrl: externalAuthUrl ?? '', targetToken: 'ACCESS', name: 'renamed', id: net.signer };
    const saved = await save(app, 'external-jwt-signers', net.signer, sent);
    assert.equal(saved.status, 200, saved.text);
    const after = await read(app, 'external-jwt-signers', net.signer);
    assert.deepEqual({ ...after, externalAuthUrl: after.externalAuthUrl || null }, { ...before, name: 'renamed' });

    const overrides = `/identities/${net.identity}/service-configs`;
    const pair = [{ serviceId: net.service, configId: net.config }];
    const list = async () => (await app.request('GET', `${overrides}${consoleQuery()}`)).body.data;
    assert.deepEqual(
      (await list()).map(({ service, config }: { service: { name: string }; config: { name: string } }) => [service.name, config.name]),
      [['web', 'db host']],
    );
    assert.equal((await app.request('DELETE', overrides, { body: pair })).status, 200);
    assert.deepEqual(await list(), []);
    assert.equal((await app.request('POST', overrides, { body: pair })).status, 200);
  });

  test('what the menus of the pages do: disable, enable, test access, enroll anew, change the own password, delete', async () => {
    await using app = await open();
    const net = await aNetwork(app);
    const done = async (method: string, path: string, body?: unknown) => {
      const { status, text, body: answer } = await app.request(method, path, body === undefined ? {} : { body });
      assert.ok(status === 200 || status === 201, `${method} ${path}: ${text}`);
      return answer.data;
    };
    await done('POST', `//identities/${net.identity}/disable`, { durationMinutes: 30 });
    assert.equal((await done('GET', `//identities/${net.identity}`)).disabled, true);
    await done('POST', `//identities/${net.identity}/enable`, { durationMinutes: 0 });
    assert.equal((await done('GET', `//identities/${net.identity}//`)).disabled, false);
    const advice = await done('GET', `//identities/${net.identity}/policy-advice/${net.service}`);
    assert.deepEqual(
      [
        advice.isDialAllowed,
        advice.isBindAllowed ?? false,
        advice.identityRouterCount,
        advice.serviceRouterCount,
        advice.commonRouters.length,
      ],
      [true, false, 1, 1, 1],
    );
    const device = await app.create('/identities', {
      name: 'phone',
      type: 'Device',
      appData: {},
      isAdmin: false,
      roleAttributes: [],
      authPolicyId: 'default',
      externalId: '',
      defaultHostingCost: 0,
      defaultHostingPrecedence: 'default',
      tags: {},
      enrollment: { ott: true },
    });
    const { ott } = (await read(app, 'identities', device)).enrollment;
    await done('POST', `/enrollments/${ott.id}/refresh`, { expiresAt: '2031-05-01T10:00:00.000Z' });
    assert.equal((await read(app, 'identities', device)).enrollment.ott.expiresAt, '2031-05-01T10:00:00.000Z');
    await done('DELETE', `/enrollments/${ott.id}`);
    await done('POST', `/edge-routers/${net.router}/re-enroll`, {});
    const jwt = await app.request('GET', `/cas/${net.ca}/jwt/`, {
      headers: { accept: 'application/jwt', 'content-type': 'application/jwt' },
    });
    assert.deepEqual([jwt.status, jwt.text.split('.').length], [200, 3]);
    const [own] = await done('GET', '/current-identity/authenticators?filter=method=%22updb%22');
    await done('PUT', `/current-identity/authenticators/${own.id}`, {
      currentPassword: 'the-admin-password',
      password: PASSWORD,
      username: own.username,
    });
    assert.equal((await app.login('admin', PASSWORD)).status, 200);
    for (const [collection, id] of [
      ['service-policies', net.servicePolicy],
      ['terminators', net.terminator],
      ['services', net.service],
      ['edge-routers', net.router],
      ['identities', net.identity],
    ] as const)
      await done('DELETE', `/${collection}/${id}`);
  });
});

/** An entity without the time of its last change. */
const read = async (app: App, collection: string, id: string) => {
  const { status, text, body } = await app.request('GET', `/${collection}/${id}//`);
  assert.equal(status, 200, text);
  const { updatedAt: _, ...rest } = body.data;
  return rest;
};
