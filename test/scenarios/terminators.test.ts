import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const ground = async (app: App) => {
  const net = network(app);
  const [service, router] = [await net.service('web'), await net.router('r')];
  const good = { service, router, binding: 'edge', address: 'tcp:a:1' };
  const make = (more: object = {}) => app.create('/terminators', { ...good, ...more });
  const read = async (id: string) => (await app.request('GET', `/terminators/${id}`)).body.data;
  return { net, service, router, good, make, read };
};
const addresses = (answer: Awaited<ReturnType<typeof list>>) => answer.body.data.map(({ address }: { address: string }) => address);

onEveryStore('terminators', (open) => {
  test('a terminator shows its service and its router, of either kind, and no secret', proves(421), async () => {
    await using app = await open();
    const { service, make, read } = await ground(app);
    const router = await app.create('/routers', { name: 'plain' });
    const id = await make({ router, cost: 65535, precedence: 'required', identity: 'inst', identitySecret: 'c2VjcmV0', tags: { a: 'b' } });
    const { createdAt, updatedAt, service: reference, ...rest } = await read(id);
    assert.deepEqual(rest, {
      _links: { self: { href: `./terminators/${id}` } },
      id,
      binding: 'edge',
      address: 'tcp:a:1',
      cost: 65535,
      dynamicCost: 0,
      precedence: 'required',
      identity: 'inst',
      routerId: router,
      router: { _links: { self: { href: `./transit-routers/${router}` } }, entity: 'transit-routers', id: router, name: 'plain' },
      serviceId: service,
      tags: { a: 'b' },
    });
    const self = { href: `./services/${service}` };
    assert.partialDeepStrictEqual(reference, { _links: { self }, entity: 'services', id: service, name: 'web' });
  });

  test('a binding that is blank follows from the address', proves(421), async () => {
    await using app = await open();
    const { make, read } = await ground(app);
    assert.equal((await read(await make({ binding: '' }))).binding, 'transport');
    const id = await make({ binding: '', address: 'udp:x' });
    assert.equal((await read(id)).binding, 'udp');
    await app.request('PATCH', `/terminators/${id}`, { body: { binding: '', address: 'tcp:x' } });
    assert.equal((await read(id)).binding, 'transport');
  });

  test('bodies that make no terminator are refused with their field, or as not found', proves(421), async () => {
    await using app = await open();
    const { good } = await ground(app);
    const post = (more: object) => app.request('POST', '/terminators', { body: { ...good, ...more } });
    const left = await app.trail(async () => {
      for (const field of ['service', 'router', 'address']) {
        assertInvalid(await post({ [field]: undefined }), field);
        assertInvalid(await post({ [field]: '' }), field);
      }
      assertInvalid(await post({ binding: undefined }), 'binding');
      for (const cost of [-1, 65536]) assertInvalid(await post({ cost }), 'cost');
      assertInvalid(await post({ precedence: 'best' }), 'precedence');
      for (const field of ['service', 'router']) assertRefused(await post({ [field]: 'none' }), 404, 'NOT_FOUND');
    });
    assert.deepEqual(left, []);
  });

  test('router, address, cost and precedence change; service, identity and secret do not', async () => {
    await using app = await open();
    const { net, service, make, read } = await ground(app);
    const [other, router] = [await net.service('other'), await net.router('r2')];
    const id = await make({ identity: 'inst', cost: 5 });
    await app.request('PATCH', `/terminators/${id}`, { body: { service: other, identity: 'x', precedence: 'failed', router } });
    assert.partialDeepStrictEqual(await read(id), {
      serviceId: service,
      identity: 'inst',
      cost: 5,
      precedence: 'failed',
      routerId: router,
    });
    const body = { service: other, router, binding: 'edge', address: 'z' };
    assert.equal((await app.request('PUT', `/terminators/${id}`, { body })).status, 200);
    assert.partialDeepStrictEqual(await read(id), { serviceId: service, identity: 'inst', cost: 0, precedence: 'default', address: 'z' });
    for (const field of ['service', 'router', 'binding', 'address'])
      assertInvalid(await app.request('PUT', `/terminators/${id}`, { body: { ...body, [field]: undefined } }), field);
    assertRefused(await app.request('PATCH', `/terminators/${id}`, { body: { router: 'none' } }), 404, 'NOT_FOUND');
    assertInvalid(await app.request('PATCH', `/terminators/${id}`, { body: { address: '' } }), 'address');
  });

  test('terminators are found and ordered by the names of their service and router, which follow renames', async () => {
    await using app = await open();
    const { net, service, router, make } = await ground(app);
    await make({ address: 'one', identity: 'i' });
    await make({ address: 'two', service: await net.service('abc') });
    const found = async (query: Parameters<typeof list>[2]) => addresses(await list(app, '/terminators', query));
    assert.deepEqual(await found({ filter: 'service.name = "web"' }), ['one']);
    assert.deepEqual(await found({ filter: 'router.name = "r"', sort: 'service.name' }), ['two', 'one']);
    assert.deepEqual(await found({ filter: `service = "${service}" and router = "${router}" and instanceId = "i" and binding = "edge"` }), [
      'one',
    ]);
    const left = await app.trail(async () => {
      await net.patch(`/services/${service}`, { name: 'aaa' });
      await net.patch(`/edge-routers/${router}`, { name: 'rr' });
    });
    assert.deepEqual(left, ['update service', 'update edgeRouter']);
    assert.deepEqual(await found({ filter: 'router.name = "rr"', sort: 'service.name' }), ['one', 'two']);
    for (const filter of ['cost = 0', 'precedence = "default"'])
      assertRefused(await list(app, '/terminators', { filter }), 400, 'INVALID_FILTER');
  });

  test('a terminator goes with its router, of either kind', async () => {
    await using app = await open();
    const { make, router } = await ground(app);
    const plain = await app.create('/routers', { name: 'plain' });
    await make();
    await make({ router: plain });
    await app.request('DELETE', `/edge-routers/${router}`);
    await app.request('DELETE', `/routers/${plain}`);
    assert.deepEqual((await app.request('GET', '/terminators')).body.data, []);
  });
});
