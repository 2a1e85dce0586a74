import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

/** A service with a config of one type, and configs of two types besides. */
const withConfigs = async (app: App) => {
  const net = network(app);
  const [first, second] = [await app.create('/config-types', { name: 'first' }), await app.create('/config-types', { name: 'second' })];
  const config = (name: string, configTypeId: string) => app.create('/configs', { name, configTypeId, data: { from: name } });
  const [own, mine, other] = [await config('own', first), await config('mine', first), await config('other', second)];
  const service = await app.create('/services', { name: 'web', encryptionRequired: true, roleAttributes: ['web'], configs: [own] });
  const user = await app.user({ roleAttributes: ['sales'] });
  await net.dial({ identities: ['#sales'], services: ['#web'] });
  const path = `/identities/${user.id}/service-configs`;
  const as = await user.login();
  const seen = async (query = '?configTypes=all') =>
    (await app.request('GET', `/edge/client/v1/services${query}`, { as })).body.data[0].config;
  return { service, user, own, mine, other, path, seen };
};

onEveryStore('service configs of an identity', (open) => {
  test('a client sees the data of the config types that it asks for, by their names', proves(190), async () => {
    await using app = await open();
    const { seen } = await withConfigs(app);
    assert.deepEqual(await seen(), { first: { from: 'own' } });
    assert.deepEqual(await seen('?configTypes=second&configTypes=first'), { first: { from: 'own' } });
    assert.deepEqual(await seen('?configTypes=second,nothing'), {});
    assert.deepEqual(await seen(''), {});
  });

  test('a config of the identity replaces that of the service, or adds one, until it is removed', proves(190, 240, 406, 408), async () => {
    await using app = await open();
    const { service, mine, other, path, seen } = await withConfigs(app);
    const pairs = [
      { serviceId: service, configId: mine },
      { serviceId: service, configId: other },
    ];
    assert.deepEqual((await app.request('POST', path, { body: pairs })).body.data, {});
    assert.deepEqual(await seen(), { first: { from: 'mine' }, second: { from: 'other' } });
    const { data, meta } = (await app.request('GET', path)).body;
    const listed = new Map<string, unknown>(data.map((entry: { configId: string }) => [entry.configId, entry]));
    assert.deepEqual([data.length, listed.size], [2, 2]);
    const to = (entity: string, id: string, name: string, links: object = {}) => ({
      _links: { self: { href: `./${entity}/${id}` }, ...links },
      ...{ entity, id, name },
    });
    for (const [configId, name] of [
      [mine, 'mine'],
      [other, 'other'],
    ] as const)
      assert.partialDeepStrictEqual(listed.get(configId), {
        config: to('configs', configId, name),
        configId,
        service: to('services', service, 'web'),
        serviceId: service,
      });
    assert.deepEqual(meta.pagination, { limit: 2, offset: 0, totalCount: 2 });
    await app.request('DELETE', path, { body: [pairs[0]] });
    assert.deepEqual(await seen(), { first: { from: 'own' }, second: { from: 'other' } });
    // What is known and not assigned leaves nothing to remove.
    assert.equal((await app.request('DELETE', path, { body: [pairs[0]] })).status, 200);
  });

  test('each identity has its own service configs, and no others', proves(406), async () => {
    await using app = await open();
    const { service, mine, other, path } = await withConfigs(app);
    const at = `/identities/${(await app.user()).id}/service-configs`;
    assert.deepEqual((await app.request('GET', path)).body.data, []);
    await app.request('POST', path, { body: [{ serviceId: service, configId: mine }] });
    await app.request('POST', at, { body: [{ serviceId: service, configId: other }] });
    for (const [list, config] of [
      [path, mine],
      [at, other],
    ] as const)
      assert.deepEqual(
        (await app.request('GET', list)).body.data.map(({ configId }: { configId: string }) => configId),
        [config],
      );
  });

  test('of each type an identity has one config for a service: the last one given', proves(407), async () => {
    await using app = await open();
    const { service, own, mine, path } = await withConfigs(app);
    await app.request('POST', path, {
      body: [
        { serviceId: service, configId: mine },
        { serviceId: service, configId: own },
      ],
    });
    assert.deepEqual(
      (await app.request('GET', path)).body.data.map(({ configId }: { configId: string }) => configId),
      [own],
    );
  });

  test('a config that an identity has been given cannot be deleted, and can when it has it no more', proves(332, 454), async () => {
    await using app = await open();
    const { service, mine, path } = await withConfigs(app);
    const body = [{ serviceId: service, configId: mine }];
    await app.request('POST', path, { body });
    assertRefused(await app.request('DELETE', `/configs/${mine}`), 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    await app.request('DELETE', `/services/${service}`);
    assert.equal((await app.request('DELETE', `/configs/${mine}`)).status, 200);
    assert.deepEqual((await app.request('GET', path)).body.data, []);
  });

  test('both ids are needed, and must exist', proves(240, 406, 407, 408), async () => {
    await using app = await open();
    const { service, mine, other, path } = await withConfigs(app);
    const left = await app.trail(async () => {
      assertInvalid(await app.request('POST', path, { body: [{ serviceId: service }] }), '0.configId');
      assertInvalid(await app.request('POST', path, { body: [{ configId: mine }] }), '0.serviceId');
      for (const method of ['POST', 'DELETE'])
        for (const [pair, field] of [
          [{ serviceId: service, configId: 'none' }, '1.configId'],
          [{ serviceId: 'none', configId: mine }, '1.serviceId'],
        ] as const) {
          const answer = await app.request(method, path, { body: [{ serviceId: service, configId: other }, pair] });
          assertRefused(answer, 404, 'NOT_FOUND');
          assert.equal(answer.body.error.cause.field, field);
        }
      for (const method of ['GET', 'POST', 'DELETE'])
        assertRefused(await app.request(method, '/identities/none/service-configs', { body: [] }), 404, 'NOT_FOUND');
      await app.request('DELETE', path, { body: [] });
    });
    assert.deepEqual(left, []);
  });
});
