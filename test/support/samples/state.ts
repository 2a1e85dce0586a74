import { nothing, type SamplesOf } from './sample.ts';

export const state: SamplesOf<'state'> = {
  export: nothing,
  plan: async () => ({ body: { document: { services: [{ name: 'wiki', encryptionRequired: true }] } } }),
};
