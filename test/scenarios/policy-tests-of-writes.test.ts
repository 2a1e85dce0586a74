import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { evaluatePermissions } from '../../src/access/evaluation/evaluate.ts';
import { brokenTests } from '../../src/access/policy-tests/broken-tests.ts';
import { identity, policyTest, service, servicePolicy } from '../../src/contract/api/kinds.ts';
import type { Entities } from '../../src/store/entities/entities.ts';
import { onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { network } from '../support/network.ts';
import { numRuns } from '../support/stores.ts';

test('a write evaluates only the policy tests whose outcome the fields that it changes decide', async () => {
  const { storage, asked } = counted(memoryStorage());
  await using app = await openApp('memory', { storage, secretKey: SECRET_KEY, settings: { roleIndexBytes: 0 } });
  const net = network(app);
  const [ann, bob] = [await net.identity('ann', 'sales'), await net.identity('bob', 'sales')];
  const [crm, erp] = [await net.service('crm', 'internal'), await net.service('erp', 'internal')];
  const policy = await net.dial({ identities: ['#sales'], services: ['#internal'] });
  const { identities, services, servicePolicies, policyTests } = app.controller.api;
  const { id } = await policyTests.create({ body: { name: 'ann dials', identityId: ann, serviceId: crm, expect: 'dial' } });
  await policyTests.create({ body: { name: 'sales dials', identityAttributes: ['sales'], serviceId: crm, expect: 'dial' } });
  /** What a write asks for policy tests, and for the policies that decide about them. */
  const evaluations = async (work: () => Promise<unknown>) =>
    (await asked(work)).filter((each) => each === 'list policyTest' || each === 'list servicePolicy').join(', ');

  const tags = { a: 'b' };
  for (const [name, work] of Object.entries({
    'tags of an identity': () => identities.patch({ id: ann, body: { tags } }),
    'other fields of an identity': () =>
      identities.patch({ id: ann, body: { name: 'anna', appData: tags, externalId: 'e', isAdmin: true } }),
    'the same role attributes': () => identities.patch({ id: ann, body: { roleAttributes: ['sales'], defaultHostingCost: 7 } }),
    'an identity that is disabled': () => identities.disable({ id: bob, body: { durationMinutes: 5 } }),
    'tags of a service': () => services.patch({ id: crm, body: { tags } }),
    'other fields of a service': () => services.patch({ id: crm, body: { name: 'old crm', configs: [] } }),
    'tags of a policy': () => servicePolicies.patch({ id: policy, body: { tags } }),
    'other fields of a policy': () =>
      servicePolicies.patch({ id: policy, body: { name: 'p', reason: 'r', validUntil: '2099-01-01T00:00:00Z' } }),
    'posture checks of a policy': () => servicePolicies.patch({ id: policy, body: { postureCheckRoles: ['#none'] } }),
    'the name of a test': () => policyTests.patch({ id, body: { name: 'anna dials', reason: 'r', tags } }),
  }))
    assert.equal(await evaluations(work), '', name);
  for (const [name, work] of Object.entries({
    'an identity that no test names': () => identities.patch({ id: bob, body: { roleAttributes: ['sales', 'more'] } }),
    'a service that no test names': () => services.patch({ id: erp, body: { roleAttributes: ['internal', 'more'] } }),
  }))
    assert.equal(await evaluations(work), 'list policyTest', name);
  for (const [name, work] of Object.entries({
    'an identity that a test names': () => identities.patch({ id: ann, body: { roleAttributes: ['sales', 'more'] } }),
    'a service that a test names': () => services.patch({ id: crm, body: { roleAttributes: ['internal', 'more'] } }),
    'the roles of a policy': () => servicePolicies.patch({ id: policy, body: { identityRoles: ['#sales', '#more'] } }),
    'what a test says': () => policyTests.patch({ id, body: { identityId: bob } }),
  }))
    assert.equal(await evaluations(work), 'list policyTest, list servicePolicy', name);
});

test('a policy test that fails already can be renamed', async () => {
  await using app = await openApp('memory');
  const crm = await network(app).service('crm', 'internal');
  const { policyTests } = app.controller.api;
  const body = { name: 'staff dials', identityAttributes: ['staff'], serviceId: crm, expect: 'dial' } as const;
  const { id } = await policyTests.create({ body }, { overrideTests: true, reason: 'a policy follows' });
  await policyTests.patch({ id, body: { name: 'the staff dials' } });
  await assert.rejects(policyTests.patch({ id, body: { expect: 'bind' } }), { code: 'POLICY_TESTS_BROKEN' });
});

const attributes = fc.constantFrom(['a'], ['b'], ['a', 'b'], []);
const rolesOf = (kind: string) => fc.constantFrom(['#a', '#b'], ['#a'], ['#b', `@${kind}-0`], [`@${kind}-1`], []);
const fields = {
  identity: { roleAttributes: attributes, tags: fc.object({ maxDepth: 0 }), isAdmin: fc.boolean() },
  service: { roleAttributes: attributes, encryptionRequired: fc.boolean() },
  servicePolicy: {
    type: fc.constantFrom('Dial', 'Bind', 'Invalid'),
    semantic: fc.constantFrom('AllOf', 'AnyOf'),
    identityRoles: rolesOf('identity'),
    serviceRoles: rolesOf('service'),
    postureCheckRoles: fc.constantFrom([], ['#all']),
  },
  policyTest: {
    identityId: fc.constantFrom(...[0, 1].map((n) => `identity-${n}`)),
    serviceId: fc.constantFrom(...[0, 1].map((n) => `service-${n}`)),
    expect: fc.constantFrom('dial', 'bind', 'none'),
    tags: fc.object({ maxDepth: 0 }),
  },
};
const kinds = { identity, service, servicePolicy, policyTest } as const;
type Changed = keyof typeof kinds;
const names = Object.keys(kinds) as Changed[];

interface SomeChange {
  readonly kind: Changed;
  readonly at: number;
  readonly isGone: boolean;
  /** One field, so that nothing else that changes with it hides that it counts. */
  readonly fields: object;
}

const changeOf = (kind: Changed): fc.Arbitrary<SomeChange> =>
  fc.record({
    kind: fc.constant(kind),
    at: fc.nat(30),
    isGone: fc.nat(9).map((n) => n === 0),
    fields: fc.oneof(
      ...Object.entries<fc.Arbitrary<unknown>>(fields[kind]).map(([field, value]) => value.map((given) => ({ [field]: given }))),
    ),
  });
const someChanges = fc.array(fc.oneof(...names.map((kind) => ({ weight: kind === 'servicePolicy' ? 4 : 1, arbitrary: changeOf(kind) }))), {
  minLength: 1,
  maxLength: 2,
});

const EXPECTED = ['dial', 'bind', 'none'] as const;
const TESTS = 18;
const ALL = { where: { op: 'all' } } as const;

/** The ids of the tests that do not hold, each evaluated by itself, against every policy. */
const failingNaively = async (entities: Entities): Promise<ReadonlySet<string>> => {
  const [who, what, policies, tests] = [
    await entities.list(identity, ALL),
    await entities.list(service, ALL),
    await entities.list(servicePolicy, ALL),
    await entities.list(policyTest, ALL),
  ];
  return new Set(
    tests.flatMap(({ id, identityId, identityAttributes, serviceId, expect }) => {
      const subject = identityId ? who.find((row) => row.id === identityId) : { id: '', roleAttributes: identityAttributes ?? [] };
      const target = what.find((row) => row.id === serviceId);
      const { dial, bind } = subject && target ? evaluatePermissions(policies, subject, target) : { dial: false, bind: false };
      return { none: !dial && !bind, dial, bind }[expect] ? [] : [id];
    }),
  );
};

/** Writes beneath the operations, which would refuse some of these states. Entities that are gone come back with the same id. */
const apply = async (entities: Entities, { kind: name, at, isGone, fields: given }: SomeChange): Promise<void> => {
  const kind = kinds[name];
  const id = `${name}-${at % (name === 'policyTest' ? TESTS : 2)}`;
  const row = await entities.get(kind, id);
  // Rows as the store takes them, with the fields that tests of policies need.
  if (row && isGone && name !== 'policyTest') await entities.remove(kind, row as never);
  else if (row) await entities.update(kind, row as never, given as never);
  else await entities.insert(kind, { ...initial(name), ...given, id, name: id } as never);
};

const initial = (name: Changed): object =>
  name === 'servicePolicy'
    ? { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#a', '#b'], serviceRoles: ['#a'], postureCheckRoles: [] }
    : { roleAttributes: ['a'], isAdmin: false };

onEveryStore('the policy tests that a write breaks', (open, store) => {
  test('are those that fail after it and held before, or say something new, whichever fields it changes', async () => {
    await using app = await open();
    await app.inStore('write', async (entities) => {
      // Every identity and every service of the network, and one with an attribute, with each expectation.
      for (let at = 0; at < TESTS; at++) {
        const who = at % 3;
        const [id, serviceId, expect] = [`policyTest-${at}`, `service-${Math.floor(at / 3) % 2}`, EXPECTED[Math.floor(at / 6)] ?? 'none'];
        const subject =
          who === 2 ? { identityId: null, identityAttributes: ['a'] } : { identityId: `identity-${who}`, identityAttributes: [] };
        await entities.insert(policyTest, { id, name: id, ...subject, serviceId, expect, reason: null });
      }
    });
    const saying = async (entities: Entities) =>
      new Map(
        (await entities.list(policyTest, ALL)).map(({ id, expect, serviceId, identityId, identityAttributes }) => [
          id,
          JSON.stringify([expect, serviceId, identityId, identityAttributes]),
        ]),
      );
    await fc.assert(
      fc.asyncProperty(someChanges, async (changes) => {
        await app.inStore('write', async (entities) => {
          const [before, said] = [await failingNaively(entities), await saying(entities)];
          for (const change of changes) await apply(entities, change);
          const [after, says] = [await failingNaively(entities), await saying(entities)];
          const expected = [...after].filter((id) => !before.has(id) || said.get(id) !== says.get(id));
          const broken = (await brokenTests(entities)).map(({ id }) => id);
          // A test that was changed back and forth counts as written.
          assert.deepEqual(broken.filter((id) => expected.includes(id)).sort(), expected.sort());
          assert.ok(broken.every((id) => after.has(id)));
        });
      }),
      numRuns(store, store === 'memory' ? 600 : 150),
    );
  });
});
