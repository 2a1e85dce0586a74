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
        sets: ['roleAttributes', 'hostedServices'],
      },
    },
    { do: 'addKind', kind: { kind: 'identityType', columns: [{ name: 'name', type: 'string', index: 'unique' }], sets: [] } },
    {
      do: 'addKind',
      kind: { kind: 'authPolicy', columns: [{ name: 'name', type: 'string', index: 'unique' }], sets: ['externalJwtSigners'] },
    },
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
          { name: 'caId', type: 'string', index: true },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'ca',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'fingerprint', type: 'string', index: 'unique' },
          { name: 'subjectHash', type: 'string', index: true },
          { name: 'isAuthEnabled', type: 'boolean', index: false },
          { name: 'isOttCaEnrollmentEnabled', type: 'boolean', index: false },
          { name: 'isAutoCaEnrollmentEnabled', type: 'boolean', index: false },
          { name: 'isVerified', type: 'boolean', index: false },
        ],
        sets: ['identityRoles'],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'externalJwtSigner',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'audience', type: 'string', index: false },
          { name: 'clientId', type: 'string', index: false },
          { name: 'targetToken', type: 'string', index: false },
          { name: 'issuer', type: 'string', index: 'unique' },
          { name: 'enabled', type: 'boolean', index: true },
          { name: 'kid', type: 'string', index: 'unique' },
          { name: 'claimsProperty', type: 'string', index: false },
          { name: 'useExternalId', type: 'boolean', index: false },
          { name: 'commonName', type: 'string', index: false },
          { name: 'fingerprint', type: 'string', index: 'unique' },
          { name: 'notBefore', type: 'date', index: false },
          { name: 'notAfter', type: 'date', index: false },
        ],
        sets: ['scopes'],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'enrollment',
        columns: [
          { name: 'identityId', type: 'string', index: true },
          { name: 'caId', type: 'string', index: true },
          { name: 'edgeRouterId', type: 'string', index: true },
          { name: 'transitRouterId', type: 'string', index: true },
          { name: 'tokenHash', type: 'string', index: 'unique' },
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
          { name: 'caId', type: 'string', index: true },
          { name: 'improperClientCertChain', type: 'boolean', index: false },
          { name: 'lastActivityAt', type: 'date', index: true },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'mfa',
        columns: [
          { name: 'identityId', type: 'string', index: 'unique' },
          { name: 'isVerified', type: 'boolean', index: false },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'apiSessionCertificate',
        columns: [
          { name: 'apiSessionId', type: 'string', index: true },
          { name: 'fingerprint', type: 'string', index: false },
          { name: 'subject', type: 'string', index: false },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'service',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'terminatorStrategy', type: 'string', index: false },
        ],
        sets: ['roleAttributes', 'configs'],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'serviceConfig',
        columns: [
          { name: 'identityId', type: 'string', index: true },
          { name: 'serviceId', type: 'string', index: true },
          { name: 'configId', type: 'string', index: true },
          { name: 'configTypeId', type: 'string', index: true },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'servicePolicy',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'typeNumber', type: 'number', index: false },
          { name: 'semantic', type: 'string', index: false },
        ],
        sets: ['identityRoles', 'identityWords', 'serviceRoles', 'serviceWords', 'postureCheckRoles', 'postureCheckWords'],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'edgeRouterPolicy',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'semantic', type: 'string', index: false },
        ],
        sets: ['identityRoles', 'identityWords', 'edgeRouterRoles', 'edgeRouterWords'],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'serviceEdgeRouterPolicy',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'semantic', type: 'string', index: false },
        ],
        sets: ['serviceRoles', 'serviceWords', 'edgeRouterRoles', 'edgeRouterWords'],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'postureCheck',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'typeId', type: 'string', index: false },
          { name: 'promptOnWake', type: 'boolean', index: false },
          { name: 'promptOnUnlock', type: 'boolean', index: false },
        ],
        sets: ['roleAttributes'],
      },
    },
    { do: 'addKind', kind: { kind: 'postureCheckType', columns: [{ name: 'name', type: 'string', index: 'unique' }], sets: [] } },
    { do: 'addKind', kind: { kind: 'postureData', columns: [{ name: 'identityId', type: 'string', index: true }], sets: [] } },
    {
      do: 'addKind',
      kind: {
        kind: 'router',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'cost', type: 'number', index: false },
          { name: 'noTraversal', type: 'boolean', index: false },
          { name: 'disabled', type: 'boolean', index: false },
          { name: 'enrolledBy', type: 'string', index: true },
          { name: 'fingerprint', type: 'string', index: true },
          { name: 'isEdgeRouter', type: 'boolean', index: true },
          { name: 'isTunnelerEnabled', type: 'boolean', index: false },
          { name: 'isVerified', type: 'boolean', index: false },
        ],
        sets: ['roleAttributes'],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'terminator',
        columns: [
          { name: 'serviceId', type: 'string', index: true },
          { name: 'routerId', type: 'string', index: true },
          { name: 'binding', type: 'string', index: false },
          { name: 'address', type: 'string', index: false },
          { name: 'identity', type: 'string', index: false },
          { name: 'hostId', type: 'string', index: false },
          { name: 'sourceCtrl', type: 'string', index: false },
          { name: 'serviceName', type: 'string', index: false },
          { name: 'routerName', type: 'string', index: false },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'session',
        columns: [
          { name: 'apiSessionId', type: 'string', index: true },
          { name: 'serviceId', type: 'string', index: true },
          { name: 'identityId', type: 'string', index: true },
          { name: 'type', type: 'string', index: false },
          { name: 'grantedUntil', type: 'date', index: true },
        ],
        sets: ['grantedBy'],
      },
    },
    { do: 'addKind', kind: { kind: 'sessionReview', columns: [], sets: [] } },
    {
      do: 'addKind',
      kind: {
        kind: 'failedServiceRequest',
        columns: [
          { name: 'identityId', type: 'string', index: true },
          { name: 'number', type: 'number', index: true },
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
        kind: 'trace',
        columns: [
          { name: 'identityId', type: 'string', index: true },
          { name: 'until', type: 'date', index: true },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'controller',
        columns: [
          { name: 'name', type: 'string', index: 'unique' },
          { name: 'certPem', type: 'string', index: false },
          { name: 'ctrlAddress', type: 'string', index: false },
          { name: 'fingerprint', type: 'string', index: false },
          { name: 'lastJoinedAt', type: 'date', index: false },
          { name: 'onlineUntil', type: 'date', index: true },
        ],
        sets: [],
      },
    },
    { do: 'addKind', kind: { kind: 'maintenanceTask', columns: [], sets: [] } },
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
    { do: 'addKind', kind: { kind: 'keptSecret', columns: [], sets: [] } },
  ],
};
