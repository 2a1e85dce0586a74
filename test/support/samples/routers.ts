import { anEdgeRouter, aRouter, inNetwork } from './entities.ts';
import { listed, read, type SamplesOf } from './sample.ts';

export const edgeRouters: SamplesOf<'edgeRouters'> = {
  upsert: (app) => edgeRouters.create(app),
  addRoleAttributes: async (app) => ({ id: await anEdgeRouter(app), body: { roleAttributes: ['new'] }, leaves: ['update edgeRouter'] }),
  removeRoleAttributes: async (app) => ({ id: await anEdgeRouter(app), body: { roleAttributes: ['new'] } }),
  list: listed(anEdgeRouter),
  get: read(anEdgeRouter),
  create: async () => ({
    body: { name: 'an edge router', isTunnelerEnabled: true },
    leaves: ['create edgeRouter', 'create identity', 'create edgeRouterPolicy', 'create enrollment'],
  }),
  replace: async (app) => ({ id: await anEdgeRouter(app), body: { name: 'an edge router' }, leaves: ['update edgeRouter'] }),
  patch: async (app) => ({ id: await anEdgeRouter(app), body: { cost: 5 }, leaves: ['update edgeRouter'] }),
  delete: async (app) => ({ id: await anEdgeRouter(app), leaves: ['delete enrollment', 'delete edgeRouter'] }),
  reEnroll: async (app) => ({
    id: await anEdgeRouter(app),
    leaves: ['delete enrollment', 'update edgeRouter', 'create enrollment'],
  }),
  listEdgeRouterPolicies: inNetwork('router'),
  listIdentities: inNetwork('router'),
  listServiceEdgeRouterPolicies: inNetwork('router'),
  listServices: inNetwork('router'),
};

export const routers: SamplesOf<'routers'> = {
  list: listed(aRouter),
  get: read(aRouter),
  create: async () => ({ body: { name: 'a router', cost: 5 }, leaves: ['create router', 'create enrollment'] }),
  replace: async (app) => ({ id: await aRouter(app), body: { name: 'x' }, leaves: ['update router'] }),
  patch: async (app) => ({ id: await aRouter(app), body: { disabled: true }, leaves: ['update router'] }),
  delete: async (app) => ({ id: await aRouter(app), leaves: ['delete enrollment', 'delete router'] }),
};

/** The same under its older path. */
export const transitRouters: SamplesOf<'transitRouters'> = routers;
