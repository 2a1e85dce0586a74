import type { SamplesOf } from './sample.ts';

export const batch: SamplesOf<'batch'> = {
  run: async () => ({
    body: { operations: [{ operation: 'identities.create', input: { body: { name: 'a batched one', type: 'User', isAdmin: false } } }] },
    leaves: ['create identity'],
  }),
};
