import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 17,
  name: 'idempotency',
  steps: [
    {
      do: 'addKind',
      kind: {
        kind: 'idempotencyKey',
        columns: [
          { name: 'caller', type: 'string', index: true },
          { name: 'expiresAt', type: 'date', index: true },
        ],
        sets: [],
      },
    },
  ],
};
