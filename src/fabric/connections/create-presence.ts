import type { Core } from '../../call/core.ts';
import type { StoreErrors } from '../../call/store-errors.ts';
import { capabilityBits, reportedVersion } from '../../contract/api/router-software.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { DISABLED } from '../../runtime/presence/connections.ts';
import { provenRouter, routerOf } from '../routers/certificates.ts';
import type { Presence } from './presence.ts';
import { createPresenceJobs } from './presence-jobs.ts';
import { checked } from './reported.ts';
import { createRouterConnections } from './router-connection.ts';
import { createStoredReports } from './stored-reports.ts';

export const createPresence = (core: Core, storeErrors: StoreErrors): Presence => {
  const { presence } = core;
  const jobs = createPresenceJobs(core, storeErrors);
  const { read, requireAllowed } = jobs;
  const routerConnection = createRouterConnections(jobs, createStoredReports(core.platform.clock, jobs));
  return {
    connect: async ({ certificates, versionInfo = {}, capabilities, admit }) => {
      const version = checked(reportedVersion, versionInfo, 'versionInfo');
      const bits = capabilities && checked(capabilityBits, capabilities, 'capabilities');
      const proven = await provenRouter(core, certificates);
      const row = proven && (await read((entities) => routerOf(entities, proven)));
      if (!row) throw unauthorized('the certificate is not the current one of a router');
      if (row.disabled) throw unauthorized(DISABLED);
      admit?.(row.id);
      const connection = presence.open(
        { id: row.id, enrolledBy: row.enrolledBy },
        { versionInfo: version, capabilities: bits, syncStatus: 'SYNC_HELLO', reached: undefined },
        row.version,
      );
      // The row may have changed between reading it and opening the connection.
      await read((entities) => requireAllowed(entities, connection));
      return routerConnection(connection, row.isEdgeRouter ?? false);
    },
  };
};
