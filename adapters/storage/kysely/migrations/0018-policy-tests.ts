import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 18,
  name: 'policy-tests',
  steps: [{ do: 'addKind', kind: { kind: 'policyTest', columns: [{ name: 'name', type: 'string', index: 'unique' }], sets: [] } }],
};
