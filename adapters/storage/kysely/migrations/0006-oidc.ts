import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 6,
  name: 'oidc',
  steps: [
    { do: 'addColumn', kind: 'apiSession', column: { name: 'isBearer', type: 'boolean', index: true } },
    { do: 'addColumn', kind: 'apiSession', column: { name: 'endsAt', type: 'date', index: true } },
    { do: 'addSet', kind: 'apiSession', set: 'tokenIds' },
    {
      do: 'addKind',
      kind: {
        kind: 'authRequest',
        columns: [
          { name: 'apiSessionId', type: 'string', index: true },
          { name: 'endsAt', type: 'date', index: true },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'revocation',
        columns: [
          { name: 'type', type: 'string', index: false },
          { name: 'expiresAt', type: 'date', index: true },
        ],
        sets: [],
      },
    },
  ],
};
