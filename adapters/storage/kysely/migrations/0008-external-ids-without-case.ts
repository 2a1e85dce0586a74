import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 8,
  name: 'external-ids-without-case',
  steps: [{ do: 'addSet', kind: 'identity', set: 'externalIdKeys' }],
};
