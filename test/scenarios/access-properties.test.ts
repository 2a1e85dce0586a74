import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluateAccess, evaluatePermissions } from '../../src/access/evaluation/evaluate.ts';
import { postureOf } from '../../src/access/posture/posture.ts';
import { selects } from '../../src/access/roles/membership.ts';
import type { RowOf } from '../../src/contract/api/kit/resource.ts';
import { postureCheck } from '../../src/contract/api/posture-checks/index.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { numRuns } from '../support/stores.ts';

const ATTRIBUTES = ['a', 'b', 'c', 'd', 'all'];
const ENTITIES = 4;

const attributes = fc.uniqueArray(fc.constantFrom(...ATTRIBUTES), { maxLength: 3 });
/** Ids are written as the number of the entity. */
const roles = fc.oneof(
  { weight: 1, arbitrary: fc.constant(['#all']) },
  {
    weight: 6,
    arbitrary: fc.uniqueArray(
      fc.oneof(
        fc.constantFrom(...ATTRIBUTES.filter((name) => name !== 'all'), 'nobody', '').map((name) => `#${name}`),
        fc.nat(ENTITIES - 1).map((i) => `@${i}`),
      ),
      { maxLength: 4 },
    ),
  },
);
const policy = fc.record({
  type: fc.constantFrom('Dial' as const, 'Bind' as const),
  semantic: fc.constantFrom('AllOf' as const, 'AnyOf' as const),
  identityRoles: roles,
  serviceRoles: roles,
  postureCheckRoles: fc.oneof(fc.constant([]), roles),
});
const networks = fc.record({
  identities: fc.array(attributes, { minLength: ENTITIES, maxLength: ENTITIES }),
  services: fc.array(attributes, { minLength: ENTITIES, maxLength: ENTITIES }),
  /** Checks of the domain, which pass when it is `yes`. */
  checks: fc.array(fc.record({ roleAttributes: attributes, domains: fc.constantFrom<string[]>(['yes'], ['no'], ['yes', 'no']) }), {
    minLength: ENTITIES,
    maxLength: ENTITIES,
  }),
  policies: fc.array(policy, { maxLength: 7 }),
});

type Check = RowOf<typeof postureCheck>;
type DomainCheck = Extract<Check, { readonly typeId: 'DOMAIN' }>;
const isDomainCheck = (check: Check): check is DomainCheck => check.typeId === 'DOMAIN';

type Network = typeof networks extends fc.Arbitrary<infer N> ? N : never;

/** Makes the network, and reads back what was made. */
const build = async (app: App, { identities, services, checks, policies }: Network) => {
  const { controller } = app;
  const made = { identities: [] as string[], services: [] as string[], checks: [] as string[] };
  for (const [i, roleAttributes] of identities.entries())
    made.identities.push(
      (await controller.api.identities.create({ body: { name: `i${i}`, type: 'Device', isAdmin: false, roleAttributes } })).id,
    );
  for (const [i, roleAttributes] of services.entries())
    made.services.push((await controller.api.services.create({ body: { name: `s${i}`, encryptionRequired: true, roleAttributes } })).id);
  for (const [i, check] of checks.entries())
    made.checks.push((await controller.api.postureChecks.create({ body: { name: `c${i}`, typeId: 'DOMAIN', ...check } })).id);
  const named = (roles: readonly string[], ids: readonly string[]) =>
    roles.map((role) => (role.startsWith('@') ? `@${ids[Number(role.slice(1))]}` : role));
  for (const [i, { identityRoles, serviceRoles, postureCheckRoles, ...rest }] of policies.entries())
    await controller.api.servicePolicies.create({
      body: {
        name: `p${i}`,
        ...rest,
        identityRoles: named(identityRoles, made.identities),
        serviceRoles: named(serviceRoles, made.services),
        postureCheckRoles: named(postureCheckRoles, made.checks),
      },
    });
  const all = { limit: -1 } as const;
  const carrying = ({ id, roleAttributes }: { readonly id: string; readonly roleAttributes: readonly string[] | null }) => ({
    id,
    roleAttributes: roleAttributes ?? [],
  });
  return {
    identities: (await controller.api.identities.list(all)).data.map(carrying),
    services: (await controller.api.services.list(all)).data.map(carrying),
    checks: (await app.inStore('read', (entities) => entities.list(postureCheck, { where: { op: 'all' } }))).filter(isDomainCheck),
    policies: (await controller.api.servicePolicies.list(all)).data.map(({ identityRoles, serviceRoles, postureCheckRoles, ...rest }) => ({
      ...rest,
      identityRoles: identityRoles ?? [],
      serviceRoles: serviceRoles ?? [],
      postureCheckRoles: postureCheckRoles ?? [],
    })),
  };
};

const ids = (page: { readonly data: readonly { readonly id: string }[] }) => page.data.map(({ id }) => id);
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

onEveryStore('access in random networks', (open, store) => {
  test('lists, policy advice and the evaluator agree, entity by entity', proves(3, 15, 30, 34), async () => {
    await fc.assert(
      fc.asyncProperty(networks, async (random) => {
        await using app = await open();
        const { controller } = app;
        const { identities, services, checks, policies } = await build(app, random);
        const all = { limit: -1 } as const;
        for (const identity of identities) {
          const { id } = identity;
          const may = (right: 'dial' | 'bind') =>
            idsOf(services.filter((service) => evaluatePermissions(policies, identity, service)[right]));
          assert.deepEqual(ids(await controller.api.identities.listServices({ id, policyType: 'dial', ...all })), may('dial'));
          assert.deepEqual(ids(await controller.api.identities.listServices({ id, policyType: 'bind', ...all })), may('bind'));
          const selecting = policies.filter(({ semantic, identityRoles }) => selects({ semantic, roles: identityRoles }, identity));
          assert.deepEqual(ids(await controller.api.identities.listServicePolicies({ id, ...all })), idsOf(selecting));
        }
        for (const service of services) {
          const { id } = service;
          const may = identities.filter((identity) => evaluatePermissions(policies, identity, service).granting.length > 0);
          assert.deepEqual(ids(await controller.api.services.listIdentities({ id, ...all })), idsOf(may));
          for (const identity of identities) {
            const { dial, bind } = evaluatePermissions(policies, identity, service);
            const advice = await controller.api.identities.getPolicyAdvice({ id: identity.id, serviceId: id });
            assert.deepEqual([advice.isDialAllowed ?? false, advice.isBindAllowed ?? false], [dial, bind]);
          }
        }
        for (const { id, semantic, identityRoles, serviceRoles, postureCheckRoles } of policies) {
          const selected = <E extends { id: string; roleAttributes: readonly string[] }>(of: readonly E[], roles: readonly string[]) =>
            idsOf(of.filter((entity) => selects({ semantic, roles }, entity)));
          assert.deepEqual(ids(await controller.api.servicePolicies.listIdentities({ id, ...all })), selected(identities, identityRoles));
          assert.deepEqual(ids(await controller.api.servicePolicies.listServices({ id, ...all })), selected(services, serviceRoles));
          assert.deepEqual(
            ids(await controller.api.servicePolicies.listPostureChecks({ id, ...all })),
            selected(checks, postureCheckRoles),
          );
        }
      }),
      numRuns(store, 25),
    );
  });

  test('what a client lists is what it may dial or bind, with the permissions that the evaluator gives', proves(192), async () => {
    await fc.assert(
      fc.asyncProperty(networks, async (random) => {
        await using app = await open();
        const { identities, services, policies } = await build(app, random);
        const [identity = { id: '', roleAttributes: [] }] = identities.filter(({ roleAttributes }) => roleAttributes.length > 0);
        if (identity.id === '') return;
        await app.create('/authenticators', { identityId: identity.id, method: 'updb', username: 'client', password: 'the-password' });
        const as = (await app.login('client', 'the-password')).body.data.token;
        const { data } = (await app.request('GET', '/edge/client/v1/services?limit=500', { as })).body;
        const expected = services.flatMap((service) => {
          const { dial, bind, granting } = evaluatePermissions(policies, identity, service);
          return granting.length === 0 ? [] : [[service.id, [...(bind ? ['Bind'] : []), ...(dial ? ['Dial'] : [])], granting.length]];
        });
        type Item = { id: string; permissions: string[]; postureQueries: object[] };
        assert.deepEqual(
          data.map(({ id, permissions, postureQueries }: Item) => [id, permissions, postureQueries.length]),
          expected,
        );
      }),
      numRuns(store, 15),
    );
  });

  test('queries, explanations and the evaluator agree on who may do what now', proves(7, 12, 246), async () => {
    await fc.assert(
      fc.asyncProperty(networks, fc.constantFrom('yes', 'no', undefined), async (random, told) => {
        await using app = await open();
        const { identities, services, checks, policies } = await build(app, random);
        const [who = { id: '', roleAttributes: [] }] = identities.filter(({ roleAttributes }) => roleAttributes.length > 0);
        if (who.id === '') return;
        await app.create('/authenticators', { identityId: who.id, method: 'updb', username: 'client', password: 'the-password' });
        const as = (await app.login('client', 'the-password')).body.data.token;
        const body = { typeId: 'DOMAIN', id: 'x', domain: told };
        if (told) assert.equal((await app.request('POST', '/edge/client/v1/posture-response', { as, body })).status, 201);
        const posture = postureOf(checks, told ? { domain: { domain: told } } : {}, app.clock.now());
        const passes = ({ semantic, postureCheckRoles: roles }: (typeof policies)[number]) =>
          checks.every((check) => !selects({ semantic, roles }, check) || check.domains.includes(told ?? ''));
        const listed = (await app.request('GET', '/edge/client/v1/services?limit=500', { as })).body.data;
        for (const service of services) {
          const { permissions, results, ...may } = evaluateAccess(policies, who, service, posture);
          const byHand = (type: string) => permissions.granting.some((policy) => policy.type === type && passes(policy));
          assert.deepEqual(may, { dial: byHand('Dial'), bind: byHand('Bind') });
          const queries = listed.find(({ id }: { id: string }) => id === service.id)?.postureQueries ?? [];
          assert.deepEqual(
            queries.map(({ policyId, isPassing }: { policyId: string; isPassing: boolean }) => [policyId, isPassing]),
            results.map(({ policy, isPassing }) => [policy.id, isPassing]),
          );
          for (const [type, isAllowed] of [
            ['Dial', may.dial],
            ['Bind', may.bind],
          ] as const) {
            const explained = await app.controller.api.access.explain({ identityId: who.id, serviceId: service.id, type });
            assert.equal(explained.isAllowed, isAllowed);
            assert.equal(explained.isPermitted, type === 'Dial' ? permissions.dial : permissions.bind);
          }
        }
      }),
      numRuns(store, 25),
    );
  });
});
