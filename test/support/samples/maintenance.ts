import type { App } from '../app.ts';
import { fixed, listed, nothing, type PrepareSample, type SamplesOf } from './sample.ts';

export const controllers: SamplesOf<'controllers'> = {
  list: nothing,
  listMembers: nothing,
  getHealth: nothing,
};

export const changes: SamplesOf<'changes'> = {
  list: nothing,
  follow: async () => ({ query: 'after=0' }),
};

const ofService =
  (create: (app: App) => Promise<object>): PrepareSample =>
  async (app) => {
    const id = await app.create('/services', { name: 'a service with a history', encryptionRequired: true });
    return { id: 'service', other: id, ...(await create(app)) };
  };

export const history: SamplesOf<'history'> = {
  list: ofService(async () => ({})),
  get: ofService(async (app) => ({ query: `revision=${await lastRevision(app)}` })),
  revert: ofService(async (app) => {
    const revision = await lastRevision(app);
    const [{ id } = { id: '' }] = await app.rows('service');
    await app.request('PATCH', `/services/${id}`, { body: { tags: { changed: true } } });
    return { body: { revision }, leaves: ['update service'] };
  }),
};

const lastRevision = (app: App): Promise<number> => app.inStore('read', (entities) => entities.revision());

export const audit: SamplesOf<'audit'> = {
  list: nothing,
  export: nothing,
  head: nothing,
  verify: nothing,
};

const asCsv: PrepareSample = async () => ({ query: 'format=csv' });

/** Only routers that are connected make entries (test/adapters/routers/journal.test.ts). Without any, a CSV file has its heading. */
export const journal: SamplesOf<'journal'> = {
  list: nothing,
  export: asCsv,
};

export const usage: SamplesOf<'usage'> = {
  list: nothing,
  export: asCsv,
};

/** Only routers that are connected have a load (test/adapters/routers/traffic-history.test.ts). */
export const traffic: SamplesOf<'traffic'> = { history: nothing };

export const database: SamplesOf<'database'> = {
  checkIntegrity: nothing,
  fixIntegrity: nothing,
  getIntegrityResults: listed((app) => app.request('POST', '/database/check-data-integrity')),
  createSnapshot: nothing,
  createSnapshotWithPath: async () => ({ body: {} }),
  getSnapshot: nothing,
};

export const trust: SamplesOf<'trust'> = {
  listNetworkJwts: nothing,
  authorities: nothing,
};

export const informational: SamplesOf<'informational'> = {
  root: nothing,
  version: nothing,
  capabilities: nothing,
  routerCapabilities: nothing,
  protocols: nothing,
  listSpecs: nothing,
  getSpec: fixed('edge-client'),
  getSpecBody: fixed('edge-management'),
  swagger: nothing,
  openapi: nothing,
  summary: nothing,
};
