import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 10,
  name: 'enroll-by-token',
  steps: [
    { do: 'addColumn', kind: 'externalJwtSigner', column: { name: 'enrollToCertEnabled', type: 'boolean', index: false } },
    { do: 'addColumn', kind: 'externalJwtSigner', column: { name: 'enrollToTokenEnabled', type: 'boolean', index: false } },
    { do: 'addColumn', kind: 'externalJwtSigner', column: { name: 'enrollNameClaimsSelector', type: 'string', index: false } },
    { do: 'addColumn', kind: 'externalJwtSigner', column: { name: 'enrollAttributeClaimsSelector', type: 'string', index: false } },
    { do: 'addColumn', kind: 'externalJwtSigner', column: { name: 'enrollAuthPolicyId', type: 'string', index: true } },
  ],
};
