import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type App, onEveryStore } from '../support/app.ts';
import { textOf } from '../support/declared-state.ts';
import { numRuns } from '../support/stores.ts';

const E = '/edge/management/extensions/v1';

/** Names that every object of JavaScript has, or that a careless escape would confuse with these. */
const NAMES = ['__proto__', '\\__proto__', '\\\\__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
const names = fc.subarray(NAMES, { minLength: 1 });
/** No body may have a key `__proto__`, so that neither a tag nor a role attribute with an end can have this name. */
const keys = fc.subarray(NAMES.filter((name) => name !== '__proto__'));

interface Network {
  readonly services: readonly string[];
  readonly configTypes: readonly string[];
  readonly attributes: readonly string[];
  readonly keys: readonly string[];
}

const networks = fc.record({ services: names, configTypes: names, attributes: names, keys });

/** A network in which everything has these names, and in which they are keys wherever they may be. */
const build = async (app: App, network: Network) => {
  const { api } = app.controller;
  const configs: string[] = [];
  for (const name of network.configTypes) {
    const { id } = await api.configTypes.create({ body: { name } });
    const data = Object.fromEntries(network.keys.map((key) => [key, key]));
    configs.push((await api.configs.create({ body: { name, configTypeId: id, data } })).id);
  }
  const services: string[] = [];
  for (const name of network.services)
    services.push(
      (await api.services.create({ body: { name, encryptionRequired: true, configs, roleAttributes: [...network.attributes] } })).id,
    );
  const tags = Object.fromEntries(network.keys.map((key) => [key, key]));
  const validUntil = '2031-01-01T00:00:00Z';
  const user = await app.user({
    name: '__proto__',
    roleAttributes: network.attributes,
    roleAttributeGrants: Object.fromEntries(network.keys.map((key) => [key, { validUntil }])),
    serviceHostingCosts: Object.fromEntries(services.map((id) => [id, 7])),
    serviceHostingPrecedences: Object.fromEntries(services.map((id) => [id, 'required'])),
    tags,
  });
  const body = {
    name: 'constructor',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: network.attributes.map((each) => `#${each}`),
  } as const;
  await api.servicePolicies.create({ body });
  return user;
};

onEveryStore('names that objects of JavaScript have', (open, store) => {
  test('are names like any other: in documents of the state, in the configs of services, and in reports', async () => {
    await fc.assert(
      fc.asyncProperty(networks, async (network) => {
        await using app = await open();
        const user = await build(app, network);
        const { api } = app.controller;

        const document = (await app.request('GET', `${E}/state`)).body.data;
        assert.deepEqual((await api.state.plan({ body: { document } })).operations, []);
        await using empty = await open();
        const planned = await empty.request('POST', `${E}/state/plan`, { body: { document } });
        assert.equal(planned.status, 200, planned.text);
        const applied = await empty.request('POST', `${E}/state/apply`, { body: planned.body.data });
        assert.equal(applied.status, 200, applied.text);
        assert.equal(textOf(await empty.controller.api.state.export()), textOf(await api.state.export()));
        const [identity] = (await empty.controller.api.identities.list({ filter: 'name = "__proto__"' })).data;
        assert.deepEqual(
          Object.values(identity?.serviceHostingCosts ?? {}),
          network.services.map(() => 7),
        );
        assert.deepEqual(Object.keys(identity?.tags ?? {}).sort(), [...network.keys].sort());

        const as = await user.login();
        const { body } = await app.request('GET', '/edge/client/v1/services?configTypes=all', { as });
        assert.equal(body.data.length, network.services.length);
        for (const { config } of body.data) assert.deepEqual(Object.keys(config).sort(), [...network.configTypes].sort());
        const { entries } = await api.access.reach({ identityId: user.id });
        assert.deepEqual(entries.map(({ service }) => service.name).sort(), [...network.services].sort());
      }),
      numRuns(store, 10),
    );
  });
});
