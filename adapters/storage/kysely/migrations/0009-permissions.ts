import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 9,
  name: 'permissions',
  steps: [
    { do: 'addSet', kind: 'identity', set: 'permissions' },
    { do: 'addSet', kind: 'identity', set: 'scopedPermissionNames' },
  ],
};
