import type { Migration } from '../migration.ts';

export const migration: Migration = {
  version: 20,
  name: 'journal',
  steps: [
    {
      do: 'addKind',
      kind: {
        kind: 'journalEntry',
        columns: [
          { name: 'outcome', type: 'string', index: false },
          { name: 'begin', type: 'date', index: false },
          { name: 'end', type: 'date', index: false },
          { name: 'circuitId', type: 'string', index: false },
          { name: 'identityId', type: 'string', index: true },
          { name: 'identityName', type: 'string', index: false },
          { name: 'serviceId', type: 'string', index: true },
          { name: 'serviceName', type: 'string', index: false },
          { name: 'routerId', type: 'string', index: false },
          { name: 'bytesSent', type: 'number', index: false },
          { name: 'bytesReceived', type: 'number', index: false },
          { name: 'dials', type: 'number', index: false },
          { name: 'cause', type: 'string', index: false },
          { name: 'controllerId', type: 'string', index: false },
        ],
        sets: [],
      },
    },
    {
      do: 'addKind',
      kind: {
        kind: 'usageSum',
        columns: [
          { name: 'span', type: 'string', index: false },
          { name: 'begin', type: 'date', index: false },
          { name: 'identityId', type: 'string', index: true },
          { name: 'identityName', type: 'string', index: false },
          { name: 'serviceId', type: 'string', index: true },
          { name: 'serviceName', type: 'string', index: false },
          { name: 'routerId', type: 'string', index: false },
        ],
        sets: [],
      },
    },
  ],
};
