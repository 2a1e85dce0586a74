import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import { type AdoptionOptions, AdoptionRefused, adoptFormerNetwork } from '../../adopt/conversion/index.ts';
import { ManagementController } from '../../src/controller/controller.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { frozenClock } from '../support/clock.ts';
import { type FormerSeeds, formerAuthority, formerInMemory } from '../support/former-in-memory.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const platform = webPlatform({ clock: frozenClock(), logger: { error: console.error, warn: () => undefined, info: () => undefined } });

const adopting = async (seeds: FormerSeeds, options: Partial<AdoptionOptions> = {}) =>
  adoptFormerNetwork({ former: formerInMemory(seeds), authority: await formerAuthority(), secretKey: SECRET_KEY, platform, ...options });

const ADMIN = { id: 'adm.in-1', name: 'Default Admin', isAdmin: true, isDefaultAdmin: true };

for (const store of stores)
  test(`on ${store}, an adopted network shows what the former one had`, async () => {
    await using shared = newSharedStorage(store);
    const report = await adopting(
      {
        identities: [
          ADMIN,
          {
            id: 'ann',
            name: 'ann',
            type: 'Device',
            roleAttributes: ['sales', 'eu'],
            externalId: 'Ann@Example.org',
            defaultHostingCost: 7,
            defaultHostingPrecedence: 2,
            serviceHostingCosts: new Map([['s1', 3]]),
            serviceHostingPrecedences: new Map([['s1', 1]]),
            appData: { desk: { floor: 3 } },
            tags: { cost: 12.5, team: 'a', old: null },
            envInfoOs: 'linux',
            serviceConfigs: new Map([['s1', new Map([['t1', 'c2']])]]),
          },
        ],
        authPolicies: [{ id: 'default', name: 'Default', 'primary.updb.maxAttempts': 4 }],
        services: [
          {
            id: 's1',
            name: 'crm',
            maxIdleTime: 3_000_000,
            terminatorStrategy: 'sticky',
            edge: { encryptionRequired: true, roleAttributes: ['web'], configs: ['c1'] },
          },
        ],
        configTypes: [
          { id: 't1', name: 'crm.v1', schema: '{"type":"object"}' },
          { id: 't2', name: 'any', schema: null },
        ],
        configs: [
          { id: 'c1', name: 'crm', type: 't1', data: { port: 1 } },
          { id: 'c2', name: 'crm of ann', type: 't1', data: { port: 2 } },
        ],
        servicePolicies: [
          { id: 'p1', name: 'sales dial', type: 1, semantic: 'AnyOf', identityRoles: ['#sales', '@ann'], serviceRoles: ['#all'] },
        ],
        authenticators: [
          {
            id: 'a1',
            method: 'updb',
            identity: 'adm.in-1',
            updbUsername: 'admin',
            // Argon2id of `former password` with 3,072 KiB, one pass and four lanes.
            updbSalt: 'MDEyMzQ1Njc4OQ==',
            updbPassword: 'bm90IHRoZSB0YWcgb2YgYW55IHBhc3N3b3JkISEhISE=',
          },
        ],
      },
      { storage: shared.adapter() },
    );
    assert.deepEqual(report.losses, []);
    assert.equal(report.isAdopted, true);
    const controller = await ManagementController.open({
      storage: shared.adapter(),
      secretKey: SECRET_KEY,
      platform,
      settings: { address: 'https://old.example.org' },
    });
    try {
      assert.equal(controller.firstAdministrator, undefined);
      const { api } = controller;
      const ann = await api.identities.get({ id: 'ann' });
      assert.partialDeepStrictEqual(ann, {
        name: 'ann',
        typeId: 'Default',
        roleAttributes: ['eu', 'sales'],
        externalId: 'Ann@Example.org',
        defaultHostingCost: 7,
        defaultHostingPrecedence: 'failed',
        serviceHostingCosts: { s1: 3 },
        serviceHostingPrecedences: { s1: 'required' },
        appData: { desk: { floor: 3 } },
        tags: { cost: 12.5, team: 'a', old: null },
        envInfo: { os: 'linux' },
        createdAt: '2026-08-09T06:00:00.000Z',
        updatedAt: '2026-09-24T13:06:39.877Z',
        authPolicyId: 'default',
      });
      assert.equal((await api.authPolicies.get({ id: 'default' })).primary.updb.maxAttempts, 4);
      assert.partialDeepStrictEqual(await api.services.get({ id: 's1' }), {
        maxIdleTimeMillis: 3,
        terminatorStrategy: 'sticky',
        roleAttributes: ['web'],
      });
      assert.deepEqual((await api.configTypes.get({ id: 't2' })).schema, null);
      assert.deepEqual(
        (await api.configTypes.list({ filter: 'name = "host.v1"' })).data.map(({ id }) => id),
        ['NH5p4FpGR'],
      );
      const seen = await api.services.list({ asIdentity: 'ann', configTypes: ['all'] });
      assert.deepEqual(
        seen.data.map(({ id, permissions, config }) => ({ id, permissions, config })),
        [{ id: 's1', permissions: ['Dial'], config: { 'crm.v1': { port: 2 } } }],
      );
      assert.partialDeepStrictEqual((await api.authenticators.list()).data, [{ id: 'a1', username: 'admin', identityId: 'adm.in-1' }]);
    } finally {
      await controller.close();
    }
  });

test('a plan tells the same and writes nothing', async () => {
  const database = memoryDatabase();
  const storage = () => memoryStorage({ database });
  const seeds: FormerSeeds = { identities: [ADMIN], services: [{ id: 'f', name: 'fabric' }] };
  const plan = await adopting(seeds, { storage: storage(), plan: true, allow: ['fabric-only'] });
  assert.deepEqual(
    plan.losses.map(({ name, count, entities }) => ({ name, count, names: entities.map((one) => one.name) })),
    [{ name: 'fabric-only', count: 1, names: ['fabric'] }],
  );
  const { isAdopted, revision, ...told } = await adopting(seeds, { storage: storage(), allow: ['fabric-only'] });
  assert.ok(isAdopted && revision > 0);
  const { isAdopted: _, revision: none, ...planned } = plan;
  assert.equal(none, 0);
  assert.deepEqual(told, planned);
});

test('without a word that allows it, nothing is lost and nothing adopted', async () => {
  const database = memoryDatabase();
  const seeds: FormerSeeds = { identities: [ADMIN], services: [{ id: 'f', name: 'fabric' }] };
  await assert.rejects(adopting(seeds, { storage: memoryStorage({ database }) }), (error) => {
    assert.ok(error instanceof AdoptionRefused);
    assert.match(error.message, /fabric-only \(1\)/);
    return true;
  });
  await adopting(seeds, { storage: memoryStorage({ database }), allow: ['fabric-only'] });
  await assert.rejects(adopting(seeds, { storage: memoryStorage({ database }), allow: ['fabric-only'] }), /into an empty store only/);
});
