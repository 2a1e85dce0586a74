import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 12,
  name: 'router-configs',
  steps: [{ do: 'addSet', kind: 'router', set: 'configs' }],
};
