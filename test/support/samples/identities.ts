import type { App } from '../app.ts';
import { toEnroll } from '../enrolling.ts';
import { enrollMfa } from '../mfa.ts';
import { withMfa } from './callers.ts';
import { aCheck, aConfig, aNetwork, anEdgeRouter, anIdentity, aService, domainResponse, inNetwork, person } from './entities.ts';
import { fixed, listed, nothing, read, type SamplesOf } from './sample.ts';

/** An identity, and a service with a config of its own. */
const withServiceConfig = async (app: App) => {
  const [id, serviceId, configId] = [await anIdentity(app), await aService(app), await aConfig(app)];
  return { id, body: [{ serviceId, configId }] };
};

export const identities: SamplesOf<'identities'> = {
  upsert: (app) => identities.create(app),
  addRoleAttributes: async (app) => ({ id: await anIdentity(app), body: { roleAttributes: ['new'] }, leaves: ['update identity'] }),
  removeRoleAttributes: async (app) => ({ id: await anIdentity(app), body: { roleAttributes: ['new'] } }),
  list: async (app) => {
    await app.user({ roleAttributes: ['a'], tags: { a: true }, appData: { b: [1] } });
    return { query: 'filter=true limit none&roleFilter=%23a&roleFilter=%40x&sort=name' };
  },
  get: read(anIdentity),
  create: async () => ({ body: person, leaves: ['create identity'] }),
  replace: async (app) => ({ id: await anIdentity(app), body: person, leaves: ['update identity'] }),
  patch: async (app) => ({ id: await anIdentity(app), body: { isAdmin: true }, leaves: ['update identity'] }),
  delete: async (app) => ({ id: await anIdentity(app), leaves: ['delete identity'] }),
  trace: async (app) => ({
    id: await anIdentity(app),
    body: { enabled: true, duration: '5m', traceId: 'x', channels: ['all'] },
    leaves: ['create trace'],
  }),
  disable: async (app) => ({ id: await anIdentity(app), body: { durationMinutes: 5 }, leaves: ['update identity'] }),
  enable: async (app) => {
    const id = await anIdentity(app);
    await app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 5 } });
    return { id, leaves: ['update identity'] };
  },
  deleteMfa: async (app) => {
    const { user } = await withMfa(app, enrollMfa);
    return { id: user.id, leaves: ['update apiSession', 'delete mfa'] };
  },
  listAuthenticators: read(async (app) => (await app.user()).id),
  listEnrollments: read(async (app) => (await toEnroll(app)).identityId),
  listServices: inNetwork('identity', 'policyType=dial'),
  listServicePolicies: inNetwork('identity'),
  listEdgeRouterPolicies: inNetwork('identity'),
  listEdgeRouters: inNetwork('identity'),
  getPostureData: async (app) => {
    const user = await app.user();
    await app.request('POST', '/edge/client/v1/posture-response', { as: await user.login(), body: domainResponse });
    return { id: user.id };
  },
  getFailedServiceRequests: async (app) => {
    const { user, service, policy } = await aNetwork(app);
    await aCheck(app);
    await app.request('PATCH', `/service-policies/${policy}`, { body: { postureCheckRoles: ['#a'] } });
    await app.request('POST', '/edge/client/v1/sessions', { as: await user.login(), body: { serviceId: service } });
    return { id: user.id };
  },
  getPolicyAdvice: async (app) => {
    const { user, service } = await aNetwork(app);
    return { id: user.id, other: service };
  },
  listServiceConfigs: async (app) => {
    const { id, body } = await withServiceConfig(app);
    await app.request('POST', `/identities/${id}/service-configs`, { body });
    return { id };
  },
  assignServiceConfigs: async (app) => ({ ...(await withServiceConfig(app)), leaves: ['create serviceConfig'] }),
  removeServiceConfigs: async (app) => {
    const { id, body } = await withServiceConfig(app);
    await app.request('POST', `/identities/${id}/service-configs`, { body });
    return { id, body, leaves: ['delete serviceConfig'] };
  },
};

export const identityTypes: SamplesOf<'identityTypes'> = {
  list: nothing,
  get: fixed('Router'),
};

export const roleAttributes: SamplesOf<'roleAttributes'> = {
  identities: listed((app) => app.user({ roleAttributes: ['a', 'b'] })),
  services: listed(aService),
  postureChecks: listed(aCheck),
  edgeRouters: listed(anEdgeRouter),
  identityUsage: listed((app) => app.user({ roleAttributes: ['a', 'b'] })),
  serviceUsage: listed(aService),
  postureCheckUsage: listed(aCheck),
  edgeRouterUsage: listed(anEdgeRouter),
};
