import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 7,
  name: 'tenants',
  steps: [
    {
      do: 'addKind',
      kind: {
        kind: 'tenant',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'erasedAfter', type: 'date', index: true },
        ],
        sets: [],
      },
    },
  ],
};
