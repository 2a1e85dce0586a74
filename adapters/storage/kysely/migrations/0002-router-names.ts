import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 2,
  name: 'router-names',
  steps: [{ do: 'addSet', kind: 'router', set: 'serverNames' }],
};
