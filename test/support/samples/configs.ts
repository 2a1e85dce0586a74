import { aConfig, aType } from './entities.ts';
import { fixed, listed, read, type SamplesOf } from './sample.ts';

export const configTypes: SamplesOf<'configTypes'> = {
  upsert: (app) => configTypes.create(app),
  list: async () => ({ query: 'limit=500' }),
  get: fixed('g7cIWbcGg'),
  create: async () => ({ body: { name: 'a type', schema: { type: 'object' } }, leaves: ['create configType'] }),
  replace: async (app) => ({ id: await aType(app), body: { name: 'a type' }, leaves: ['update configType'] }),
  patch: async (app) => ({ id: await aType(app), body: { tags: { a: 'b' } }, leaves: ['update configType'] }),
  delete: async (app) => ({ id: await aType(app), leaves: ['delete configType'] }),
  listConfigs: async (app) => {
    const id = await aType(app);
    await app.create('/configs', { name: 'a config', configTypeId: id, data: {} });
    return { id };
  },
};

export const configs: SamplesOf<'configs'> = {
  upsert: (app) => configs.create(app),
  list: listed(aConfig),
  get: read(aConfig),
  create: async (app) => ({
    body: { name: 'a config', configTypeId: await aType(app), data: { a: [1] } },
    leaves: ['create config'],
  }),
  replace: async (app) => ({ id: await aConfig(app), body: { name: 'a config', data: {} }, leaves: ['update config'] }),
  patch: async (app) => ({ id: await aConfig(app), body: { data: { b: null } }, leaves: ['update config'] }),
  delete: async (app) => ({ id: await aConfig(app), leaves: ['delete config'] }),
  listServices: async (app) => {
    const id = await aConfig(app);
    await app.create('/services', { name: 'a service', encryptionRequired: true, configs: [id] });
    return { id };
  },
};
