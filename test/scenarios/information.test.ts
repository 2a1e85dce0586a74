import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { kindRules } from '../support/kinds.ts';
import { assertRefused } from '../support/refusals.ts';

onEveryStore('information about the controller', (open) => {
  test('version information answers without a session at every entry', proves(2, 347), async () => {
    await using app = await open({ settings: { address: 'https://ctrl.example:8441' } });
    const entries = ['/', '/version', '/edge/management/v1', '/edge/client/v1/', '/edge/client/v1/version', '/edge/v1/version'];
    const answers = await Promise.all(entries.map((path) => app.request('GET', path, { as: null })));
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, answers[0]?.body);
    }
  });

  test('each API of the version information has its base addresses, path and version', proves(244, 474, 475, 476), async () => {
    await using app = await open({ settings: { address: 'https://ctrl.example:8441' } });
    const { apiVersions, capabilities, ...texts } = (await app.request('GET', '/version', { as: null })).body.data;
    const client = {
      v1: { apiBaseUrls: ['https://ctrl.example:8441/edge/client/v1'], path: '/edge/client/v1', version: apiVersions.edge.v1.version },
    };
    assert.deepEqual(apiVersions.edge, client);
    assert.deepEqual(apiVersions['edge-client'], client);
    assert.deepEqual(
      [apiVersions['edge-management'].v1.path, apiVersions['edge-management'].v1.apiBaseUrls],
      ['/edge/management/v1', ['https://ctrl.example:8441/edge/management/v1']],
    );
    for (const api of Object.values(apiVersions) as { v1: { version: unknown } }[]) assert.match(String(api.v1.version), /^\d+\.\d+\.\d+$/);
    assert.deepEqual(capabilities, ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR']);
    assert.deepEqual(Object.keys(texts).toSorted(), ['buildDate', 'revision', 'runtimeVersion', 'version']);
    assert.match(texts.buildDate, /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
    assert.match(texts.revision, /^overlay-controller \d+\.\d+\.\d+/);
    assert.match(texts.runtimeVersion, /^Node/);
    assert.equal(texts.version, 'v2.0.3');
  });

  test('the version is that of the release with which answers are compatible', async () => {
    await using app = await open({ settings: { compat: '1.7' } });
    assert.equal((await app.request('GET', '/version', { as: null })).body.data.version, 'v1.7.2');
  });

  test('all capabilities that there may be are listed, whether they are in force or not, and no others', proves(348, 477), async () => {
    for (const oidc of [true, false]) {
      await using app = await open({ oidc, settings: { compat: '1.7' } });
      const { status, body } = await app.request('GET', '/enumerated-capabilities', { as: null });
      assert.deepEqual([status, body.data], [200, ['OIDC_AUTH', 'HA_CONTROLLER']]);
      const { capabilities } = (await app.request('GET', '/version', { as: null })).body.data;
      assert.deepEqual(capabilities, oidc ? ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'] : []);
    }
  });

  test('in release 2.0, the capabilities that there may be include logins with a certificate request', async () => {
    await using app = await open();
    const { body } = await app.request('GET', '/enumerated-capabilities', { as: null });
    assert.deepEqual(body.data, ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR', 'HA_CONTROLLER']);
  });

  test('all capabilities of routers that have names are listed to every client', async () => {
    await using app = await open();
    const { status, body } = await app.request('GET', '/enumerated-router-capabilities', { as: null });
    assert.deepEqual(
      [status, body.data],
      [200, ['MULTI_CHANNEL', 'CONNECT_V2', 'SERVICE_SUBSCRIPTIONS', 'POSTURE_CHECKS', 'BIND_SUCCESS']],
    );
  });

  test('the specs are those of both APIs, by list and by id, with their documents', proves(243, 349, 350), async () => {
    await using app = await open();
    const { body } = await app.request('GET', '/specs', { as: null });
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      ['edge-client', 'edge-management'],
    );
    for (const spec of body.data) {
      assert.deepEqual([spec.name, spec.tags, spec.updatedAt], [spec.id, {}, spec.createdAt]);
      assert.equal(new Date(spec.createdAt).toISOString(), spec.createdAt);
      assert.deepEqual(spec._links, { self: { href: `./specs/${spec.id}` }, spec: { href: `./specs/${spec.id}/spec` } });
      assert.deepEqual((await app.request('GET', `/specs/${spec.id}`, { as: null })).body.data, spec);
      const document = (await app.request('GET', `/specs/${spec.id}/spec`, { as: null })).body;
      assert.equal(document.swagger, '2.0');
      assert.equal(document.basePath, spec.id === 'edge-client' ? '/edge/client/v1' : '/edge/management/v1');
    }
    const unknown = await app.request('GET', '/specs/nope', { as: null });
    assertRefused(unknown, 404, 'NOT_FOUND');
    assert.equal(unknown.body.error.cause, undefined);
    assertRefused(await app.request('GET', '/specs/constructor', { as: null }), 404, 'NOT_FOUND');
    assertRefused(await app.request('GET', '/specs/constructor/spec', { as: null }), 404, 'NOT_FOUND');
  });

  test('the counts are of every resource, as integers, and follow what is there', proves(242, 351), async () => {
    await using app = await open();
    const counts = async () => (await app.request('GET', '/summary')).body.data;
    const fresh = await counts();
    for (const [name, count] of Object.entries(fresh)) assert.ok(Number.isInteger(count), name);
    const { authPolicies, configTypes, identityTypes, identities, authenticators, apiSessions } = fresh;
    assert.deepEqual(
      { authPolicies, configTypes, identityTypes, identities, authenticators, apiSessions },
      { authPolicies: 1, configTypes: 10, identityTypes: 2, identities: 1, authenticators: 1, apiSessions: 1 },
    );
    const names = [
      'apiSessionCertificates',
      'cas',
      'configs',
      'controllers',
      'edgeRouterPolicies',
      'enrollments',
      'eventualEvents',
      'externalJwtSigners',
      'mfas',
      'postureCheckTypes',
      'postureChecks',
      'revocations',
      'routers',
      'routers.edge',
      'serviceEdgeRouterPolicies',
      'servicePolicies',
      'services',
      'services.edge',
      'sessions',
      'terminators',
    ];
    assert.deepEqual(
      Object.keys(fresh).toSorted(),
      [...names, 'apiSessions', 'authPolicies', 'authenticators', 'configTypes', 'identities', 'identityTypes'].toSorted(),
    );
    await (await app.user()).login();
    const later = await counts();
    assert.deepEqual([later.identities, later.authenticators, later.apiSessions], [2, 2, 2]);
    const also: Readonly<Record<string, readonly string[]>> = {
      edgeRouters: ['enrollments', 'routers', 'routers.edge'],
      routers: ['enrollments', 'routers'],
      services: ['services', 'services.edge'],
    };
    for (const { path, body } of await kindRules(app)) {
      const before = await counts();
      await app.create(path, body);
      const after = await counts();
      const name = path.slice(1).replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());
      const grown = Object.keys(after).filter((each) => after[each] !== before[each]);
      assert.deepEqual(grown.toSorted(), also[name] ?? [name], path);
      for (const each of grown) assert.equal(after[each], before[each] + 1, `${each} of ${path}`);
    }
    assertRefused(await app.request('GET', '/summary', { as: null }), 401, 'UNAUTHORIZED');
  });
});
