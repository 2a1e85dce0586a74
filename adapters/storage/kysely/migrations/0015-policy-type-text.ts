import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 15,
  name: 'policy-type-text',
  steps: [{ do: 'addColumn', kind: 'servicePolicy', column: { name: 'type', type: 'string', index: false } }],
};
