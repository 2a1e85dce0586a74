import { rowsById } from '../../call/resources/references.ts';
import { identity } from '../../contract/api/kinds.ts';
import { hello, olderHello } from '../../contract/api/router-hello.ts';
import { carriedId, reportedInterfaces, syncStatus } from '../../contract/api/router-reports.ts';
import { ctrlChanListeners } from '../../contract/api/routers.ts';
import { notFound } from '../../contract/errors/index.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import type { Connection } from '../../runtime/presence/connections.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { RouterConnection } from './presence.ts';
import type { PresenceJobs } from './presence-jobs.ts';
import { checked, isCarriedId, reachedBy } from './reported.ts';
import type { OpenReports } from './stored-reports.ts';

/** Maximum number of queued reports of one router. Further reports are refused with 429. */
const MAX_QUEUED = 10_000;

/** @returns a function that makes a router's connection of an open one */
export const createRouterConnections =
  ({ read, requireAllowed }: PresenceJobs, openReports: OpenReports) =>
  (connection: Connection, isEdgeRouter: boolean): RouterConnection => {
    // Reports are processed one at a time, to preserve their order.
    const reports = createSemaphore(1, MAX_QUEUED);
    const store = openReports(connection, reports);
    const ifAllowed = <T>(work: (entities: Entities) => T | Promise<T>): Promise<T> =>
      reports.run(() =>
        read(async (entities) => {
          await requireAllowed(entities, connection);
          return work(entities);
        }),
      );
    return {
      routerId: connection.key.id,
      isEdgeRouter,
      signal: connection.signal,
      hello: async (reported) => {
        const reached = reachedBy(checked('listeners' in Object(reported) ? hello : olderHello, reported, 'hello'));
        await ifAllowed(() => connection.update({ reached, syncStatus: 'SYNC_DONE' }));
      },
      sync: async (status) => {
        const reported = checked(syncStatus, status, 'syncStatus');
        await ifAllowed(() => connection.update({ syncStatus: reported }));
      },
      interfaces: async (reported) => {
        await store({ interfaces: checked(reportedInterfaces, reported, 'interfaces') });
      },
      ctrlChanListeners: async (reported) => {
        await store({ ctrlChanListeners: checked(ctrlChanListeners, reported, 'ctrlChanListeners') });
      },
      identityConnected: async (reported) => {
        const id = checked(carriedId, reported, 'identityId');
        await ifAllowed(async (entities) => {
          if (!(await entities.get(identity, id))) throw notFound(identity.kind, id);
          connection.addIdentity(id);
        });
      },
      identityDisconnected: async (reported) => {
        const id = checked(carriedId, reported, 'identityId');
        await ifAllowed(() => connection.removeIdentity(id));
      },
      identitiesConnected: (reported) =>
        ifAllowed(async (entities) => {
          const known = await rowsById(entities, identity, reported.filter(isCarriedId));
          for (const id of known.keys()) connection.addIdentity(id);
          return [...known.keys()];
        }),
      identitiesDisconnected: (reported) =>
        ifAllowed(() => {
          for (const id of reported) connection.removeIdentity(id);
        }),
      close: () => connection.close('the connection was closed'),
    };
  };
