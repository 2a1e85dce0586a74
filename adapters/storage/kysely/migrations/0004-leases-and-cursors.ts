import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 4,
  name: 'leases-and-cursors',
  steps: [
    { do: 'addKind', kind: { kind: 'lease', columns: [], sets: [] } },
    { do: 'addKind', kind: { kind: 'cursor', columns: [], sets: [] } },
  ],
};
