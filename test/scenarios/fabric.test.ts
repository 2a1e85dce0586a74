import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const FABRIC = '/fabric/v1';

/** The types of the fields that the published description requires of an entity. */
const BASE = { id: 'string', createdAt: 'date-time', updatedAt: 'date-time', _links: 'object', tags: 'object' } as const;
const PUBLISHED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  services: { ...BASE, name: 'string', terminatorStrategy: 'string', maxIdleTimeMillis: 'integer' },
  routers: {
    ...BASE,
    name: 'string',
    fingerprint: 'string',
    connected: 'boolean',
    cost: 'integer',
    noTraversal: 'boolean',
    disabled: 'boolean',
    // Not required, but of this type where they are given.
    listenerAddresses: 'array',
    interfaces: 'array',
  },
  terminators: {
    ...BASE,
    serviceId: 'string',
    service: 'reference',
    routerId: 'string',
    router: 'reference',
    binding: 'string',
    address: 'string',
    instanceId: 'string',
    cost: 'integer',
    precedence: 'string',
    dynamicCost: 'integer',
    hostId: 'string',
  },
};

const typeOf = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return ['array'];
  if (Number.isInteger(value)) return ['integer'];
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? ['string', 'date-time'] : ['string'];
  if (typeof value !== 'object' || value === null) return [value === null ? 'null' : typeof value];
  return 'entity' in value && 'id' in value && '_links' in value ? ['object', 'reference'] : ['object'];
};

const aNetwork = async (app: App) => {
  const service = await app.create('/services', { name: 'web', encryptionRequired: true, maxIdleTimeMillis: 5, tags: { a: 'b' } });
  const edge = await app.create('/edge-routers', { name: 'fra1', cost: 7, noTraversal: true });
  const transit = await app.create('/routers', { name: 'ams1', disabled: true });
  const body = { service, router: transit, binding: 'transport', address: 'tcp:127.0.0.1:80', identity: 'one', precedence: 'required' };
  const terminator = await app.create('/terminators', { ...body, identitySecret: 'c2VjcmV0' });
  return { service, edge, transit, terminator };
};

const get = async (app: App, path: string) => (await app.request('GET', `${FABRIC}${path}`)).body.data;
const names = async (app: App, path: string) => (await get(app, path)).map(({ name }: { readonly name: string }) => name);

onEveryStore('the fabric API', (open) => {
  test('entities have the fields that the published description requires', async () => {
    await using app = await open();
    const at = await aNetwork(app);
    for (const [collection, fields] of Object.entries(PUBLISHED)) {
      const listed = await get(app, `/${collection}`);
      assert.ok(listed.length > 0);
      for (const entity of [...listed, await get(app, `/${collection}/${listed[0].id}`)])
        for (const [field, type] of Object.entries(fields))
          assert.ok(
            typeOf(entity[field]).includes(type),
            `${collection}.${field}: ${JSON.stringify(entity[field])} is not of type ${type}`,
          );
    }
    const terminator = await get(app, `/terminators/${at.terminator}`);
    assert.deepEqual(terminator.router, {
      _links: { self: { href: `./routers/${at.transit}` }, terminators: { href: `./routers/${at.transit}/terminators` } },
      entity: 'routers',
      id: at.transit,
      name: 'ams1',
    });
    assert.deepEqual([terminator.instanceId, terminator.precedence, terminator.hostId], ['one', 'required', '']);
    assert.equal('identitySecret' in terminator, false);
    const service = await get(app, `/services/${at.service}`);
    assert.deepEqual([service.name, service.terminatorStrategy, service.maxIdleTimeMillis], ['web', 'smartrouting', 5]);
    assert.deepEqual(service._links, {
      self: { href: `./services/${at.service}` },
      terminators: { href: `./services/${at.service}/terminators` },
    });
  });

  test('edge routers and transit routers are one list, which shows no token to enroll with', async () => {
    await using app = await open();
    const { edge, transit } = await aNetwork(app);
    const [ams1, fra1] = await get(app, '/routers?sort=name');
    assert.partialDeepStrictEqual(ams1, { id: transit, name: 'ams1', disabled: true, connected: false, fingerprint: '', cost: 0 });
    assert.partialDeepStrictEqual(fra1, { id: edge, name: 'fra1', cost: 7, noTraversal: true, connected: false, listenerAddresses: [] });
    assert.doesNotMatch(JSON.stringify([ams1, fra1]), /enrollment/);
    assert.deepEqual(await names(app, '/routers?filter=cost%20%3E%203'), ['fra1']);
    assert.deepEqual(await names(app, '/routers?sort=name%20desc&limit=1'), ['fra1']);
  });

  test('terminators are listed below their router and their service, and filtered as everywhere', async () => {
    await using app = await open();
    const { service, edge, transit, terminator } = await aNetwork(app);
    const ids = async (path: string) => (await get(app, path)).map(({ id }: { readonly id: string }) => id);
    assert.deepEqual(await ids(`/routers/${transit}/terminators`), [terminator]);
    assert.deepEqual(await ids(`/routers/${edge}/terminators`), []);
    assert.deepEqual(await ids(`/services/${service}/terminators`), [terminator]);
    assert.deepEqual(await ids(`/services/${service}/terminators?filter=binding%3D%22edge%22`), []);
    assert.deepEqual(await ids('/terminators?filter=service.name%3D%22web%22'), [terminator]);
    assert.equal((await app.request('GET', `${FABRIC}/routers/nothing/terminators`)).body.error.code, 'NOT_FOUND');
    for (const query of ['filter=nothing%3D1', 'sort=nothing'])
      assert.equal((await app.request('GET', `${FABRIC}/routers?${query}`)).status, 400);
  });

  test('terminators are created, replaced, patched and deleted as by the management API', async () => {
    await using app = await open();
    const { service, edge, transit } = await aNetwork(app);
    // As the command line of the field sends it.
    const sent = { service, router: transit, binding: 'transport', address: 'tcp:127.0.0.1:81', instanceId: '' };
    const created = await app.request('POST', `${FABRIC}/terminators`, { body: sent });
    const { id } = created.body.data;
    assert.deepEqual([created.status, created.body.data._links], [201, { self: { href: `./terminators/${id}` } }]);
    const shown = () => get(app, `/terminators/${id}`);
    assert.partialDeepStrictEqual(await shown(), {
      serviceId: service,
      routerId: transit,
      binding: 'transport',
      address: 'tcp:127.0.0.1:81',
      instanceId: '',
      cost: 0,
      precedence: 'default',
      hostId: '',
      tags: {},
    });
    const at = `${FABRIC}/terminators/${id}`;
    const changes = { cost: 9, precedence: 'required', router: edge, tags: { a: 'b' } };
    assert.equal((await app.request('PATCH', at, { body: changes })).status, 200);
    const { router, ...fields } = changes;
    assert.partialDeepStrictEqual(await shown(), { ...fields, routerId: router, address: 'tcp:127.0.0.1:81' });
    assert.equal((await app.request('PUT', at, { body: { ...sent, address: 'udp:127.0.0.1:53', binding: '' } })).status, 200);
    assert.partialDeepStrictEqual(await shown(), { binding: 'udp', cost: 0, precedence: 'default', routerId: transit, tags: {} });
    assert.equal((await app.request('GET', `/terminators/${id}`)).body.data.address, 'udp:127.0.0.1:53');
    assert.deepEqual(await app.trail(() => app.request('DELETE', at)), ['delete terminator']);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await app.request(method, at, { body: sent })).body.error.code, 'NOT_FOUND', method);
  });

  test('a terminator keeps the instance of its creation, shows no secret, and hosts for no identity that its creator names', async () => {
    await using app = await open();
    const { service, transit } = await aNetwork(app);
    const hostId = await app.create('/identities', { name: 'host', type: 'User', isAdmin: false });
    const sent = { service, router: transit, binding: 'edge', address: 'x', instanceId: 'two', instanceSecret: 'c2VjcmV0', hostId };
    const { id } = (await app.request('POST', `${FABRIC}/terminators`, { body: sent })).body.data;
    await app.request('PATCH', `${FABRIC}/terminators/${id}`, { body: { cost: 5, instanceId: 'three', hostId } });
    const terminator = await get(app, `/terminators/${id}`);
    assert.deepEqual([terminator.instanceId, terminator.cost, terminator.hostId], ['two', 5, '']);
    assert.doesNotMatch(JSON.stringify(terminator), /c2VjcmV0|ecret/);
  });

  test('invalid bodies are refused with the field at fault, and create no terminator', async () => {
    await using app = await open();
    const { service, transit: router } = await aNetwork(app);
    const good = { service, router, binding: 'transport', address: 'tcp:127.0.0.1:81' };
    const post = (more: object) => app.request('POST', `${FABRIC}/terminators`, { body: { ...good, ...more } });
    const left = await app.trail(async () => {
      for (const field of ['service', 'router', 'address', 'binding']) assertInvalid(await post({ [field]: undefined }), field);
      for (const field of ['service', 'router', 'address']) assertInvalid(await post({ [field]: '' }), field);
      for (const cost of [-1, 65_536]) assertInvalid(await post({ cost }), 'cost');
      assertInvalid(await post({ precedence: 'best' }), 'precedence');
      for (const field of ['service', 'router']) assertRefused(await post({ [field]: 'none' }), 404, 'NOT_FOUND');
      assertInvalid(await app.request('POST', `${FABRIC}/terminators`), 'terminator');
    });
    assert.deepEqual(left, []);
  });

  test('a router with a certificate of the network is created under its id, and becomes a transit router', async () => {
    await using app = await open();
    const body = { id: 'fr-1', name: 'fr-1', cost: 3, noTraversal: true, disabled: false, fingerprint: 'AB'.repeat(20), tags: { a: 'b' } };
    let answer = await app.request('POST', `${FABRIC}/routers`, { body });
    assert.deepEqual([answer.status, answer.body.data], [201, { _links: { self: { href: './routers/fr-1' } }, id: 'fr-1' }]);
    assert.partialDeepStrictEqual(await get(app, '/routers/fr-1'), { ...body, fingerprint: 'ab'.repeat(20), connected: false });
    assert.partialDeepStrictEqual((await app.request('GET', '/transit-routers/fr-1')).body.data, { cost: 3, isVerified: true });
    assert.equal((await app.request('GET', '/edge-routers/fr-1')).status, 404);
    answer = await app.request('PATCH', `${FABRIC}/routers/fr-1`, { body: { disabled: true, name: null } });
    assert.deepEqual([answer.status, answer.body.data], [200, {}]);
    assert.partialDeepStrictEqual(await get(app, '/routers/fr-1'), { name: 'fr-1', disabled: true, cost: 3, tags: { a: 'b' } });
    await app.request('PUT', `${FABRIC}/routers/fr-1`, {
      body: { name: 'fr-2', cost: 0, noTraversal: false, fingerprint: 'ab'.repeat(20) },
    });
    assert.partialDeepStrictEqual(await get(app, '/routers/fr-1'), {
      name: 'fr-2',
      disabled: false,
      cost: 0,
      noTraversal: false,
      tags: {},
    });
    assert.equal((await app.request('DELETE', `${FABRIC}/routers/fr-1`, { body: { immediate: false } })).status, 200);
    assert.equal((await app.request('GET', '/transit-routers/fr-1')).status, 404);
  });

  test('a router without a certificate has to enroll', async () => {
    await using app = await open();
    await app.request('POST', `${FABRIC}/routers`, { body: { id: 'fr-1', name: 'fr-1', cost: 0, noTraversal: false } });
    const { isVerified, enrollmentToken } = (await app.request('GET', '/transit-routers/fr-1')).body.data;
    assert.deepEqual([isVerified, typeof enrollmentToken], [false, 'string']);
  });

  test('bodies that make no router are refused with their field, and leave nothing', async () => {
    await using app = await open();
    const { edge } = await aNetwork(app);
    const good = { id: 'fr-1', name: 'fr-1', cost: 0, noTraversal: false };
    const post = (more: object) => app.request('POST', `${FABRIC}/routers`, { body: { ...good, ...more } });
    await post({ id: 'fr-0', name: 'fr-0', fingerprint: 'ab'.repeat(20) });
    // Otherwise the router to which it was offered could not connect with it.
    await app.alter('router', 'fr-0', { unverifiedFingerprint: 'ef'.repeat(20) });
    assertInvalid(await post({ fingerprint: 'ef'.repeat(20) }), 'fingerprint');
    const left = await app.trail(async () => {
      for (const field of ['id', 'name', 'cost', 'noTraversal']) assertInvalid(await post({ [field]: undefined }), field);
      for (const id of ['', 'a b', '.a', '-a', '../a', 'x'.repeat(65), 'fr-0', edge]) assertInvalid(await post({ id }), 'id');
      for (const given of ['ab', 'zz'.repeat(20), 'AB'.repeat(20)]) assertInvalid(await post({ fingerprint: given }), 'fingerprint');
      for (const name of ['', 'fra1', 'fr-0']) assertInvalid(await post({ name }), 'name');
      assertInvalid(await post({ cost: 70_000 }), 'cost');
      const at = `${FABRIC}/routers/fr-0`;
      assertInvalid(await app.request('PATCH', at, { body: { fingerprint: 'cd'.repeat(20) } }), 'fingerprint');
      for (const method of ['PUT', 'PATCH', 'DELETE'])
        assertRefused(await app.request(method, `${FABRIC}/routers/none`, { body: good }), 404, 'NOT_FOUND');
    });
    assert.deepEqual(left, []);
  });

  test('edge routers and services keep what only the management API shows', async () => {
    await using app = await open();
    const edge = await app.create('/edge-routers', {
      name: 'fra1',
      roleAttributes: ['public'],
      isTunnelerEnabled: true,
      appData: { a: 1 },
    });
    const service = await app.create('/services', { name: 'web', encryptionRequired: false, roleAttributes: ['web'] });
    const body = { name: 'fra2', cost: 2, noTraversal: true };
    assert.deepEqual(await app.trail(() => app.request('PUT', `${FABRIC}/routers/${edge}`, { body })), [
      'update edgeRouter',
      'update identity',
    ]);
    await app.request('PATCH', `${FABRIC}/services/${service}`, { body: { name: 'wiki', terminatorStrategy: 'weighted' } });
    assert.partialDeepStrictEqual((await app.request('GET', `/edge-routers/${edge}`)).body.data, {
      ...body,
      roleAttributes: ['public'],
      isTunnelerEnabled: true,
      appData: { a: 1 },
    });
    const shown = { name: 'wiki', terminatorStrategy: 'weighted', roleAttributes: ['web'], encryptionRequired: false };
    assert.partialDeepStrictEqual((await app.request('GET', `/services/${service}`)).body.data, shown);
    await app.request('PUT', `${FABRIC}/services/${service}`, { body: { name: 'web' } });
    assert.partialDeepStrictEqual(await get(app, `/services/${service}`), { name: 'web', terminatorStrategy: 'smartrouting' });
    for (const path of [`/routers/${edge}`, `/services/${service}`])
      assert.equal((await app.request('DELETE', `${FABRIC}${path}`)).status, 200);
    assert.deepEqual([await names(app, '/routers'), await names(app, '/services')], [[], []]);
  });

  test('a service that is created here is encrypted, and no policy selects it', async () => {
    await using app = await open();
    const body = { name: 'fs-1', terminatorStrategy: 'weighted', tags: { a: 'b' } };
    const created = await app.request('POST', `${FABRIC}/services`, { body });
    const { id } = created.body.data;
    assert.deepEqual([created.status, created.body.data._links], [201, { self: { href: `./services/${id}` } }]);
    const shown = (await app.request('GET', `/services/${id}`)).body.data;
    assert.partialDeepStrictEqual(shown, { ...body, encryptionRequired: true, configs: null, roleAttributes: null });
    assertInvalid(await app.request('POST', `${FABRIC}/services`, { body }), 'name');
    assertInvalid(await app.request('POST', `${FABRIC}/services`, { body: {} }), 'name');
  });

  test('a controller whose id matches is inspected, too, and tells nothing that it was not asked for', async () => {
    await using app = await open({ member: { name: 'ctrl-1' } });
    const inspect = async (appRegex: string, ...requestedValues: string[]) =>
      (await app.request('POST', `${FABRIC}/inspections`, { body: { appRegex, requestedValues } })).body;
    const idle = { running: 0, waiting: 0 };
    assert.deepEqual(await inspect('^ctrl-1$', 'stackdump', 'connected-routers', 'stackdump', 'nothing'), {
      success: true,
      errors: [],
      values: [
        { appId: 'ctrl-1', name: 'stackdump', value: { enrollments: idle, passwordChecks: idle } },
        { appId: 'ctrl-1', name: 'connected-routers', value: [] },
      ],
    });
    assert.deepEqual(await inspect('ctrl-2', 'stackdump'), { success: true, errors: [], values: [] });
    for (const name of ['__proto__', 'constructor', 'cluster-config', 'connected-peers', ''])
      assert.deepEqual((await inspect('.*', name)).values, [], name);
  });

  test('a controller shows its settings, costs, metrics and connections without any secret', async () => {
    await using app = await open({ member: { name: 'ctrl-1' } });
    const requestedValues = ['Config', 'terminator-costs', 'metrics.all', 'identity-connection-statuses', 'data-model-index'];
    const { body } = await app.request('POST', `${FABRIC}/inspections`, { body: { appRegex: '^ctrl-1$', requestedValues } });
    const [config, costs, metrics, identities] = body.values.map(({ value }: { readonly value: unknown }) => value);
    assert.deepEqual(
      body.values.map(({ name }: { readonly name: string }) => name),
      requestedValues.slice(0, 4),
    );
    assert.deepEqual(config, JSON.parse(JSON.stringify(app.controller.settings)));
    assert.deepEqual([costs, identities], [{ terminators: [] }, { connections: {} }]);
    const links = metrics.find(({ metric }: { readonly metric: string }) => metric === 'links');
    assert.partialDeepStrictEqual(links, { namespace: 'metrics', metric_type: 'intValue', source_id: 'ctrl-1', metrics: { value: 0 } });
  });

  test('a delegate who may inspect routers does not inspect the controller', async () => {
    await using app = await open({ member: { name: 'ctrl-1' }, authorize: ({ right }) => (right === 'ops.read' ? true : undefined) });
    const as = await (await app.user()).login();
    const body = { appRegex: '.*', requestedValues: ['stackdump', 'connected-routers', 'config', 'identity-connection-statuses'] };
    const answer = await app.request('POST', `${FABRIC}/inspections`, { as, body });
    assert.deepEqual([answer.status, answer.body.values], [200, []]);
  });

  test('there are no links and circuits while no router is connected', async () => {
    await using app = await open();
    for (const collection of ['links', 'circuits']) {
      const { status, body } = await app.request('GET', `${FABRIC}/${collection}`);
      assert.deepEqual([status, body.data, body.meta.pagination.totalCount], [200, [], 0]);
      assert.ok(body.meta.filterableFields.includes('id'));
      for (const method of ['GET', 'DELETE'])
        assert.equal((await app.request(method, `${FABRIC}/${collection}/nothing`)).body.error.code, 'NOT_FOUND');
    }
  });

  test('a rule of the host that limits a right limits what is listed here, too', async () => {
    await using app = await open({
      authorize: ({ right }) => (right === 'service.read' || right === 'terminator.read' ? { where: 'tags.a = "b"' } : undefined),
    });
    const { service, terminator } = await aNetwork(app);
    const other = await app.create('/services', { name: 'other', encryptionRequired: true });
    assert.deepEqual(await names(app, '/services'), ['web']);
    assert.equal((await app.request('GET', `${FABRIC}/services/${other}`)).status, 404);
    assert.deepEqual(await get(app, '/terminators'), []);
    assert.deepEqual(await get(app, `/services/${service}/terminators`), []);
    assert.equal((await app.request('GET', `${FABRIC}/terminators/${terminator}`)).status, 404);
  });
});

onEveryStore('the surface of the fabric API', (open) => {
  test('it refuses unknown paths and methods in the form of the edge APIs', async () => {
    await using app = await open();
    for (const path of ['', '/', '/version', '/nothing', '/links/a/b', '/identities']) {
      const { status, body, headers } = await app.request('GET', `${FABRIC}${path}`);
      assert.deepEqual([status, body.error.code, headers['content-type']], [404, 'NOT_FOUND', 'application/json'], path);
    }
    for (const [method, path] of [
      ['POST', '/links'],
      ['PUT', '/links/a'],
      ['PATCH', '/circuits/a'],
      ['DELETE', '/links'],
    ] as const) {
      const { status, body } = await app.request(method, `${FABRIC}${path}`, { body: {} });
      assert.deepEqual([status, body.error.code], [405, 'METHOD_NOT_ALLOWED'], `${method} ${path}`);
    }
  });

  test('the version says where it is, and descriptions are those of the edge APIs', async () => {
    await using app = await open({ settings: { address: 'https://ctrl.example:8441' } });
    const { apiVersions } = (await app.request('GET', '/version', { as: null })).body.data;
    assert.deepEqual(
      [apiVersions.fabric.v1.path, apiVersions.fabric.v1.apiBaseUrls],
      ['/fabric/v1', ['https://ctrl.example:8441/fabric/v1']],
    );
    assert.equal((await app.request('GET', '/specs/fabric')).status, 404);
  });

  test('other origins may ask for it, as for the management API', async () => {
    await using app = await open();
    const preflight = (path: string) => {
      const headers = {
        origin: 'https://console.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'zt-session',
      };
      return app.request('OPTIONS', path, { as: null, headers });
    };
    const [here, there] = [await preflight(`${FABRIC}/routers`), await preflight('/routers')];
    const corsOf = ({ headers }: typeof here) => Object.entries(headers).filter(([name]) => name.startsWith('access-control-'));
    assert.equal(here.status, there.status);
    assert.equal(here.headers['access-control-allow-origin'], '*');
    assert.deepEqual(corsOf(here), corsOf(there));
  });

  test('it can be mounted alone, or left out', async () => {
    await using app = await open();
    const statusAt = async (handle: ReturnType<typeof fetchHandler>, path: string) =>
      (await handle(new Request(`https://ctrl.test${path}`, { headers: { 'zt-session': app.admin } }))).status;
    const alone = fetchHandler(app.controller.only('fabric'));
    assert.equal(await statusAt(alone, `${FABRIC}/routers`), 200);
    assert.equal(await statusAt(alone, '/edge/management/v1/routers'), 404);
    const without = fetchHandler(app.controller.only('management', 'client'));
    assert.equal(await statusAt(without, `${FABRIC}/routers`), 404);
    assert.equal(await statusAt(without, '/edge/management/v1/routers'), 200);
  });
});
