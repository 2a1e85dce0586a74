import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 14,
  name: 'grants-with-an-end',
  steps: [
    { do: 'addColumn', kind: 'identity', column: { name: 'grantsEndAt', type: 'date', index: true } },
    { do: 'addColumn', kind: 'identity', column: { name: 'unannouncedEndAt', type: 'date', index: true } },
    { do: 'addColumn', kind: 'servicePolicy', column: { name: 'grantsEndAt', type: 'date', index: true } },
    { do: 'addColumn', kind: 'servicePolicy', column: { name: 'unannouncedEndAt', type: 'date', index: true } },
  ],
};
