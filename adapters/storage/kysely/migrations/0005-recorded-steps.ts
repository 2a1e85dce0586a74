import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 5,
  name: 'recorded-steps',
  steps: [{ do: 'recordSteps' }],
};
