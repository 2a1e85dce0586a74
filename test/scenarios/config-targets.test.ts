import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { list, namesIn } from '../support/lists.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { readRouter } from '../support/routers.ts';
import { newStorage } from '../support/stores.ts';

const TYPES = '/config-types';
const targetOf = async (app: App, id: string) => (await app.request('GET', `${TYPES}/${id}`)).body.data.target;

/** A config of a new type with this target. */
const configFor = async (app: App, target: string, name = `${target} config`) => {
  const type = await app.create(TYPES, { name: `type of ${name}`, target });
  return { type, id: await app.create('/configs', { name, configTypeId: type, data: {} }) };
};

onEveryStore('targets of config types', (open) => {
  test('a config type targets services unless its creator says routers or something else', async () => {
    await using app = await open();
    for (const [given, shown] of [
      [undefined, 'service'],
      [null, 'service'],
      ['', 'service'],
      ['service', 'service'],
      ['router', 'router'],
      ['other', 'other'],
    ] as const) {
      const id = await app.create(TYPES, { name: `targets ${given}`, target: given });
      assert.equal(await targetOf(app, id), shown);
      assert.equal((await list(app, TYPES, { filter: `id = "${id}"` })).body.data[0].target, shown);
    }
    for (const target of ['services', 'Router', ' '])
      assertInvalid(await app.request('POST', TYPES, { body: { name: 'wrong', target } }), 'target');
    assertRefused(await app.request('POST', TYPES, { body: { name: 'wrong', target: 5 } }), 400, 'COULD_NOT_PARSE_BODY');
  });

  test('the target never changes; a body may leave it out or repeat it', async () => {
    await using app = await open();
    const id = await app.create(TYPES, { name: 'of routers', target: 'router' });
    for (const method of ['PUT', 'PATCH']) {
      for (const target of [undefined, null, 'router']) {
        assert.equal((await app.request(method, `${TYPES}/${id}`, { body: { name: `of routers, ${target}`, target } })).status, 200);
        assert.equal(await targetOf(app, id), 'router');
      }
      for (const target of ['service', 'other', '']) {
        const refused = await app.request(method, `${TYPES}/${id}`, { body: { name: 'moved', target } });
        assertInvalid(refused, 'target');
        assert.match(refused.text, /immutable/);
      }
    }
    assert.deepEqual(
      [(await app.request('GET', `${TYPES}/${id}`)).body.data.name, await targetOf(app, id)],
      ['of routers, router', 'router'],
    );
  });

  test('config types are filtered and sorted by target', async () => {
    await using app = await open();
    for (const target of ['other', 'router', 'service']) await app.create(TYPES, { name: `mine ${target}`, target });
    const mine = 'name contains "mine"';
    const names = async (filter: string, sort: string) => namesIn(await list(app, TYPES, { filter, sort }));
    assert.deepEqual(await names(`${mine} and target != "service"`, 'name'), ['mine other', 'mine router']);
    assert.deepEqual(await names(mine, 'target desc'), ['mine service', 'mine router', 'mine other']);
    assert.deepEqual(await names('target = "service" and name = "host.v1"', 'name'), ['host.v1']);
  });

  test('a service takes no config for routers or for something else, by any way', async () => {
    await using app = await open();
    const own = await configFor(app, 'service');
    const service = await app.create('/services', { name: 'web', encryptionRequired: true, configs: [own.id] });
    const identity = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    for (const target of ['router', 'other']) {
      const { id, type } = await configFor(app, target);
      const text = `config ${id} has config type type of ${target} config, which does not target services`;
      const refused = async (method: string, path: string, field: string, body: unknown) => {
        const answer = await app.request(method, path, { body });
        assertInvalid(answer, field);
        assert.equal(answer.body.error.cause.reason, text);
      };
      const body = { name: 'other', encryptionRequired: true, configs: [own.id, id] };
      await refused('POST', '/services', 'configs', body);
      await refused('PUT', `/services/${service}`, 'configs', body);
      await refused('PATCH', `/services/${service}`, 'configs', { configs: [id] });
      const pairs = [
        { serviceId: service, configId: own.id },
        { serviceId: service, configId: id },
      ];
      await refused('POST', `/identities/${identity}/service-configs`, 'serviceConfigs', pairs);
      assertRefused(await app.request('DELETE', `${TYPES}/${type}`), 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    }
    assert.deepEqual((await app.request('GET', `/services/${service}`)).body.data.configs, [own.id]);
    assert.deepEqual((await app.request('GET', `/identities/${identity}/service-configs`)).body.data, []);
  });
});

const PATHS = ['/edge-routers', '/routers', '/transit-routers'] as const;

onEveryStore('configs of routers', (open) => {
  test('every router keeps configs; a patch replaces them all, and an empty list or a replacement without any removes them', async () => {
    await using app = await open();
    const [one, two] = [(await configFor(app, 'router', 'one')).id, (await configFor(app, 'router', 'two')).id];
    for (const path of PATHS) {
      const name = `at ${path}`;
      const id = await app.create(path, { name, configs: [one] });
      const shown = async () => (await readRouter(app, id, path)).configs;
      const write = async (method: string, body: object) =>
        assert.equal((await app.request(method, `${path}/${id}`, { body })).status, 200, `${method} ${JSON.stringify(body)}`);
      assert.deepEqual(await shown(), [one]);
      assert.deepEqual((await list(app, path, { filter: `id = "${id}"` })).body.data[0].configs, [one]);
      await write('PATCH', { cost: 5 });
      await write('PATCH', { configs: null, cost: 6 });
      assert.deepEqual(await shown(), [one], 'null changes nothing');
      await write('PATCH', { configs: [two, one] });
      assert.deepEqual(await shown(), [one, two].toSorted());
      await write('PATCH', { configs: [] });
      assert.deepEqual(await shown(), []);
      await write('PUT', { name, configs: [two] });
      assert.deepEqual(await shown(), [two]);
      await write('PUT', { name });
      assert.deepEqual(await shown(), []);
    }
  });

  test('a router refuses configs that are unknown, for services or something else, or of one type', async () => {
    await using app = await open();
    const { id: first, type } = await configFor(app, 'router', 'first');
    const second = await app.create('/configs', { name: 'second', configTypeId: type, data: {} });
    for (const path of PATHS) {
      const id = await app.create(path, { name: `at ${path}`, configs: [first] });
      const ways = [
        ['POST', path],
        ['PUT', `${path}/${id}`],
        ['PATCH', `${path}/${id}`],
      ] as const;
      for (const [method, place] of ways) {
        const write = (configs: readonly string[]) => app.request(method, place, { body: { name: 'refused', configs } });
        assertRefused(await write(['no-such-config']), 404, 'NOT_FOUND');
        for (const target of ['service', 'other']) {
          const other = (await configFor(app, target, `${target} for ${method} ${path}`)).id;
          const refused = await write([first, other]);
          assertInvalid(refused, 'configs');
          assert.match(refused.body.error.cause.reason, /which does not target routers$/);
        }
        const refused = await write([first, second]);
        assertInvalid(refused, 'configs');
        assert.ok(
          [first, second].every((each) => refused.body.error.cause.reason.includes(each)),
          refused.text,
        );
      }
      assert.deepEqual((await readRouter(app, id, path)).configs, [first]);
    }
  });

  test('routers are filtered by their configs, and a config that is deleted leaves them', async () => {
    await using app = await open();
    const { id: config } = await configFor(app, 'router');
    for (const path of PATHS) {
      const id = await app.create(path, { name: `at ${path}`, configs: [config] });
      await app.create(path, { name: `bare at ${path}` });
      const { body } = await list(app, path, { filter: `anyOf(configs) = "${config}" and name = "at ${path}"` });
      assert.deepEqual(
        [body.data.map(({ name }: { name: string }) => name), body.meta.filterableFields.includes('configs')],
        [[`at ${path}`], true],
      );
      assert.deepEqual((await list(app, path, { filter: `isEmpty(configs) and id = "${id}"` })).body.data, []);
    }
    const left = await app.trail(async () => assert.equal((await app.request('DELETE', `/configs/${config}`)).status, 200));
    assert.deepEqual(left.toSorted(), ['delete config', 'update edgeRouter', 'update router', 'update router']);
    for (const path of PATHS) assert.deepEqual((await list(app, path, { filter: `name = "at ${path}"` })).body.data[0].configs, []);
  });

  test('links of routers have a built-in config type', async () => {
    await using app = await open();
    const data = { listeners: [{ bind: 'tls:0.0.0.0:6001' }] };
    const config = await app.create('/configs', { name: 'links', configTypeId: 'router.link.v1', data });
    const id = await app.create('/edge-routers', { name: 'edge', configs: [config] });
    assert.deepEqual((await readRouter(app, id)).configs, [config]);
    const listeners = [{ bind: '' }];
    assertInvalid(
      await app.request('POST', '/configs', { body: { name: 'bad', configTypeId: 'router.link.v1', data: { listeners } } }),
      'listeners.0.bind',
    );
  });
});

test('config types that an earlier release stored target services, once a controller of this one has opened the network', async () => {
  const storage = newStorage('sqlite');
  const shared = { ...storage, open: storage.open };
  await using app = await openApp('sqlite', { storage: shared });
  const id = await app.create(TYPES, { name: 'early' });
  const early = async (of: App) => (await of.rows('configType')).filter((row) => row.id === id);
  const before = await early(app);
  await app.tamper(async (tx) => {
    const { target: _, ...row } = (await tx.get('configType', id)) ?? assert.fail();
    await tx.update('configType', row, row.version);
  });
  await using again = await openApp('sqlite', { storage: shared });
  assert.equal(await targetOf(again, id), 'service');
  assert.deepEqual(namesIn(await list(again, TYPES, { filter: 'target = "service" and name = "early"' })), ['early']);
  assert.deepEqual(await early(again), before, 'the row keeps its version');
});
