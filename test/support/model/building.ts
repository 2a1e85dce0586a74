import fc from 'fast-check';
import { PASSWORD } from '../app.ts';
import { attributes, type Roles, right, roles, rolesIn, rulesOfEach, semantic, typeId } from './arbitraries.ts';
import { type Command, command, fewer, named } from './command.ts';
import type { Model } from './model.ts';
import type { System } from './system.ts';

/** What networks are built of. */
export const newIdentity = async (model: Model, { app }: System, attributes: string[]) => {
  const name = named('identity');
  const { id } = await app.controller.api.identities.create({ body: { name, type: 'Device', isAdmin: false, roleAttributes: attributes } });
  await app.controller.api.authenticators.create({ body: { identityId: id, method: 'updb', username: name, password: PASSWORD } });
  model.identities.push({ id, name, username: name, attributes, disabledUntil: 0, hasMfa: false, told: [] });
};

export const newService = async (model: Model, { app }: System, attributes: string[]) => {
  const name = named('service');
  const { id } = await app.controller.api.services.create({ body: { name, encryptionRequired: true, roleAttributes: attributes } });
  model.services.push({ id, name, attributes });
};

export const newRouter = async (model: Model, { app }: System, attributes: string[]) => {
  const name = named('router');
  const { id } = await app.controller.api.edgeRouters.create({ body: { name, roleAttributes: attributes } });
  model.routers.push({ id, name, attributes });
};

interface PolicyFields {
  readonly type: 'Dial' | 'Bind';
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly identities: Roles;
  readonly services: Roles;
  readonly checks: Roles;
}
export const rolesOf = (model: Model, { identities, services, checks }: Partial<PolicyFields>) => ({
  ...(identities ? { identityRoles: rolesIn(identities, model.identities) } : {}),
  ...(services ? { serviceRoles: rolesIn(services, model.services) } : {}),
  ...(checks ? { postureCheckRoles: rolesIn(checks, model.checks) } : {}),
});
export const policyFields = { type: right, semantic, identities: roles, services: roles, checks: roles };

export const newPolicy = async (model: Model, { app }: System, { type, semantic, ...given }: PolicyFields) => {
  const fields = { type, semantic, ...(rolesOf(model, given) as Required<ReturnType<typeof rolesOf>>) }; // all three were given
  const { id } = await app.controller.api.servicePolicies.create({ body: { name: named('policy'), ...fields } });
  model.policies.push({ id, ...fields });
};

interface RouterPolicyFields {
  readonly of: 'identities' | 'services';
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly from: Roles;
  readonly to: Roles;
}
export const routerPolicyFields = { of: fc.constantFrom('identities' as const, 'services' as const), semantic, from: roles, to: roles };

export const newRouterPolicy = async (model: Model, { app: { controller } }: System, { of, semantic, from, to }: RouterPolicyFields) => {
  const [own, edgeRouterRoles] = [rolesIn(from, model[of]), rolesIn(to, model.routers)];
  const common = { name: named('policy'), semantic, edgeRouterRoles };
  const { id } =
    of === 'identities'
      ? await controller.api.edgeRouterPolicies.create({ body: { ...common, identityRoles: own } })
      : await controller.api.serviceEdgeRouterPolicies.create({ body: { ...common, serviceRoles: own } });
  model.routerPolicies.push({ id, of, semantic, roles: own, edgeRouterRoles });
};

export const building: readonly fc.WeightedArbitrary<Command>[] = [
  command('new identity', 1, attributes, fewer('identities', 3), newIdentity),
  command('new service', 1, attributes, fewer('services', 3), newService),
  command('new router', 1, attributes, fewer('routers', 2), newRouter),
  command('new policy', 3, fc.record(policyFields), fewer('policies', 5), newPolicy),
  command('new router policy', 1, fc.record(routerPolicyFields), fewer('routerPolicies', 4), newRouterPolicy),
  command('new check', 3, fc.record({ typeId, rulesOfEach, attributes }), fewer('checks', 4), async (model, { app }, drawn) => {
    const name = named('check');
    const rules = drawn.rulesOfEach[drawn.typeId];
    const body = { name, roleAttributes: drawn.attributes, ...rules };
    const { id } = await app.controller.api.postureChecks.create({ body });
    model.checks.push({ id, name, attributes: drawn.attributes, rules });
  }),
];
