import { byUser } from './callers.ts';
import { aCheck, domainResponse, withRoleA } from './entities.ts';
import { fixed, nothing, read, type SamplesOf } from './sample.ts';

export const postureChecks: SamplesOf<'postureChecks'> = {
  upsert: (app) => postureChecks.create(app),
  addRoleAttributes: async (app) => ({ id: await aCheck(app), body: { roleAttributes: ['new'] }, leaves: ['update postureCheck'] }),
  removeRoleAttributes: async (app) => ({ id: await aCheck(app), body: { roleAttributes: ['new'] } }),
  list: async (app) => {
    await aCheck(app);
    await app.create('/posture-checks', { name: 'another', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] });
    return { query: 'filter=true limit none&roleFilter=%23a&sort=typeId' };
  },
  get: read(aCheck),
  create: async () => ({
    body: { name: 'a check', typeId: 'PROCESS', process: { osType: 'Linux', path: '/a' } },
    leaves: ['create postureCheck'],
  }),
  replace: async (app) => ({
    id: await aCheck(app),
    body: { name: 'a check', typeId: 'DOMAIN', domains: ['b.test'] },
    leaves: ['update postureCheck'],
  }),
  patch: async (app) => ({ id: await aCheck(app), body: { typeId: 'DOMAIN', name: 'x' }, leaves: ['update postureCheck'] }),
  delete: async (app) => ({ id: await aCheck(app), leaves: ['delete postureCheck'] }),
  listServicePolicies: async (app) => {
    await app.create('/service-policies', { name: 'a policy', type: 'Dial', ...withRoleA, postureCheckRoles: ['#a'] });
    return { id: await aCheck(app) };
  },
};

export const postureCheckTypes: SamplesOf<'postureCheckTypes'> = {
  list: nothing,
  get: fixed('PROCESS_MULTI'),
};

export const postureResponses: SamplesOf<'postureResponses'> = {
  create: byUser({ body: domainResponse, leaves: ['create postureData'] }),
  createBulk: byUser({
    body: [domainResponse, { typeId: 'ENDPOINT_STATE', id: 'x', woken: true }],
    leaves: ['create postureData', 'update apiSession'],
  }),
};
