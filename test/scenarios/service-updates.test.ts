import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '../../src/contract/api/services.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { costOf, counting } from '../support/counting.ts';
import { network } from '../support/network.ts';
import { checkOf, client } from '../support/posture.ts';
import { newStorage, notOnPostgres } from '../support/stores.ts';

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

const override = ({ app, ann, wiki }: Ground, configId: string) =>
  app.request('POST', `/identities/${ann.id}/service-configs`, { body: [{ serviceId: wiki, configId }] });

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
    async (all) => override(all, await all.app.create('/configs', { name: 'own', configTypeId: all.type, data: { own: true } })),
  ],
  ['the name of the type of a config of its service', ({ type, patch }) => patch(`/config-types/${type}`, { name: 'renamed' })],
  ['the type of a policy', ({ policy, patch }) => patch(`/service-policies/${policy}`, { type: 'Bind' })],
  [
    'more checks of a policy',
    async ({ app, policy, patch }) => {
      const more = await checkOf(app, 'more', { typeId: 'DOMAIN', domains: ['a.test'] });
      return patch(`/service-policies/${policy}`, { postureCheckRoles: [`@${more}`] });
    },
  ],
  ['its becoming an administrator', ({ ann, patch }) => patch(`/identities/${ann.id}`, { isAdmin: true })],
];

const still: readonly (readonly [string, (ground: Ground) => Promise<unknown>])[] = [
  ['a service that it may not use', ({ hidden, patch }) => patch(`/services/${hidden}`, { maxIdleTimeMillis: 1 })],
  ['its own tags', ({ ann, patch }) => patch(`/identities/${ann.id}`, { tags: { a: true } })],
  ['an edge router', ({ app }) => app.create('/edge-routers', { name: 'r' })],
  ['what the endpoint of another tells', ({ bob }) => bob.tell({ typeId: 'DOMAIN', id: 'any', domain: 'a.test' })],
  ['a config that nobody uses', ({ app, type }) => app.create('/configs', { name: 'x', configTypeId: type, data: {} })],
  ['a policy that selects it and grants no service', ({ net, ann }) => net.dial({ identities: [`@${ann.id}`], services: ['#none'] })],
  ['an attribute that no policy names', ({ ann, patch }) => patch(`/identities/${ann.id}`, { roleAttributes: ['staff', 'tall'] })],
  ['another name of its policy', ({ policy, patch }) => patch(`/service-policies/${policy}`, { name: 'renamed' })],
  [
    'another way to say who its policy is for',
    ({ policy, ann, patch }) => patch(`/service-policies/${policy}`, { identityRoles: [`@${ann.id}`] }),
  ],
  ['another name of a config of its service', ({ config, patch }) => patch(`/configs/${config}`, { name: 'renamed' })],
  ['the schema of the type of a config', ({ type, patch }) => patch(`/config-types/${type}`, { schema: { type: 'object', title: 'a' } })],
  ['a config of its own that its service has anyhow', (all) => override(all, all.config)],
  ['what its endpoint tells of what nothing asks for', ({ ann }) => ann.tell({ typeId: 'MAC', id: 'any', macAddresses: ['001122334455'] })],
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

  test('the data of a config moves it for whom the config reaches by an override, and not what an override hides', async () => {
    await using app = await open();
    const all = await ground(app);
    const own = await app.create('/configs', { name: 'own', configTypeId: all.type, data: { own: 1 } });
    await override(all, own);
    const times = [await all.last(all.ann)];
    for (const [config, data] of [
      [own, { own: 2 }],
      [all.config, { hidden: true }],
      [own, { own: 3 }],
    ] as const) {
      app.clock.advance('1s');
      await all.patch(`/configs/${config}`, { data });
      times.push(await all.last(all.ann));
    }
    const [before = '', first = '', hidden, second = ''] = times;
    assert.deepEqual([first > before, hidden === first, second > first], [true, true, true]);
  });

  test('it moves when a check fails by time alone: the moment after, and once', async () => {
    await using app = await open();
    const all = await ground(app);
    const check = await checkOf(app, 'mfa', { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: false });
    await all.patch(`/service-policies/${all.policy}`, { postureCheckRoles: [`@${check}`] });
    await all.ann.passCode();
    const passed = app.clock.now();
    const before = await all.last(all.ann);
    app.clock.advance('60s');
    assert.equal(await all.last(all.ann), before);
    app.clock.advance('1ms');
    const failed = new Date(passed + 60_001).toISOString();
    assert.equal(await all.last(all.ann), failed);
    app.clock.advance('20m');
    assert.equal(await all.last(all.ann), failed);
    // A session that asks for the first time is told of what happened before, and one that passes again of that.
    await all.ann.passCode();
    assert.equal((await all.last(all.ann)) > failed, true);
  });

  test('it moves when a grace period ends, also for a session that asks only then', async () => {
    await using app = await open();
    const all = await ground(app);
    const check = await checkOf(app, 'mfa', { typeId: 'MFA', timeoutSeconds: -1, promptOnWake: true, promptOnUnlock: false });
    await all.patch(`/service-policies/${all.policy}`, { postureCheckRoles: [`@${check}`] });
    await all.ann.passCode();
    app.clock.advance('1s');
    const woken = app.clock.now();
    await all.ann.tell({ typeId: 'ENDPOINT_STATE', id: 'any', woken: true, unlocked: false });
    app.clock.advance('400s');
    assert.equal(await all.last(all.ann), new Date(woken + 300_001).toISOString());
  });

  test('before any change it is the beginning of the session; a change is looked at once, and asking without news costs no more than asking for the session', async () => {
    const storage = counting(newStorage(store));
    await using app = await open({ storage, settings: { roleIndexBytes: 0 } });
    const { ann, last, wiki, patch, net } = await ground(app);
    app.clock.advance('1s');
    const as = await ann.login();
    const { createdAt } = (await app.request('GET', '/current-api-session', { as })).body.data;
    const first = await app.request('GET', '/edge/client/v1/current-api-session/service-updates', { as });
    assert.equal(first.body.data.lastChangeAt, createdAt);
    await last(ann);
    const quiet = await costOf(() => last(ann));
    const session = await costOf(() => app.request('GET', '/edge/client/v1/current-api-session', { as: ann.as }));
    assert.ok(quiet <= session, `${quiet} questions, ${session} for the session itself`);
    // A change that concerns nobody's services is read in the log, once.
    await net.router('r');
    assert.equal(await costOf(() => last(ann)), quiet + 1);
    assert.equal(await costOf(() => last(ann)), quiet);
    for (const changes of [1, 30]) {
      for (let i = 0; i < changes; i++) await patch(`/services/${wiki}`, { maxIdleTimeMillis: i });
      assert.ok((await costOf(() => last(ann))) <= quiet + 12);
      assert.equal(await costOf(() => last(ann)), quiet);
    }
  });

  test(
    'one who is further behind than is read, or than is kept, is shown a change, and then compared again',
    notOnPostgres(store),
    async () => {
      await using app = await open({ settings: { changesKept: 3000 } });
      const { ann, last, hidden, wiki, patch } = await ground(app);
      const before = await last(ann);
      app.clock.advance('1s');
      const touch = (times: number) =>
        app.inStore('write', async (entities) => {
          for (let i = 0; i < times; i++) await entities.update(service, await entities.require(service, hidden), { maxIdleTimeMillis: i });
        });
      await touch(2600);
      assert.equal(await last(ann), before, 'the list is the same');
      app.clock.advance('1s');
      await touch(2600);
      await patch(`/services/${wiki}`, { maxIdleTimeMillis: 5 });
      const moved = await last(ann);
      assert.equal(moved > before, true);
      app.clock.advance('1s');
      await touch(3500);
      assert.equal(await last(ann), moved);
      const as = await ann.login();
      await touch(10);
      const asNew = (await app.request('GET', '/edge/client/v1/current-api-session/service-updates', { as })).body.data.lastChangeAt;
      assert.equal(asNew > moved, true);
    },
  );
});
