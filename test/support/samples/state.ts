import { nothing, type SamplesOf } from './sample.ts';

const document = { services: [{ name: 'wiki', encryptionRequired: true }] };

export const state: SamplesOf<'state'> = {
  export: nothing,
  plan: async () => ({ body: { document } }),
  apply: async () => ({ body: { document }, leaves: ['create service'] }),
};
