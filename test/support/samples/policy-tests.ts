import type { App } from '../app.ts';
import { aService } from './entities.ts';
import { listed, read, type SamplesOf } from './sample.ts';

const E = '/edge/management/extensions/v1';

const aTest = async (app: App): Promise<string> => app.create(`${E}/policy-tests`, await body(app));
const body = async (app: App) => ({ name: 'a test', identityAttributes: ['a'], serviceId: await aService(app), expect: 'none' });

export const policyTests: SamplesOf<'policyTests'> = {
  list: listed(aTest),
  get: read(aTest),
  create: async (app) => ({ body: await body(app), leaves: ['create policyTest'] }),
  replace: async (app) => {
    const id = await aTest(app);
    const [row] = await app.rows('service');
    return { id, body: { name: 'b', serviceId: row?.id, expect: 'none' }, leaves: ['update policyTest'] };
  },
  patch: async (app) => ({ id: await aTest(app), body: { name: 'x' }, leaves: ['update policyTest'] }),
  delete: async (app) => ({ id: await aTest(app), leaves: ['delete policyTest'] }),
};
