import type { App } from '../app.ts';
import { aService } from './entities.ts';
import { listed, read, type SamplesOf } from './sample.ts';

const E = '/edge/management/extensions/v1';

const aTest = async (app: App): Promise<string> => app.create(`${E}/policy-tests`, await body(app));
/** Holds in every network, because a policy of its own grants what it expects. */
const body = async (app: App) => {
  const serviceId = await aService(app);
  const policy = { name: 'a policy of a test', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#a'], serviceRoles: [`@${serviceId}`] };
  await app.create('/service-policies', policy);
  return { name: 'a test', identityAttributes: ['a'], serviceId, expect: 'dial' };
};

export const policyTests: SamplesOf<'policyTests'> = {
  list: listed(aTest),
  get: read(aTest),
  create: async (app) => ({ body: await body(app), leaves: ['create policyTest'] }),
  replace: async (app) => {
    const id = await aTest(app);
    const serviceId = (await app.rows('policyTest')).find((row) => row.id === id)?.serviceId;
    return { id, body: { name: 'b', identityAttributes: ['a'], serviceId, expect: 'dial' }, leaves: ['update policyTest'] };
  },
  patch: async (app) => ({ id: await aTest(app), body: { name: 'x' }, leaves: ['update policyTest'] }),
  delete: async (app) => ({ id: await aTest(app), leaves: ['delete policyTest'] }),
};
