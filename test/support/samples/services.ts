import type { App } from '../app.ts';
import { aConfig, aNetwork, anEdgeRouter, aRouter, aService, inNetwork } from './entities.ts';
import { listed, type PrepareSample, read, type SamplesOf } from './sample.ts';

const aTerminator = async (app: App) =>
  app.create('/terminators', { service: await aService(app), router: await aRouter(app), binding: 'edge', address: 'x' });

/** A service, for one who may dial it. */
const asClient: PrepareSample = async (app) => {
  const { user, service } = await aNetwork(app);
  return { id: service, as: await user.login() };
};

export const services: SamplesOf<'services'> = {
  upsert: (app) => services.create(app),
  addRoleAttributes: async (app) => ({ id: await aService(app), body: { roleAttributes: ['new'] }, leaves: ['update service'] }),
  removeRoleAttributes: async (app) => ({ id: await aService(app), body: { roleAttributes: ['new'] } }),
  list: async (app) => {
    const { user } = await aNetwork(app);
    return { query: `asIdentity=${user.id}&configTypes=all&sort=name` };
  },
  get: read(aService),
  create: async () => ({ body: { name: 'a service', encryptionRequired: false }, leaves: ['create service'] }),
  replace: async (app) => ({ id: await aService(app), body: { name: 'a service' }, leaves: ['update service'] }),
  patch: async (app) => ({ id: await aService(app), body: { maxIdleTimeMillis: 5 }, leaves: ['update service'] }),
  delete: async (app) => ({ id: await aService(app), leaves: ['delete service'] }),
  listConfigs: async (app) => ({
    id: await app.create('/services', { name: 'a service', encryptionRequired: true, configs: [await aConfig(app)] }),
  }),
  listEdgeRouters: inNetwork('service'),
  listIdentities: inNetwork('service', 'policyType=dial'),
  listServicePolicies: inNetwork('service'),
  listServiceEdgeRouterPolicies: inNetwork('service'),
  listTerminators: async (app) => {
    const id = await aService(app);
    await app.create('/terminators', { service: id, router: await aRouter(app), binding: 'edge', address: 'x' });
    return { id };
  },
};

export const accessibleServices: SamplesOf<'accessibleServices'> = {
  list: asClient,
  get: asClient,
  listTerminators: async (app) => {
    const { user, service, router } = await aNetwork(app);
    await app.create('/terminators', { service, router, binding: 'edge', address: 'x', identity: 'i' });
    return { id: service, as: await user.login() };
  },
  getEdgeRouters: asClient,
};

export const access: SamplesOf<'access'> = {
  explain: async (app) => {
    const { user, service } = await aNetwork(app);
    return { id: user.id, other: service, query: 'type=Bind' };
  },
  matrix: async (app) => {
    await aNetwork(app);
    return { query: 'type=Dial&limit=1' };
  },
  whoCan: async (app) => ({ id: (await aNetwork(app)).service }),
  preview: async (app) => {
    const { user } = await aNetwork(app);
    return { body: { operations: [{ operation: 'identities.delete', input: { id: user.id } }] } };
  },
  compare: async (app) => {
    await aNetwork(app);
    return { query: 'from=1' };
  },
  reach: async (app) => ({ id: (await aNetwork(app)).user.id }),
};

export const terminators: SamplesOf<'terminators'> = {
  list: listed(aTerminator),
  get: read(aTerminator),
  create: async (app) => ({
    body: { service: await aService(app), router: await aRouter(app), binding: 'edge', address: 'x', identitySecret: 'c2VjcmV0' },
    leaves: ['create terminator'],
  }),
  replace: async (app) => ({
    id: await aTerminator(app),
    body: { service: 'x', router: await anEdgeRouter(app), binding: '', address: 'udp:x' },
    leaves: ['update terminator'],
  }),
  patch: async (app) => ({ id: await aTerminator(app), body: { precedence: 'failed' }, leaves: ['update terminator'] }),
  delete: async (app) => ({ id: await aTerminator(app), leaves: ['delete terminator'] }),
};
