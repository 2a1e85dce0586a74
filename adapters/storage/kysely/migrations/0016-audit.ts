import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 16,
  name: 'audit',
  steps: [
    { do: 'addColumn', kind: 'change', column: { name: 'onBehalfOf', type: 'string', index: false } },
    { do: 'addColumn', kind: 'change', column: { name: 'origin', type: 'string', index: false } },
    { do: 'addColumn', kind: 'change', column: { name: 'operation', type: 'string', index: false } },
    { do: 'addColumn', kind: 'change', column: { name: 'address', type: 'string', index: false } },
    { do: 'addColumn', kind: 'change', column: { name: 'changedFields', type: 'string', index: false } },
    { do: 'addKind', kind: { kind: 'securityEvent', columns: [], sets: [] } },
    { do: 'addKind', kind: { kind: 'logCheckpoint', columns: [], sets: [] } },
  ],
};
