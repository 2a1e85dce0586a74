import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 1,
  name: 'initial',
  steps: [
    { do: 'found' },
    {
      do: 'addKind',
      kind: {
        kind: 'identity',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'typeId', type: 'string', index: true },
          { name: 'isAdmin', type: 'boolean', index: false },
          { name: 'isDefaultAdmin', type: 'boolean', index: false },
          { name: 'authPolicyId', type: 'string', index: true },
          { name: 'externalId', type: 'string', index: 'unique' },
        ],
        sets: ['roleAttributes'],
      },
    },
    { do: 'addKind', kind: { kind: 'identityType', columns: [{ name: 'name', type: 'string', index: 'unique' }], sets: [] } },
    { do: 'addKind', kind: { kind: 'authPolicy', columns: [{ name: 'name', type: 'string', index: 'unique' }], sets: [] } },
    {
      do: 'addKind',
      kind: {
        kind: 'authenticator',
        columns: [
          { name: 'identityId', type: 'string', index: true },
          { name: 'method', type: 'string', index: false },
          { name: 'username', type: 'string', index: 'unique' },
          { name: 'fingerprint', type: 'string', index: 'unique' },
          { name: 'isIssuedByNetwork', type: 'boolean', index: false },
          { name: 'isExtendRequested', type: 'boolean', index: false },
          { name: 'isKeyRollRequested', type: 'boolean', index: false },
          { name: 'lastAuthResolvedToRoot', type: 'boolean', index: false },
          { name: 'extendRequestedAt', type: 'date', index: false },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'apiSession',
        columns: [
          { name: 'identityId', type: 'string', index: true },
          { name: 'authenticatorId', type: 'string', index: true },
          { name: 'tokenHash', type: 'string', index: 'unique' },
          { name: 'ipAddress', type: 'string', index: false },
          { name: 'isMfaRequired', type: 'boolean', index: false },
          { name: 'isMfaComplete', type: 'boolean', index: false },
          { name: 'improperClientCertChain', type: 'boolean', index: false },
          { name: 'lastActivityAt', type: 'date', index: true },
        ],
        sets: [],
      },
    },
    { do: 'addKind', kind: { kind: 'configType', columns: [{ name: 'name', type: 'string', index: 'unique' }], sets: [] } },
    {
      do: 'addKind',
      kind: {
        kind: 'config',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'configTypeId', type: 'string', index: true },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'change',
        columns: [
          { name: 'revision', type: 'number', index: false },
          { name: 'action', type: 'string', index: false },
          { name: 'entity', type: 'string', index: false },
          { name: 'entityId', type: 'string', index: true },
          { name: 'actor', type: 'string', index: false },
          { name: 'requestId', type: 'string', index: false },
        ],
        sets: [],
      },
    },
  ],
};
