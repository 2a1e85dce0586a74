import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 3,
  name: 'built-in-rows',
  steps: [{ do: 'addKind', kind: { kind: 'builtInRow', columns: [], sets: [] } }],
};
