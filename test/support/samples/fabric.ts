import type { App } from '../app.ts';
import { aRouter, aService } from './entities.ts';
import { listed, nothing, type PrepareSample, read, type SamplesOf } from './sample.ts';

/** A terminator, and what it joins. */
const joined = async (app: App) => {
  const [service, router] = [await aService(app), await aRouter(app)];
  const terminator = await app.create('/terminators', { service, router, binding: 'transport', address: 'tcp:127.0.0.1:80', cost: 5 });
  return { service, router, terminator };
};

/** A call with the id of a part of it. */
const of =
  (part: keyof Awaited<ReturnType<typeof joined>>): PrepareSample =>
  async (app) => ({ id: (await joined(app))[part] });

const routerBody = { name: 'renamed', cost: 4, noTraversal: true };

export const fabricRouters: SamplesOf<'fabricRouters'> = {
  list: listed(aRouter),
  get: read(aRouter),
  listTerminators: of('router'),
  create: async () => ({ body: { id: 'router-1', ...routerBody }, leaves: ['create router', 'create enrollment'] }),
  replace: async (app) => ({ id: await aRouter(app), body: routerBody, leaves: ['update router'] }),
  patch: async (app) => ({ id: await aRouter(app), body: { cost: 4 }, leaves: ['update router'] }),
  delete: async (app) => ({ id: await aRouter(app), leaves: ['delete enrollment', 'delete router'] }),
};

export const fabricServices: SamplesOf<'fabricServices'> = {
  list: listed(aService),
  get: read(aService),
  listTerminators: of('service'),
  create: async () => ({ body: { name: 'wiki' }, leaves: ['create service'] }),
  replace: async (app) => ({ id: await aService(app), body: { name: 'wiki' }, leaves: ['update service'] }),
  patch: async (app) => ({ id: await aService(app), body: { name: 'wiki' }, leaves: ['update service'] }),
  delete: async (app) => ({ id: await aService(app), leaves: ['delete service'] }),
};

export const fabricTerminators: SamplesOf<'fabricTerminators'> = {
  list: listed(joined),
  get: of('terminator'),
  create: async (app) => {
    const [service, router] = [await aService(app), await aRouter(app)];
    return { body: { service, router, binding: 'transport', address: 'tcp:127.0.0.1:80' }, leaves: ['create terminator'] };
  },
  replace: async (app) => {
    const { service, router, terminator: id } = await joined(app);
    return { id, body: { service, router, binding: 'transport', address: 'tcp:127.0.0.1:81' }, leaves: ['update terminator'] };
  },
  patch: async (app) => ({ id: (await joined(app)).terminator, body: { cost: 7 }, leaves: ['update terminator'] }),
  delete: async (app) => ({ id: (await joined(app)).terminator, leaves: ['delete terminator'] }),
};

/** Only routers that are connected make links and circuits (test/adapters/routers/fabric.test.ts): here there is none to be found. */
const none: PrepareSample = async () => ({ id: 'none', refused: 'NOT_FOUND' });

export const links: SamplesOf<'links'> = {
  list: nothing,
  get: none,
  patch: async () => ({ id: 'none', body: { staticCost: 2 }, refused: 'NOT_FOUND' }),
  delete: none,
};

export const circuits: SamplesOf<'circuits'> = { list: nothing, get: none, delete: none };

export const networkEvents: SamplesOf<'networkEvents'> = {
  follow: nothing,
  toggleTraces: async () => ({ body: { enable: true, appRegex: '.*', pipeRegex: '.*' } }),
};

export const inspections: SamplesOf<'inspections'> = {
  run: async () => ({ body: { appRegex: '.*', requestedValues: ['links'] } }),
};

/** The router is not connected, so it is not asked (test/adapters/routers/repairs.test.ts); that it is to be repaired is recorded. */
export const validations: SamplesOf<'validations'> = {
  terminators: async (app) => ({ ...(await terminatorAtRouter(app)) }),
  repairTerminators: async (app) => ({ ...(await terminatorAtRouter(app)), leaves: ['create routerRepair'] }),
  dataModel: read(aRouter),
  repairDataModel: async (app) => ({ id: await aRouter(app), leaves: ['create routerRepair'] }),
};

const terminatorAtRouter = async (app: App) => {
  const { router, terminator } = await joined(app);
  return { id: router, body: { terminators: [terminator] } };
};
