import type * as z from 'zod';
import { identity } from '../../../api/identities.ts';
import { carriedId, hello, type Listener, olderHello, reportedVersion, routerInterfaces, syncStatus } from '../../../api/router-reports.ts';
import { router } from '../../../api/routers.ts';
import type { Core } from '../../../call/core.ts';
import type { StoreErrors } from '../../../call/store-errors.ts';
import type { Entities } from '../../../changes/entities.ts';
import { createSemaphore } from '../../../concurrency/semaphore.ts';
import { invalidField, notFound, unauthorized } from '../../../errors/index.ts';
import type { Job } from '../../../jobs/background.ts';
import { type Connection, DISABLED } from '../../../presence/connections.ts';
import { rowsById } from '../../../resources/rows-by-id.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { provenRouter, routerOf } from '../routers/proof.ts';
import { updateRouter } from '../routers/update.ts';
import { DELETED } from './endings.ts';
import type { Presence, RouterConnection } from './presence.ts';

/** Reports of one router that may wait; a host that hands on more of them at once gets 429. */
const MOST_WAITING = 10_000;

const ATTRIBUTION = { actor: 'system', requestId: 'presence' } as const;

export const createPresence = (core: Core, storeErrors: StoreErrors): Presence => {
  const { presence, background } = core;
  const run = <T>(work: (job: Job) => Promise<T>): Promise<T> =>
    background.run(ATTRIBUTION, work).catch((error: unknown) => {
      throw storeErrors(error, { requestId: ATTRIBUTION.requestId });
    });
  const read = <T>(work: (entities: Entities) => Promise<T>): Promise<T> => run((job) => job.read(work));

  /** The row of a router, as long as it may be connected. @throws ApiError `UNAUTHORIZED` */
  const current = async (entities: Entities, connection: Connection) => {
    const row = await entities.get(router, connection.key.id);
    if (!row) connection.end(DELETED);
    else presence.of(row); // ends it if it must
    if (!row || connection.signal.aborted) throw unauthorized(String(connection.signal.reason?.message ?? ''));
    return row;
  };

  /** Stores the interfaces unless they are unchanged. */
  const storeInterfaces = async (job: Job, connection: Connection, interfaces: z.output<typeof routerInterfaces>) => {
    const known = await job.read((entities) => current(entities, connection));
    if (isSameJson(known.interfaces, interfaces)) return;
    await job.write(async (entities) => {
      await updateRouter(entities, await current(entities, connection), { interfaces });
    });
  };

  const reporting = (connection: Connection, isEdgeRouter: boolean): RouterConnection => {
    // In the order in which they come, however long each takes.
    const reports = createSemaphore(1, MOST_WAITING);
    const alive = <T>(work: (entities: Entities) => T | Promise<T>): Promise<T> =>
      reports.run(() =>
        read(async (entities) => {
          await current(entities, connection);
          return work(entities);
        }),
      );
    return {
      routerId: connection.key.id,
      isEdgeRouter,
      signal: connection.signal,
      hello: async (reported) => {
        const reached = reachedBy(checked('listeners' in Object(reported) ? hello : olderHello, reported, 'hello'));
        await alive(() => connection.change({ reached, syncStatus: 'SYNC_DONE' }));
      },
      sync: async (status) => {
        const reported = checked(syncStatus, status, 'syncStatus');
        await alive(() => connection.change({ syncStatus: reported }));
      },
      interfaces: async (reported) => {
        const interfaces = checked(routerInterfaces, reported, 'interfaces');
        await reports.run(() => run((job) => storeInterfaces(job, connection, interfaces)));
      },
      identityConnected: async (reported) => {
        const id = checked(carriedId, reported, 'identityId');
        await alive(async (entities) => {
          if (!(await entities.get(identity, id))) throw notFound(identity.kind, id);
          connection.carry(id);
        });
      },
      identityDisconnected: async (reported) => {
        const id = checked(carriedId, reported, 'identityId');
        await alive(() => connection.drop(id));
      },
      identitiesConnected: (reported) =>
        alive(async (entities) => {
          const known = await rowsById(entities, identity, reported.filter(isCarriedId));
          for (const id of known.keys()) connection.carry(id);
          return [...known.keys()];
        }),
      identitiesDisconnected: (reported) =>
        alive(() => {
          for (const id of reported) connection.drop(id);
        }),
      close: () => connection.end('the connection was closed'),
    };
  };

  return {
    connect: async ({ certificates, versionInfo = {}, admit }) => {
      const version = checked(reportedVersion, versionInfo, 'versionInfo');
      const proven = await provenRouter(core, certificates);
      const row = proven && (await read((entities) => routerOf(entities, proven)));
      if (!row) throw unauthorized('the certificate is not the current one of a router');
      if (row.disabled) throw unauthorized(DISABLED);
      admit?.(row.id);
      const connection = presence.open(
        { id: row.id, enrolledBy: row.enrolledBy },
        { versionInfo: version, syncStatus: 'SYNC_HELLO', reached: undefined },
        row.version,
      );
      // The row may have changed between reading it and opening the connection.
      await read((entities) => current(entities, connection));
      return reporting(connection, row.isEdgeRouter ?? false);
    },
  };
};

const isCarriedId = (reported: string): boolean => carriedId.safeParse(reported).success;

/** Of several listeners of a protocol the first counts. */
const reachedBy = (listeners: readonly Listener[]) => ({
  hostname: listeners[0]?.hostname ?? '',
  supportedProtocols: Object.fromEntries(
    listeners.toReversed().map(({ protocol, hostname, port }) => [protocol, `${protocol}://${inAddress(hostname)}:${port}`]),
  ),
});

const inAddress = (hostname: string): string => (hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname);

/** @throws ApiError `COULD_NOT_VALIDATE` with the first field at fault */
const checked = <T>(schema: z.ZodType<T>, report: unknown, name: string): T => {
  const result = schema.safeParse(report, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalidField([name, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not as it should be', issue?.input);
};
