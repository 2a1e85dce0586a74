import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 19,
  name: 'end-counts',
  steps: [
    {
      do: 'addKind',
      kind: {
        kind: 'endCount',
        columns: [
          { name: 'actor', type: 'string', index: true },
          { name: 'minute', type: 'date', index: true },
        ],
        sets: [],
      },
    },
  ],
};
