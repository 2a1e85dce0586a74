import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const aConfig = (app: App, name: string, configTypeId: string, data: object = { a: 1 }) =>
  app.create('/configs', { name, configTypeId, data });
const aType = (app: App, name = 'a type') => app.create('/config-types', { name });
const read = async (app: App, id: string) => (await app.request('GET', `/services/${id}`)).body.data;

onEveryStore('services', (open) => {
  test('a service keeps every writable field', proves(189, 191, 421), async () => {
    await using app = await open();
    const config = await aConfig(app, 'one', await aType(app));
    const fields = { name: 'web', encryptionRequired: false, maxIdleTimeMillis: 60000, terminatorStrategy: 'weighted' };
    const id = await app.create('/services', { ...fields, roleAttributes: ['z', 'a', 'z'], configs: [config], tags: { s: 'x' } });
    const { createdAt, updatedAt, _links, ...rest } = await read(app, id);
    assert.deepEqual(rest, {
      ...fields,
      id,
      roleAttributes: ['a', 'z'],
      configs: [config],
      tags: { s: 'x' },
      permissions: ['Invalid'],
      config: null,
      postureQueries: [],
    });
    const below = ['configs', 'service-edge-router-policies', 'service-policies', 'terminators'];
    assert.deepEqual(_links, {
      self: { href: `./services/${id}` },
      ...Object.fromEntries(below.map((name) => [name, { href: `./services/${id}/${name}` }])),
    });
  });

  test('a create needs encryptionRequired, a replace without it resets it, and a patch does not change it', proves(189), async () => {
    await using app = await open();
    assertInvalid(await app.request('POST', '/services', { body: { name: 'web' } }), 'encryptionRequired');
    const id = await app.create('/services', { name: 'web', encryptionRequired: true });
    const now = async () => (await read(app, id)).encryptionRequired;
    assert.deepEqual(await app.trail(() => app.request('PATCH', `/services/${id}`, { body: { encryptionRequired: false } })), []);
    await app.request('PATCH', `/services/${id}`, { body: { encryptionRequired: false, maxIdleTimeMillis: 1 } });
    assert.equal(await now(), true);
    await app.request('PUT', `/services/${id}`, { body: { name: 'web' } });
    assert.equal(await now(), false);
    await app.request('PUT', `/services/${id}`, { body: { name: 'web', encryptionRequired: true } });
    assert.equal(await now(), true);
  });

  test('a body that is not a valid service is refused with the field at fault, or as not found', proves(191, 421), async () => {
    await using app = await open();
    const good = { name: 'web', encryptionRequired: true };
    const post = (body: object) => app.request('POST', '/services', { body: { ...good, ...body } });
    const type = await aType(app);
    const [one, two] = [await aConfig(app, 'one', type), await aConfig(app, 'two', type)];
    const left = await app.trail(async () => {
      assertInvalid(await post({ configs: [one, two] }), 'configs');
      assertInvalid(await post({ configs: [one, one] }), 'configs');
      assertRefused(await post({ configs: ['none'] }), 404, 'NOT_FOUND');
      const refused = await post({ terminatorStrategy: 'Random' });
      assertRefused(refused, 404, 'NOT_FOUND');
      assert.equal(
        refused.body.error.cause.message,
        "no terminator strategy is named 'Random': use one of smartrouting, random, weighted, sticky",
      );
      assertRefused(await post({ maxIdleTimeMillis: 'long' }), 400, 'COULD_NOT_PARSE_BODY');
    });
    assert.deepEqual(left, []);
  });

  test('deleting a config removes it from the services that list it', proves(191, 332, 373), async () => {
    await using app = await open();
    const one = await aConfig(app, 'one', await aType(app));
    const two = await aConfig(app, 'two', await aType(app, 'another type'));
    const id = await app.create('/services', { name: 'web', encryptionRequired: true, configs: [one, two] });
    assert.deepEqual(namesIn(await app.request('GET', `/configs/${one}/services`)), ['web']);
    assert.equal((await app.request('DELETE', `/configs/${one}`)).status, 200);
    assert.deepEqual((await read(app, id)).configs, [two]);
    assert.deepEqual((await app.request('GET', `/configs/${one}/services`)).body.data, []);
  });

  test('the services of a config are listed by filter, sort and page, and invalid values of these are refused', proves(373), async () => {
    await using app = await open();
    const [one, two] = [await aConfig(app, 'one', await aType(app)), await aConfig(app, 'two', await aType(app, 'another type'))];
    const make = (name: string, configs: readonly string[]) => app.create('/services', { name, encryptionRequired: true, configs });
    for (const name of ['a', 'b', 'c']) await make(name, [one]);
    await make('d', [two]);
    const of = (query: Parameters<typeof list>[2]) => list(app, `/configs/${one}/services`, { sort: 'name', ...query });
    assert.deepEqual(namesIn(await of({})), ['a', 'b', 'c']);
    assert.deepEqual(namesIn(await of({ filter: 'name > "a"' })), ['b', 'c']);
    assert.deepEqual(namesIn(await of({ filter: 'name = "d"' })), []);
    assert.deepEqual(namesIn(await of({ sort: 'name desc' })), ['c', 'b', 'a']);
    const page = await of({ limit: 1, offset: 1 });
    assert.deepEqual([namesIn(page), page.body.meta.pagination], [['b'], { limit: 1, offset: 1, totalCount: 3 }]);
    for (const filter of ['name =', 'type = "x"', 'isAdmin']) assertRefused(await of({ filter }), 400, 'INVALID_FILTER');
    assertRefused(await of({ sort: 'nope' }), 400, 'INVALID_SORT_IDENTIFIER');
    for (const field of ['limit', 'offset']) assertInvalid(await of({ [field]: 'x' }), field);
  });

  test('services are found by their filter fields, by conditions on their configs, and by role', async () => {
    await using app = await open();
    const type = await aType(app);
    const config = await aConfig(app, 'a config', type);
    const make = (name: string, more: object) => app.create('/services', { name, encryptionRequired: true, ...more });
    await make('a', { roleAttributes: ['x'], configs: [config] });
    const b = await make('b', { roleAttributes: ['x', 'y'], terminatorStrategy: 'sticky' });
    await make('c', {});
    const found = async (query: Parameters<typeof list>[2]) => namesIn(await list(app, '/services', { sort: 'name', ...query }));
    assert.deepEqual(await found({ filter: 'terminatorStrategy = "sticky"' }), ['b']);
    assert.deepEqual(await found({ filter: `anyOf(configs) = "${config}"` }), ['a']);
    assert.deepEqual(await found({ filter: 'not isEmpty(from configs where name contains "config")' }), ['a']);
    assert.deepEqual(await found({ filter: 'count(from configs where name = "other") = 0' }), ['a', 'b', 'c']);
    assert.deepEqual(await found({ roleFilter: ['#x', '#y'] }), ['b']);
    assert.deepEqual(await found({ roleFilter: ['#x', '#y'], roleSemantic: 'anyof' }), ['a', 'b']);
    assert.deepEqual(await found({ roleFilter: [`@${b}`] }), ['b']);
    for (const filter of ['encryptionRequired = true', 'maxIdleTimeMillis = 0', 'configs = "x"'])
      assertRefused(await list(app, '/services', { filter }), 400, 'INVALID_FILTER');
    const [item] = (await list(app, '/services', { roleFilter: ['#y'] })).body.data;
    assert.deepEqual([item.permissions, item.config, item.postureQueries], [null, null, []]);
  });

  test('the services of another identity are listed with its permissions and configs', proves(193), async () => {
    await using app = await open();
    const net = network(app);
    const config = await aConfig(app, 'one', await aType(app), { port: 1 });
    const ann = await net.identity('ann', 'sales');
    await app.create('/services', { name: 'web', encryptionRequired: true, roleAttributes: ['web'], configs: [config] });
    await net.service('other');
    const policy = await net.bind({ identities: ['#sales'], services: ['#web'] });
    for (const asIdentity of [ann, 'ann']) {
      const { data } = (await list(app, '/services', { asIdentity, configTypes: 'a type,host.v1' })).body;
      assert.deepEqual(
        data.map(({ name, permissions, config, postureQueries }: Record<string, unknown>) => ({
          name,
          permissions,
          config,
          postureQueries,
        })),
        [
          {
            name: 'web',
            permissions: ['Bind'],
            config: { 'a type': { port: 1 } },
            postureQueries: [{ policyId: policy, policyType: 'Bind', isPassing: true, postureQueries: [] }],
          },
        ],
      );
    }
    assertRefused(await list(app, '/services', { asIdentity: 'nobody' }), 404, 'NOT_FOUND');
  });

  test('deleting a service deletes its terminators, and removes it from policies and from the hosting costs of identities', async () => {
    await using app = await open();
    const net = network(app);
    const [service, router, ann] = [await net.service('web'), await net.router('r'), await net.identity('ann')];
    const terminator = await app.create('/terminators', { service, router, binding: 'edge', address: 'x' });
    await app.request('PATCH', `/identities/${ann}`, { body: { serviceHostingCosts: { [service]: 5 } } });
    const policy = await net.routersOfServices({ services: [`@${service}`], routers: ['#all'] });
    await app.request('DELETE', `/services/${service}`);
    assertRefused(await app.request('GET', `/terminators/${terminator}`), 404, 'NOT_FOUND');
    assert.equal((await app.request('GET', `/service-edge-router-policies/${policy}`)).body.data.serviceRoles, null);
    assert.deepEqual((await app.request('GET', `/identities/${ann}`)).body.data.serviceHostingCosts, {});
  });
});
