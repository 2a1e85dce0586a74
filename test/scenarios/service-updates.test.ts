import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { costOf, counting } from '../support/counting.ts';
import { network } from '../support/network.ts';
import { checkOf, client } from '../support/posture.ts';
import { newStorage } from '../support/stores.ts';

/** Ann, who may dial the wiki by a policy with a check, and Bob, who may do nothing. */
const ground = async (app: App) => {
  const net = network(app);
  const [ann, bob] = [await client(app, { roleAttributes: ['staff'] }), await client(app)];
  const type = await app.create('/config-types', { name: 'type', schema: { type: 'object' } });
  const config = await app.create('/configs', { name: 'config', configTypeId: type, data: {} });
  const wiki = await app.create('/services', { name: 'wiki', encryptionRequired: true, configs: [config], roleAttributes: ['web'] });
  const hidden = await net.service('hidden');
  const check = await checkOf(app, 'check', { typeId: 'DOMAIN', domains: ['a.test'] });
  const policy = await net.dial({ identities: ['#staff'], services: ['#web'], checks: [`@${check}`] });
  const last = async (who: typeof ann): Promise<string> => (await who.get('/current-api-session/service-updates')).body.data.lastChangeAt;
  const patch = (path: string, body: object) => app.request('PATCH', path, { body });
  return { app, net, ann, bob, type, config, wiki, hidden, check, policy, last, patch };
};
type Ground = Awaited<ReturnType<typeof ground>>;

const moving: readonly (readonly [string, (ground: Ground) => Promise<unknown>])[] = [
  ['a policy that grants more', ({ net, ann, hidden }) => net.bind({ identities: [`@${ann.id}`], services: [`@${hidden}`] })],
  ['a policy that grants it no more', ({ policy, patch }) => patch(`/service-policies/${policy}`, { identityRoles: [] })],
  ['a policy deleted', ({ app, policy }) => app.request('DELETE', `/service-policies/${policy}`)],
  ['a field of its service', ({ wiki, patch }) => patch(`/services/${wiki}`, { maxIdleTimeMillis: 1 })],
  ['its service deleted', ({ app, wiki }) => app.request('DELETE', `/services/${wiki}`)],
  ['its service out of reach', ({ wiki, patch }) => patch(`/services/${wiki}`, { roleAttributes: [] })],
  ['the data of a config of its service', ({ config, patch }) => patch(`/configs/${config}`, { data: { a: 1 } })],
  ['a check of its policy', ({ check, patch }) => patch(`/posture-checks/${check}`, { typeId: 'DOMAIN', domains: ['b.test'] })],
  ['its own attributes', ({ ann, patch }) => patch(`/identities/${ann.id}`, { roleAttributes: [] })],
  ['what its endpoint tells', ({ ann }) => ann.tell({ typeId: 'DOMAIN', id: 'any', domain: 'a.test' })],
  [
    'a config of its own',
    ({ app, ann, wiki, config }) =>
      app.request('POST', `/identities/${ann.id}/service-configs`, { body: [{ serviceId: wiki, configId: config }] }),
  ],
];

const still: readonly (readonly [string, (ground: Ground) => Promise<unknown>])[] = [
  ['a service that it may not use', ({ hidden, patch }) => patch(`/services/${hidden}`, { maxIdleTimeMillis: 1 })],
  ['its own tags', ({ ann, patch }) => patch(`/identities/${ann.id}`, { tags: { a: true } })],
  ['an edge router', ({ app }) => app.create('/edge-routers', { name: 'r' })],
  ['what the endpoint of another tells', ({ bob }) => bob.tell({ typeId: 'DOMAIN', id: 'any', domain: 'a.test' })],
  ['a config that nobody uses', ({ app, type }) => app.create('/configs', { name: 'x', configTypeId: type, data: {} })],
];

onEveryStore('service updates', (open, store) => {
  for (const [change, work] of moving) {
    test(`the time of the last change moves for whom it concerns: ${change}`, async () => {
      await using app = await open();
      const all = await ground(app);
      const [before, others] = [await all.last(all.ann), await all.last(all.bob)];
      app.clock.advance('1s');
      await work(all);
      assert.equal((await all.last(all.ann)) > before, true);
      assert.equal(await all.last(all.bob), others);
    });
  }

  for (const [change, work] of still) {
    test(`the time of the last change stands still: ${change}`, async () => {
      await using app = await open();
      const all = await ground(app);
      const before = await all.last(all.ann);
      app.clock.advance('1s');
      await work(all);
      assert.equal(await all.last(all.ann), before);
    });
  }

  test('before any change it is the beginning of the session, and asking costs the same after many changes', async () => {
    const { storage, calls } = counting(newStorage(store));
    await using app = await open({ storage });
    const { ann, last, wiki, patch } = await ground(app);
    app.clock.advance('1s');
    const as = await ann.login();
    const { createdAt } = (await app.request('GET', '/current-api-session', { as })).body.data;
    const first = await app.request('GET', '/edge/client/v1/current-api-session/service-updates', { as });
    assert.equal(first.body.data.lastChangeAt, createdAt);
    const costs = [await costOf(calls, () => last(ann))];
    for (const changes of [1, 30]) {
      for (let i = 0; i < changes; i++) await patch(`/services/${wiki}`, { maxIdleTimeMillis: i });
      costs.push(await costOf(calls, () => last(ann)));
    }
    // With nothing new, nobody asks for the policies.
    const [none = 0, one, many] = costs;
    assert.deepEqual([one, many], [none + 1, none + 1]);
  });
});
