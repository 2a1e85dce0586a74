import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { askedBy, counting } from '../support/counting.ts';
import { list, namesIn } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { connected, LISTENERS } from '../support/presence.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { newStorage, notOnPostgres } from '../support/stores.ts';

/** Ann may dial `web` and bind `db` by the routers in the west; `web` is reached by `west 1` and `east`. */
const small = async (app: App) => {
  const net = network(app);
  const ann = await app.user({ name: 'ann', roleAttributes: ['sales'] });
  const [web, db] = [await net.service('web', 'web'), await net.service('db', 'db')];
  const [west, east] = [await net.router('west 1', 'west'), await net.router('east')];
  await net.router('west 2', 'west');
  const dial = await net.dial({ identities: ['#sales'], services: ['#web'] });
  await net.bind({ identities: [`@${ann.id}`], services: ['#db'] });
  const erp = await net.routersOfIdentities({ identities: ['#sales'], routers: ['#west'] });
  const serp = await net.routersOfServices({ services: [`@${web}`], routers: [`@${west}`, `@${east}`] });
  return { net, ann, web, db, west, east, dial, erp, serp };
};

onEveryStore('lists below identities, services, routers and policies', (open, store) => {
  test('each list has what the policies say', proves(6, 387, 388, 391, 392, 394, 395, 400, 401, 409, 412, 413), async () => {
    await using app = await open();
    const { net, ann, web, db, west, dial, erp, serp } = await small(app);
    const expected: readonly (readonly [string, readonly string[]])[] = [
      [`/identities/${ann.id}/services`, ['db', 'web']],
      [`/identities/${ann.id}/service-policies`, ['policy 1', 'policy 2']],
      [`/identities/${ann.id}/edge-router-policies`, ['policy 3']],
      [`/identities/${ann.id}/edge-routers`, ['west 1', 'west 2']],
      [`/services/${web}/identities`, ['ann']],
      [`/services/${web}/service-policies`, ['policy 1']],
      [`/services/${web}/service-edge-router-policies`, ['policy 4']],
      [`/services/${web}/edge-routers`, ['east', 'west 1']],
      [`/services/${db}/edge-routers`, []],
      [`/edge-routers/${west}/identities`, ['ann']],
      [`/edge-routers/${west}/services`, ['web']],
      [`/edge-routers/${west}/edge-router-policies`, ['policy 3']],
      [`/edge-routers/${west}/service-edge-router-policies`, ['policy 4']],
      [`/service-policies/${dial}/identities`, ['ann']],
      [`/service-policies/${dial}/services`, ['web']],
      [`/edge-router-policies/${erp}/identities`, ['ann']],
      [`/edge-router-policies/${erp}/edge-routers`, ['west 1', 'west 2']],
      [`/service-edge-router-policies/${serp}/services`, ['web']],
      [`/service-edge-router-policies/${serp}/edge-routers`, ['east', 'west 1']],
    ];
    for (const [path, names] of expected) assert.deepEqual(await net.names(path), names, path);
  });

  test('they obey filter, sort and paging, and list the fields of what they hold', proves(410), async () => {
    await using app = await open();
    const { net, ann } = await small(app);
    await net.service('other');
    const page = await list(app, `/identities/${ann.id}/services`, { sort: 'name desc', limit: 1, offset: 1 });
    const { pagination, filterableFields } = page.body.meta;
    assert.deepEqual([namesIn(page), pagination], [['db'], { limit: 1, offset: 1, totalCount: 2 }]);
    assert.deepEqual(namesIn(await list(app, `/identities/${ann.id}/services`, { filter: 'name = "web"' })), ['web']);
    assert.deepEqual(namesIn(await list(app, `/identities/${ann.id}/services`, { filter: 'name = "other"' })), []);
    assert.ok(filterableFields.includes('terminatorStrategy'));
    assertRefused(await list(app, `/identities/${ann.id}/services`, { filter: 'isAdmin' }), 400, 'INVALID_FILTER');
  });

  test('rights are listed by type, and there are two', proves(3, 411), async () => {
    await using app = await open();
    const { net, ann, web } = await small(app);
    assert.deepEqual([await net.dials(ann.id), await net.binds(ann.id)], [['web'], ['db']]);
    assert.deepEqual(await net.names(`/services/${web}/identities`, { policyType: 'dial' }), ['ann']);
    assert.deepEqual(await net.names(`/services/${web}/identities`, { policyType: 'bind' }), []);
    for (const path of [`/identities/${ann.id}/services`, `/services/${web}/identities`])
      assertInvalid(await list(app, path, { policyType: 'both' }), 'policyType');
  });

  test('services in lists below other entities leave open what depends on who asks', async () => {
    await using app = await open();
    const { ann, dial } = await small(app);
    for (const path of [`/service-policies/${dial}/services`, `/identities/${ann.id}/services`]) {
      const [first] = (await app.request('GET', path)).body.data;
      assert.deepEqual([first.permissions, first.config, first.postureQueries], [null, null, []], path);
    }
  });

  test('policy advice has the rights and the common routers, and leaves out what does not apply', proves(238, 239, 404), async () => {
    await using app = await open();
    const { ann, web, db, west } = await small(app);
    const advice = async (service: string) => {
      const { identity, service: of, ...rest } = (await app.request('GET', `/identities/${ann.id}/policy-advice/${service}`)).body.data;
      assert.deepEqual([identity.entity, identity.id, identity.name], ['identities', ann.id, 'ann']);
      assert.deepEqual([of.entity, of.id, of.name], ['services', service, service === web ? 'web' : 'db']);
      return rest;
    };
    const router = {
      _links: {
        self: { href: `./edge-routers/${west}` },
        'edge-router-policies': { href: `./edge-routers/${west}/edge-router-policies` },
      },
      entity: 'edge-routers',
      id: west,
      name: 'west 1',
      isOnline: false,
    };
    assert.deepEqual(await advice(web), {
      identityId: ann.id,
      serviceId: web,
      isDialAllowed: true,
      identityRouterCount: 2,
      serviceRouterCount: 2,
      commonRouters: [router],
    });
    assert.deepEqual(await advice(db), {
      identityId: ann.id,
      serviceId: db,
      isBindAllowed: true,
      identityRouterCount: 2,
      commonRouters: null,
    });
    for (const path of [`/identities/none/policy-advice/${web}`, `/identities/${ann.id}/policy-advice/none`])
      assertRefused(await app.request('GET', path), 404, 'NOT_FOUND');
  });

  test('policy advice says of each router whether it is online', proves(238), async () => {
    await using app = await open();
    const { ann, web, west } = await small(app);
    const { id, connection } = await connected(app, { name: 'west 3', roleAttributes: ['west'] });
    await network(app).routersOfServices({ services: [`@${web}`], routers: [`@${id}`] });
    await connection.hello({ listeners: LISTENERS });
    const { data } = (await app.request('GET', `/identities/${ann.id}/policy-advice/${web}`)).body;
    const online = new Map(data.commonRouters.map((router: { id: string; isOnline: boolean }) => [router.id, router.isOnline]));
    assert.deepEqual([online.size, online.get(west), online.get(id)], [2, false, true]);
  });

  test('a client has the services that it may dial or bind, and an administrator all', proves(421), async () => {
    await using app = await open();
    const { net, ann, web, east } = await small(app);
    const other = await net.service('other');
    const as = await ann.login();
    const client = (path: string, token = as) => app.request('GET', `/edge/client/v1${path}`, { as: token });
    assert.deepEqual(namesIn(await client('/services?sort=name&roleFilter=nonsense&roleSemantic=none')), ['db', 'web']);
    assert.deepEqual((await client(`/services/${web}`)).body.data.permissions, ['Dial']);
    for (const below of ['', '/terminators', '/edge-routers']) assertRefused(await client(`/services/${other}${below}`), 404, 'NOT_FOUND');
    const { edgeRouters } = (await client(`/services/${web}/edge-routers`)).body.data;
    assert.deepEqual(
      edgeRouters.map(({ name }: { name: string }) => name),
      ['west 1'],
    );
    await app.create('/terminators', { service: web, router: east, binding: 'edge', address: 'secret', identity: 'inst' });
    const [terminator] = (await client(`/services/${web}/terminators`)).body.data;
    assert.deepEqual(Object.keys(terminator).toSorted(), [
      ...['_links', 'createdAt', 'id', 'identity', 'routerId', 'service', 'serviceId', 'tags', 'updatedAt'],
    ]);
    assert.deepEqual(namesIn(await client('/services?sort=name', app.admin)), ['db', 'other', 'web']);
    assert.deepEqual((await client(`/services/${other}`, app.admin)).body.data.permissions, ['Invalid']);
    assert.deepEqual((await client('/current-identity/edge-routers')).body.data, []);
    assertRefused(await app.request('POST', '/edge/client/v1/services', { as, body: {} }), 405, 'METHOD_NOT_ALLOWED');
    assertRefused(await app.request('GET', '/services', { as }), 401, 'UNAUTHORIZED');
  });

  test('every list makes no more calls to the store for many entities than for one', notOnPostgres(store), async () => {
    const storage = counting(newStorage(store));
    await using app = await open({ storage, settings: { roleIndexBytes: 0 } });
    const { controller } = app;
    const type = await app.create('/config-types', { name: 't' });
    const config = await app.create('/configs', { name: 'c', configTypeId: type, data: {} });
    const user = await app.user({ roleAttributes: ['a'] });
    const ids = { identity: user.id, service: '', router: '', policy: '', erp: '', serp: '' };
    for (let i = 0; i < 30; i++) {
      const name = `n${i}`;
      const role = ['#a', '#b', `@${user.id}`].slice(0, 1 + (i % 3));
      ids.service = (
        await controller.api.services.create({ body: { name, encryptionRequired: true, roleAttributes: ['a'], configs: [config] } })
      ).id;
      await controller.api.identities.create({ body: { name, type: 'Device', isAdmin: false, roleAttributes: ['a'] } });
      ids.router = (await controller.api.edgeRouters.create({ body: { name, roleAttributes: ['a'] } })).id;
      ids.policy = (
        await controller.api.servicePolicies.create({
          body: { name, type: 'Dial', semantic: 'AnyOf', identityRoles: role, serviceRoles: ['#a', `@${ids.service}`] },
        })
      ).id;
      ids.erp = (
        await controller.api.edgeRouterPolicies.create({ body: { name, semantic: 'AnyOf', identityRoles: role, edgeRouterRoles: ['#a'] } })
      ).id;
      ids.serp = (
        await controller.api.serviceEdgeRouterPolicies.create({
          body: { name, semantic: 'AnyOf', serviceRoles: ['#a'], edgeRouterRoles: ['#a', `@${ids.router}`] },
        })
      ).id;
      await controller.api.terminators.create({ body: { service: ids.service, router: ids.router, binding: 'edge', address: name } });
    }
    const as = await user.login();
    const paths = [
      ...['services', 'service-policies', 'edge-router-policies', 'edge-routers'].map((below) => `/identities/${ids.identity}/${below}`),
      ...['identities', 'service-policies', 'service-edge-router-policies', 'edge-routers', 'terminators', 'configs'].map(
        (below) => `/services/${ids.service}/${below}`,
      ),
      ...['identities', 'services', 'edge-router-policies', 'service-edge-router-policies'].map(
        (below) => `/edge-routers/${ids.router}/${below}`,
      ),
      `/service-policies/${ids.policy}/identities`,
      `/service-policies/${ids.policy}/services`,
      `/edge-router-policies/${ids.erp}/identities`,
      `/service-edge-router-policies/${ids.serp}/services`,
      `/configs/${config}/services`,
      ...['/services', '/service-policies', '/edge-router-policies', '/service-edge-router-policies', '/edge-routers', '/routers'],
      ...['/terminators', '/services?configTypes=all', '/edge/client/v1/services?configTypes=all'],
    ];
    for (const path of paths) {
      const costOnce = async (limit: number) => {
        await app.forget();
        const page = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
        const { asked, answer } = await askedBy(() => app.request('GET', page, path.startsWith('/edge/') ? { as } : {}));
        assert.equal(answer.status, 200, answer.text);
        return { cost: asked, found: answer.body.data.length };
      };
      // A call may also read what other controllers have done, but not each time.
      const cost = async (limit: number) => {
        const [first, second] = [await costOnce(limit), await costOnce(limit)];
        return first.cost < second.cost ? first : second;
      };
      const [one, many] = [await cost(1), await cost(100)];
      // A page that is not full needs no count, so the long one may even be cheaper.
      assert.ok(
        one.cost > 0 && many.cost <= one.cost && one.cost <= 14,
        `${path}: ${one.cost} for ${one.found}, ${many.cost} for ${many.found}`,
      );
      assert.ok(many.found > 0, path);
    }
  });
});
