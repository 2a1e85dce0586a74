import { fixed, listed, nothing, type SamplesOf } from './sample.ts';

export const controllers: SamplesOf<'controllers'> = {
  list: nothing,
  listMembers: nothing,
};

export const changes: SamplesOf<'changes'> = {
  list: nothing,
  follow: async () => ({ query: 'after=0' }),
};

export const audit: SamplesOf<'audit'> = {
  list: nothing,
  export: nothing,
  head: nothing,
  verify: nothing,
};

export const database: SamplesOf<'database'> = {
  checkIntegrity: nothing,
  fixIntegrity: nothing,
  getIntegrityResults: listed((app) => app.request('POST', '/database/check-data-integrity')),
  createSnapshot: nothing,
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
