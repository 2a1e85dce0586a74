import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 11,
  name: 'config-targets',
  steps: [{ do: 'addColumn', kind: 'configType', column: { name: 'target', type: 'string', index: false } }],
};
