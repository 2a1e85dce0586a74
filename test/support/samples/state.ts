import { nothing, type SamplesOf } from './sample.ts';

const lines = '{"services":{"name":"wiki","encryptionRequired":true}}\n';
const document = { services: [{ name: 'wiki', encryptionRequired: true }] };

export const state: SamplesOf<'state'> = {
  export: nothing,
  plan: async () => ({ body: { document } }),
  apply: async () => ({ body: { document }, leaves: ['create service'] }),
  exportLines: nothing,
  planLines: async () => ({ body: lines }),
  applyLines: async () => ({ body: lines, leaves: ['create service'] }),
};
