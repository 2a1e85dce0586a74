import { aCheck, aRouterPolicy, aServicePolicy, aServiceRouterPolicy, inNetwork, withRoleA } from './entities.ts';
import { listed, read, type SamplesOf } from './sample.ts';

export const servicePolicies: SamplesOf<'servicePolicies'> = {
  upsert: (app) => servicePolicies.create(app),
  list: listed(aServicePolicy),
  get: read(aServicePolicy),
  create: async () => ({ body: { name: 'a policy', type: 'Bind', ...withRoleA }, leaves: ['create servicePolicy'] }),
  replace: async (app) => ({
    id: await aServicePolicy(app),
    body: { name: 'a policy', type: 'Bind', semantic: 'AllOf' },
    leaves: ['update servicePolicy'],
  }),
  patch: async (app) => ({
    id: await aServicePolicy(app),
    body: { identityRoles: ['#all'] },
    leaves: ['update servicePolicy'],
  }),
  delete: async (app) => ({ id: await aServicePolicy(app), leaves: ['delete servicePolicy'] }),
  listIdentities: inNetwork('policy'),
  listServices: inNetwork('policy'),
  listPostureChecks: async (app) => {
    await aCheck(app);
    return { id: await app.create('/service-policies', { name: 'a policy', type: 'Dial', ...withRoleA, postureCheckRoles: ['#a'] }) };
  },
};

export const edgeRouterPolicies: SamplesOf<'edgeRouterPolicies'> = {
  upsert: (app) => edgeRouterPolicies.create(app),
  list: listed(aRouterPolicy),
  get: read(aRouterPolicy),
  create: async () => ({ body: { name: 'a policy', semantic: 'AllOf' }, leaves: ['create edgeRouterPolicy'] }),
  replace: async (app) => ({
    id: await aRouterPolicy(app),
    body: { name: 'a policy', semantic: 'AnyOf' },
    leaves: ['update edgeRouterPolicy'],
  }),
  patch: async (app) => ({ id: await aRouterPolicy(app), body: { name: 'x' }, leaves: ['update edgeRouterPolicy'] }),
  delete: async (app) => ({ id: await aRouterPolicy(app), leaves: ['delete edgeRouterPolicy'] }),
  listIdentities: inNetwork('routerPolicy'),
  listEdgeRouters: inNetwork('routerPolicy'),
};

export const serviceEdgeRouterPolicies: SamplesOf<'serviceEdgeRouterPolicies'> = {
  upsert: (app) => serviceEdgeRouterPolicies.create(app),
  list: listed(aServiceRouterPolicy),
  get: read(aServiceRouterPolicy),
  create: async () => ({
    body: { name: 'a policy', semantic: 'AllOf' },
    leaves: ['create serviceEdgeRouterPolicy'],
  }),
  replace: async (app) => ({
    id: await aServiceRouterPolicy(app),
    body: { name: 'a policy', semantic: 'AnyOf' },
    leaves: ['update serviceEdgeRouterPolicy'],
  }),
  patch: async (app) => ({
    id: await aServiceRouterPolicy(app),
    body: { name: 'x' },
    leaves: ['update serviceEdgeRouterPolicy'],
  }),
  delete: async (app) => ({ id: await aServiceRouterPolicy(app), leaves: ['delete serviceEdgeRouterPolicy'] }),
  listEdgeRouters: inNetwork('serviceRouterPolicy'),
  listServices: inNetwork('serviceRouterPolicy'),
};
