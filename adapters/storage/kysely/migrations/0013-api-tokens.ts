import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 13,
  name: 'api-tokens',
  steps: [
    {
      do: 'addKind',
      kind: {
        kind: 'apiToken',
        columns: [
          { name: 'identityId', type: 'string', index: true },
          { name: 'name', type: 'string', index: false },
          { name: 'isAdmin', type: 'boolean', index: false },
          { name: 'expiresAt', type: 'date', index: true },
        ],
        sets: [],
      },
    },
  ],
};
