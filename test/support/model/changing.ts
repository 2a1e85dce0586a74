import assert from 'node:assert/strict';
import fc from 'fast-check';
import { attributes, minutes, roles, rolesIn, rulesOfEach, semantic, which } from './arbitraries.ts';
import { policyFields, rolesOf } from './building.ts';
import { always, type Command, command, named, pick, some } from './command.ts';
import { type Entity, forget, type Model } from './model.ts';
import { outcomeOf, type System } from './system.ts';

/** The kinds that carry role attributes. */
const KINDS = ['identities', 'services', 'routers', 'checks'] as const;
/** Those that an administrator names, and that are found by their names nowhere. */
const NAMED = ['identities', 'services', 'routers'] as const;
const operationsOf = ({ app: { controller } }: System) => ({
  identities: controller.api.identities,
  services: controller.api.services,
  routers: controller.api.edgeRouters,
  policies: controller.api.servicePolicies,
});

/** What administrators do to what is there. */
export const changing: readonly fc.WeightedArbitrary<Command>[] = [
  command(
    'attributes',
    4,
    fc.record({ kind: fc.constantFrom(...KINDS), which, attributes }),
    always,
    async (model, system, { kind, which, attributes }) => {
      const entity = pick<Model[typeof kind][number] | undefined>(model[kind], which);
      if (!entity) return;
      if (kind === 'checks') {
        const { typeId } = pick(model.checks, which).rules;
        await system.app.controller.api.postureChecks.patch({ id: entity.id, body: { typeId, roleAttributes: attributes } });
      } else await operationsOf(system)[kind].patch({ id: entity.id, body: { roleAttributes: attributes } });
      entity.attributes = attributes;
    },
  ),
  command(
    'policy',
    5,
    fc.record({ which, fields: fc.record(policyFields, { requiredKeys: [] }) }),
    some('policies'),
    async (model, { app }, { which, fields }) => {
      const policy = pick(model.policies, which);
      const { identities: _, services: __, checks: ___, ...rest } = fields;
      const changes = { ...rest, ...rolesOf(model, fields) };
      await app.controller.api.servicePolicies.patch({ id: policy.id, body: changes });
      Object.assign(policy, changes);
    },
  ),
  command('replace policy', 2, fc.record({ which, fields: fc.record(policyFields) }), some('policies'), async (model, { app }, drawn) => {
    const policy = pick(model.policies, drawn.which);
    const { type, semantic } = drawn.fields;
    const roles = rolesOf(model, drawn.fields);
    // What a replace leaves out is empty.
    const { postureCheckRoles = [], ...given } = roles;
    const body = { name: named('policy'), type, semantic, ...given, ...(postureCheckRoles.length > 0 ? { postureCheckRoles } : {}) };
    await app.controller.api.servicePolicies.replace({ id: policy.id, body });
    Object.assign(policy, { type, semantic, ...given, postureCheckRoles });
  }),
  command(
    'router policy',
    4,
    fc.record({ which, fields: fc.record({ semantic, from: roles, to: roles }, { requiredKeys: [] }) }),
    some('routerPolicies'),
    async (model, { app }, { which, fields: { semantic, from, to } }) => {
      const policy = pick(model.routerPolicies, which);
      const own = from && rolesIn(from, model[policy.of]);
      const common = { ...(semantic ? { semantic } : {}), ...(to ? { edgeRouterRoles: rolesIn(to, model.routers) } : {}) };
      const { edgeRouterPolicies, serviceEdgeRouterPolicies } = app.controller.api;
      if (policy.of === 'identities')
        await edgeRouterPolicies.patch({ id: policy.id, body: { ...common, ...(own ? { identityRoles: own } : {}) } });
      else await serviceEdgeRouterPolicies.patch({ id: policy.id, body: { ...common, ...(own ? { serviceRoles: own } : {}) } });
      Object.assign(policy, common, own ? { roles: own } : {});
    },
  ),
  command('replace', 4, fc.record({ kind: fc.constantFrom(...NAMED), which, attributes }), always, async (model, system, drawn) => {
    const entity = pick<Entity | undefined>(model[drawn.kind], drawn.which);
    if (!entity) return;
    const name = named('renamed');
    // None are not given, which takes away those that there were.
    const body = { name, ...(drawn.attributes.length > 0 ? { roleAttributes: drawn.attributes } : {}) };
    const { identities, services, routers } = operationsOf(system);
    if (drawn.kind === 'identities') await identities.replace({ id: entity.id, body: { ...body, type: 'Device', isAdmin: false } });
    else if (drawn.kind === 'services') await services.replace({ id: entity.id, body: { ...body, encryptionRequired: true } });
    else await routers.replace({ id: entity.id, body });
    Object.assign(entity, { name, attributes: drawn.attributes });
  }),
  command('refused', 2, fc.record({ kind: fc.constantFrom(...NAMED), which, attributes }), always, async (model, system, drawn) => {
    const entities: readonly Entity[] = model[drawn.kind];
    const entity = pick<Entity | undefined>(entities, drawn.which);
    if (!entity) return;
    const taken = entities.find(({ id }) => id !== entity.id)?.name;
    for (const name of ['', ...(taken === undefined ? [] : [taken])]) {
      const body = { name, roleAttributes: drawn.attributes };
      const refused = () => operationsOf(system)[drawn.kind].patch({ id: entity.id, body });
      assert.equal(await outcomeOf(refused), 'COULD_NOT_VALIDATE');
    }
  }),
  command('check', 3, fc.record({ which, rulesOfEach }), some('checks'), async (model, { app }, drawn) => {
    const check = pick(model.checks, drawn.which);
    const rules = drawn.rulesOfEach[check.rules.typeId];
    const body = { name: check.name, roleAttributes: [...check.attributes], ...rules };
    await app.controller.api.postureChecks.replace({ id: check.id, body });
    check.rules = rules;
  }),
  command(
    'delete',
    2,
    fc.record({ kind: fc.constantFrom(...KINDS, 'policies', 'routerPolicies'), which }),
    always,
    async (model, system, { kind, which }) => {
      const list: { readonly id: string }[] = model[kind];
      const gone = pick<{ readonly id: string } | undefined>(list, which);
      if (!gone) return;
      const { controller } = system.app;
      if (kind === 'checks') await controller.api.postureChecks.delete({ id: gone.id });
      else if (kind === 'routerPolicies') {
        const { of } = pick(model.routerPolicies, which);
        await (of === 'identities' ? controller.api.edgeRouterPolicies : controller.api.serviceEdgeRouterPolicies).delete({ id: gone.id });
      } else await operationsOf(system)[kind].delete({ id: gone.id });
      list.splice(list.indexOf(gone), 1);
      forget(model, gone.id);
    },
  ),
  command('disable', 1, fc.record({ which, minutes }), some('identities'), async (model, { app }, { which, minutes }) => {
    const identity = pick(model.identities, which);
    await app.controller.api.identities.disable({ id: identity.id, body: { durationMinutes: minutes } });
    identity.disabledUntil = minutes === 0 ? Infinity : model.now + minutes * 60_000;
  }),
  command('enable', 1, which, some('identities'), async (model, { app }, n) => {
    const identity = pick(model.identities, n);
    await app.controller.api.identities.enable({ id: identity.id });
    identity.disabledUntil = 0;
  }),
  command('end MFA', 1, which, some('identities'), async (model, { app, secrets }, n) => {
    const identity = pick(model.identities, n);
    await app.controller.api.identities.deleteMfa({ id: identity.id });
    secrets.delete(identity.id);
    identity.hasMfa = false;
    for (const login of model.logins) if (login.identityId === identity.id) login.passedAt = undefined;
  }),
];
