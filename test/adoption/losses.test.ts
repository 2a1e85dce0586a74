import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdoptionRefused, type LossName } from '../../adopt/conversion/index.ts';
import { restoreSnapshot } from '../../src/index.ts';
import { adoptSeeds, FORMER_ADMIN, openAdopted } from '../support/adopted.ts';
import { SECRET_KEY } from '../support/app.ts';
import { type FormerSeeds, formerAuthority } from '../support/former-in-memory.ts';
import { authority, NOW } from '../support/pki.ts';
import { newSharedStorage } from '../support/stores.ts';

interface Case {
  readonly seeds: FormerSeeds;
  /** The names of the entities that lose something. */
  readonly of: readonly string[];
}

const LATER = new Date(NOW + 60_000);
const edge = { encryptionRequired: true, roleAttributes: [], configs: [] };
const updb = {
  method: 'updb',
  updbUsername: 'user',
  updbSalt: 'MDEyMzQ1Njc4OQ==',
  updbPassword: 'bm90IHRoZSB0YWcgb2YgYW55IHBhc3N3b3JkISEhISE=',
};

const cases: Readonly<Record<LossName, Case>> = {
  bounds: {
    seeds: {
      identities: [
        { id: 'i', name: 'dear', defaultHostingCost: 70_000 },
        { id: 'j', name: 'odd', appData: { deep: [JSON.parse('{"__proto__":1}')] } },
      ],
      externalJwtSigners: [
        { id: 'e', name: 'scripted', issuer: 'i', audience: 'a', jwksEndpoint: 'https://i/k', externalAuthUrl: 'javascript:alert(1)' },
        { id: 'f', name: 'filed', issuer: 'j', audience: 'a', jwksEndpoint: 'file:///etc/passwd' },
      ],
    },
    of: ['scripted', 'filed', 'dear', 'odd'],
  },
  certificates: { seeds: { cas: [{ id: 'c', name: 'torn', certPem: '-----BEGIN CERTIFICATE-----' }] }, of: ['torn'] },
  'claim-pointers': {
    seeds: {
      externalJwtSigners: [{ id: 'e', name: 'signer', issuer: 'i', audience: 'a', jwksEndpoint: 'https://i/k', claimsProperty: '/a~2' }],
    },
    of: ['signer'],
  },
  cluster: {
    seeds: {
      controllers: [
        { id: 'c1', name: 'one', isOnline: true },
        { id: 'c2', name: 'two', isOnline: true },
        { id: 'c3', name: 'three', isOnline: false },
      ],
    },
    of: ['one', 'two'],
  },
  dangling: { seeds: { identities: [{ id: 'i', name: 'lost', authPolicyId: 'gone' }] }, of: ['lost'] },
  'enrollment-methods': {
    seeds: {
      identities: [{ id: 'i', name: 'ann' }],
      enrollments: [{ id: 'e', identity: 'i', method: 'token', token: 't', jwt: 'a.b.c', expiresAt: LATER }],
    },
    of: ['ann'],
  },
  expired: {
    seeds: {
      identities: [{ id: 'i', name: 'late' }],
      enrollments: [{ id: 'e', identity: 'i', method: 'ott', token: 't', jwt: 'a.b.c', expiresAt: new Date(NOW) }],
    },
    of: ['late'],
  },
  'fabric-only': {
    seeds: {
      services: [{ id: 's', name: 'fabric' }],
      routers: [{ id: 'r', name: 'r' }],
      terminators: [{ id: 't', service: 's', router: 'r', binding: 'transport', address: 'a' }],
      identities: [{ id: 'i', name: 'host', serviceHostingCosts: new Map([['s', 1]]) }],
      servicePolicies: [{ id: 'p', name: 'bind', serviceRoles: ['@s'] }],
    },
    of: ['fabric', 'host', 'bind'],
  },
  'instance-secrets': {
    seeds: {
      services: [{ id: 's', name: 's', edge }],
      routers: [{ id: 'r', name: 'r' }],
      terminators: [{ id: 't', service: 's', router: 'r', binding: 'transport', address: 'a', instanceSecret: Uint8Array.of(255) }],
    },
    of: ['t'],
  },
  limits: {
    seeds: {
      identities: [
        { id: 'i', name: 'listed', tags: { list: [1] } },
        { id: 'j', name: 'tagged', tags: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`t${i}`, true])) },
        { id: 'k', name: 'deep', appData: { deep: JSON.parse('[{"a":'.repeat(32) + 1 + '}]'.repeat(32)) } },
        { id: 'l', name: 'n'.repeat(5000) },
        { id: 'm', name: 'fine', tags: { cost: 1.5 }, appData: { deep: JSON.parse('[{"a":'.repeat(31) + 1 + '}]'.repeat(31)) } },
      ],
      services: [{ id: 's', name: 'highly available', terminatorStrategy: 'ha', edge }],
      servicePolicies: [
        { id: 'p', name: 'neither', type: 3 },
        { id: 'q', name: 'bare', type: 1, identityRoles: ['sales'] },
      ],
    },
    of: ['highly available', 'listed', 'tagged', 'deep', `${'n'.repeat(1000)}...`, 'neither', 'bare'],
  },
  nul: { seeds: { identities: [{ id: 'i', name: 'a\0b' }] }, of: ['a\0b'] },
  passwords: {
    seeds: { identities: [{ id: 'i', name: 'ann' }], authenticators: [{ id: 'a', identity: 'i', ...updb, updbSalt: '' }] },
    of: ['ann'],
  },
  permissions: { seeds: { identities: [{ id: 'i', name: 'mighty', permissions: ['service.read', 'moon.fly'] }] }, of: ['mighty'] },
  'posture-checks': { seeds: { postureChecks: [{ id: 'p', name: 'new', typeId: 'SMELL' }] }, of: ['new'] },
  unknown: { seeds: { services: [{ id: 's', name: 'newer', edge, unknown: ['edge.color'] }] }, of: ['newer'] },
};

for (const [name, { seeds, of }] of Object.entries(cases))
  test(`the loss ${name} is reported with its entities, needs a word that allows it, and leaves a network without a fault`, async () => {
    const identities = [FORMER_ADMIN, ...(seeds.identities ?? [])];
    const plan = await adoptSeeds({ ...seeds, identities }, { plan: true });
    assert.deepEqual(
      plan.losses.map((loss) => [loss.name, loss.isAllowed, loss.entities.map((one) => one.name)]),
      [[name, false, of]],
    );
    assert.equal(plan.refusals.length, 1);
    await assert.rejects(openAdopted('memory', seeds), AdoptionRefused);
    await using adopted = await openAdopted('memory', seeds, { allow: [name as LossName] });
    const { database } = adopted.app.controller.api;
    await database.checkIntegrity();
    await adopted.app.settled();
    assert.deepEqual((await database.getIntegrityResults()).results, []);
  });

test('what is allowed to be lost is lost, and nothing else', async () => {
  await using adopted = await openAdopted(
    'memory',
    {
      identities: [
        {
          id: 'i',
          name: 'a\0b',
          permissions: ['service.read', 'moon.fly'],
          defaultHostingCost: 70_000,
          serviceHostingCosts: new Map([
            ['f', 1],
            ['s', 2],
          ]),
        },
      ],
      services: [
        { id: 'f', name: 'fabric' },
        { id: 's', name: 's', edge },
      ],
      servicePolicies: [
        { id: 'p', name: 'p', type: 1, semantic: 'AnyOf', identityRoles: ['@i', '@gone'], serviceRoles: ['@f', '@s', '#all-of-us'] },
      ],
      authPolicies: [
        { id: 'default', name: 'Default' },
        { id: 'strict', name: 'strict', 'secondary.requireExtJwtSigner': 'gone', 'primary.extJwt.allowedSigners': ['gone'] },
      ],
    },
    { allow: ['nul', 'permissions', 'bounds', 'fabric-only', 'dangling'] },
  );
  const { api } = adopted.app.controller;
  const { name, permissions, defaultHostingCost, serviceHostingCosts } = await api.identities.get({ id: 'i' });
  assert.deepEqual(
    { name, permissions, defaultHostingCost, serviceHostingCosts },
    {
      name: 'a\uFFFDb',
      permissions: ['service.read'],
      defaultHostingCost: 65_535,
      serviceHostingCosts: { s: 2 },
    },
  );
  const policy = await api.servicePolicies.get({ id: 'p' });
  assert.deepEqual([policy.identityRoles, policy.serviceRoles], [['@i'], ['#all-of-us', '@s']]);
  // Without its signer, a policy must not become weaker.
  const { primary } = await api.authPolicies.get({ id: 'strict' });
  assert.deepEqual([primary.cert.allowed, primary.updb.allowed, primary.extJwt.allowed], [false, false, false]);
});

test('an authority that does not fit is a refusal: a key of another certificate, a signer below no root', async () => {
  const [fitting, other] = [await formerAuthority(), await authority('other')];
  const refusalsOf = async (changed: object) => (await adoptSeeds({}, { plan: true, authority: { ...fitting, ...changed } })).refusals;
  assert.deepEqual(await refusalsOf({}), []);
  assert.equal((await refusalsOf({ signer: { ...fitting.signer, key: other.key } })).length, 1);
  assert.equal((await refusalsOf({ roots: other.cert })).length, 1);
  await assert.rejects(adoptSeeds({}, { plan: true, allow: ['everything' as LossName] }), /knows the losses bounds, .*, got 'everything'/);
});

test('what is beyond the limits stays as it was, and can neither be written back nor restored', async () => {
  const tags = { list: ['a', { b: 1 }] };
  await using adopted = await openAdopted('memory', { identities: [{ id: 'i', name: 'listed', tags }] } as FormerSeeds, {
    allow: ['limits'],
  });
  const { app } = adopted;
  const shown = await app.controller.api.identities.get({ id: 'i' });
  assert.deepEqual(shown.tags, tags);
  await assert.rejects(app.controller.api.identities.replace({ id: 'i', body: { ...shown, type: 'Default' } }), /is a list/);
  await app.controller.api.database.createSnapshot();
  const restore = async () => {
    await using shared = newSharedStorage('memory');
    await restoreSnapshot({ storage: shared.adapter(), snapshot: [[...app.snapshots.values()].at(-1) ?? ''], secretKey: SECRET_KEY });
  };
  await assert.rejects(restore(), /tags/);
});
