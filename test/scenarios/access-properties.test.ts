import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluatePermissions } from '../../src/domain/access/evaluate.ts';
import { selects } from '../../src/domain/roles/membership.ts';
import { type App, onEveryStore } from '../support/app.ts';

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
});
const networks = fc.record({
  identities: fc.array(attributes, { minLength: ENTITIES, maxLength: ENTITIES }),
  services: fc.array(attributes, { minLength: ENTITIES, maxLength: ENTITIES }),
  policies: fc.array(policy, { maxLength: 7 }),
});

type Network = typeof networks extends fc.Arbitrary<infer N> ? N : never;

/** Makes the network, and reads back what was made. */
const build = async ({ controller }: App, { identities, services, policies }: Network) => {
  const made = { identities: [] as string[], services: [] as string[] };
  for (const [i, roleAttributes] of identities.entries())
    made.identities.push(
      (await controller.identities.create({ body: { name: `i${i}`, type: 'Device', isAdmin: false, roleAttributes } })).id,
    );
  for (const [i, roleAttributes] of services.entries())
    made.services.push((await controller.services.create({ body: { name: `s${i}`, encryptionRequired: true, roleAttributes } })).id);
  const named = (roles: readonly string[], ids: readonly string[]) =>
    roles.map((role) => (role.startsWith('@') ? `@${ids[Number(role.slice(1))]}` : role));
  for (const [i, { identityRoles, serviceRoles, ...rest }] of policies.entries())
    await controller.servicePolicies.create({
      body: {
        name: `p${i}`,
        ...rest,
        identityRoles: named(identityRoles, made.identities),
        serviceRoles: named(serviceRoles, made.services),
      },
    });
  const all = { limit: -1 } as const;
  const carrying = ({ id, roleAttributes }: { readonly id: string; readonly roleAttributes: readonly string[] | null }) => ({
    id,
    roleAttributes: roleAttributes ?? [],
  });
  return {
    identities: (await controller.identities.list(all)).data.map(carrying),
    services: (await controller.services.list(all)).data.map(carrying),
    policies: (await controller.servicePolicies.list(all)).data.map(({ identityRoles, serviceRoles, postureCheckRoles, ...rest }) => ({
      ...rest,
      identityRoles: identityRoles ?? [],
      serviceRoles: serviceRoles ?? [],
      postureCheckRoles: postureCheckRoles ?? [],
    })),
  };
};

const ids = (page: { readonly data: readonly { readonly id: string }[] }) => page.data.map(({ id }) => id);
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

onEveryStore('access in random networks', (open) => {
  test('lists, policy advice and the evaluator agree, entity by entity', async () => {
    await fc.assert(
      fc.asyncProperty(networks, async (random) => {
        await using app = await open();
        const { controller } = app;
        const { identities, services, policies } = await build(app, random);
        const all = { limit: -1 } as const;
        for (const identity of identities) {
          const { id } = identity;
          const may = (right: 'dial' | 'bind') =>
            idsOf(services.filter((service) => evaluatePermissions(policies, identity, service)[right]));
          assert.deepEqual(ids(await controller.identities.listServices({ id, policyType: 'dial', ...all })), may('dial'));
          assert.deepEqual(ids(await controller.identities.listServices({ id, policyType: 'bind', ...all })), may('bind'));
          const selecting = policies.filter(({ semantic, identityRoles }) => selects({ semantic, roles: identityRoles }, identity));
          assert.deepEqual(ids(await controller.identities.listServicePolicies({ id, ...all })), idsOf(selecting));
        }
        for (const service of services) {
          const { id } = service;
          const may = identities.filter((identity) => evaluatePermissions(policies, identity, service).granting.length > 0);
          assert.deepEqual(ids(await controller.services.listIdentities({ id, ...all })), idsOf(may));
          for (const identity of identities) {
            const { dial, bind } = evaluatePermissions(policies, identity, service);
            const advice = await controller.identities.getPolicyAdvice({ id: identity.id, serviceId: id });
            assert.deepEqual([advice.isDialAllowed ?? false, advice.isBindAllowed ?? false], [dial, bind]);
          }
        }
        for (const { id, semantic, identityRoles, serviceRoles } of policies) {
          const selected = <E extends { id: string; roleAttributes: readonly string[] }>(of: readonly E[], roles: readonly string[]) =>
            idsOf(of.filter((entity) => selects({ semantic, roles }, entity)));
          assert.deepEqual(ids(await controller.servicePolicies.listIdentities({ id, ...all })), selected(identities, identityRoles));
          assert.deepEqual(ids(await controller.servicePolicies.listServices({ id, ...all })), selected(services, serviceRoles));
        }
      }),
      { numRuns: 25 },
    );
  });

  test('what a client lists is what it may dial or bind, with the permissions that the evaluator gives', async () => {
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
      { numRuns: 15 },
    );
  });
});
