import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 21,
  name: 'router-repairs',
  steps: [{ do: 'addKind', kind: { kind: 'routerRepair', columns: [], sets: [] } }],
};
