/** What calls need to be there, as an administrator creates it over HTTP. */
import type { App } from '../app.ts';
import type { PrepareSample } from './sample.ts';

export const person = { name: 'ann', type: 'User', isAdmin: false } as const;
/** Selects what carries the attribute `a`. */
export const withRoleA = { semantic: 'AnyOf', identityRoles: ['#a'], serviceRoles: ['#a'] } as const;
/** A posture response. */
export const domainResponse = { typeId: 'DOMAIN', id: 'x', domain: 'a.test' } as const;

export const anIdentity = (app: App) => app.create('/identities', person);
export const aType = (app: App) => app.create('/config-types', { name: 'a type', schema: { type: 'object' } });
export const aConfig = async (app: App) => app.create('/configs', { name: 'a config', configTypeId: await aType(app), data: { a: 1 } });
export const aService = (app: App) => app.create('/services', { name: 'a service', encryptionRequired: true, roleAttributes: ['a'] });
export const anEdgeRouter = (app: App) => app.create('/edge-routers', { name: 'an edge router', roleAttributes: ['a'] });
export const aRouter = (app: App) => app.create('/routers', { name: 'a router' });
export const aCheck = (app: App) =>
  app.create('/posture-checks', { name: 'a check', typeId: 'DOMAIN', domains: ['a.test'], roleAttributes: ['a'] });

export const aServicePolicy = (app: App) => app.create('/service-policies', { name: 'a policy', type: 'Dial', ...withRoleA });
export const aRouterPolicy = (app: App) =>
  app.create('/edge-router-policies', { name: 'a policy', semantic: 'AllOf', identityRoles: ['#a'], edgeRouterRoles: ['#a'] });
export const aServiceRouterPolicy = (app: App) =>
  app.create('/service-edge-router-policies', { name: 'a policy', semantic: 'AllOf', serviceRoles: ['#a'], edgeRouterRoles: ['#a'] });

/** An identity, a service and an edge router that policies join. */
export const aNetwork = async (app: App) => {
  const user = await app.user({ roleAttributes: ['a'] });
  const service = await aService(app);
  const router = await anEdgeRouter(app);
  const policy = await aServicePolicy(app);
  const routerPolicy = await aRouterPolicy(app);
  const serviceRouterPolicy = await aServiceRouterPolicy(app);
  return { user, service, router, policy, routerPolicy, serviceRouterPolicy };
};

type InNetwork = Exclude<keyof Awaited<ReturnType<typeof aNetwork>>, 'user'> | 'identity';

/** A call with the id of a part of a network. */
export const inNetwork =
  (which: InNetwork, query?: string): PrepareSample =>
  async (app) => {
    const network = await aNetwork(app);
    return { id: which === 'identity' ? network.user.id : network[which], ...(query === undefined ? {} : { query }) };
  };
