import type * as z from 'zod';
import { identity, router } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import {
  capabilityBits,
  carriedId,
  hello,
  type Listener,
  olderHello,
  reportedVersion,
  routerInterfaces,
  syncStatus,
} from '../../../api/router-reports.ts';
import { ctrlChanListeners } from '../../../api/routers.ts';
import type { Core } from '../../../call/core.ts';
import type { StoreErrors } from '../../../call/store-errors.ts';
import type { ChangeListeners } from '../../../changelog/listeners.ts';
import { createSemaphore } from '../../../concurrency/semaphore.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField, notFound, unauthorized } from '../../../errors/index.ts';
import type { Job } from '../../../jobs/background.ts';
import { type Connection, DISABLED, MUST_ENROLL } from '../../../presence/connections.ts';
import { rowsById } from '../../../resources/references.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { provenRouter, routerOf } from '../routers/certificates.ts';
import { updateRouter } from '../routers/verification.ts';
import type { Presence, RouterConnection } from './presence.ts';

/** Maximum number of queued reports of one router. Further reports are refused with 429. */
const MAX_QUEUED = 10_000;

const ATTRIBUTION = { actor: 'system', requestId: 'presence' } as const;

export const createPresence = (core: Core, storeErrors: StoreErrors): Presence => {
  const { presence, background } = core;
  const run = <T>(work: (job: Job) => Promise<T>): Promise<T> =>
    background.run(ATTRIBUTION, work).catch((error: unknown) => {
      throw storeErrors(error, { requestId: ATTRIBUTION.requestId });
    });
  const read = <T>(work: (entities: Entities) => Promise<T>): Promise<T> => run((job) => job.read(work));

  /** The row of a router that may be connected. @throws ApiError `UNAUTHORIZED` otherwise */
  const requireAllowed = async (entities: Entities, connection: Connection) => {
    const row = await entities.get(router, connection.key.id);
    if (!row) connection.close(DELETED);
    else presence.closeUnlessAllowed(row);
    if (!row || connection.signal.aborted) throw unauthorized(String(connection.signal.reason?.message ?? ''));
    return row;
  };

  /** Stores reported fields if they have changed. */
  const storeReported = async (job: Job, connection: Connection, reported: Partial<RowOf<typeof router>>) => {
    const row = await job.read((entities) => requireAllowed(entities, connection));
    if (isSameJson({ ...row, ...reported }, row)) return;
    await job.write(async (entities) => {
      await updateRouter(entities, await requireAllowed(entities, connection), reported);
    });
  };

  const routerConnection = (connection: Connection, isEdgeRouter: boolean): RouterConnection => {
    // Reports are processed one at a time, to preserve their order.
    const reports = createSemaphore(1, MAX_QUEUED);
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
        const interfaces = checked(routerInterfaces, reported, 'interfaces');
        await reports.run(() => run((job) => storeReported(job, connection, { interfaces })));
      },
      ctrlChanListeners: async (reported) => {
        const stored = checked(ctrlChanListeners, reported, 'ctrlChanListeners');
        await reports.run(() => run((job) => storeReported(job, connection, { ctrlChanListeners: stored })));
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

/** The reason for closing a connection. */
const DELETED = 'the router was deleted';

/**
 * Closes connections of routers that are no longer allowed, and removes deleted identities, when such a change is published. Changes by other controllers may
 * be published late: those that precede a router's connection are ignored.
 */
export const closeConnectionsOnChange = (events: Pick<ChangeListeners, 'on'>, { presence }: Pick<Core, 'presence'>): void => {
  for (const kind of ['edgeRouter', 'router'] as const)
    events.on(kind, ({ action, entityId, after, revision }) => {
      if (action === 'delete') presence.closeRouter(entityId, DELETED, revision);
      else if (after?.disabled) presence.closeRouter(entityId, DISABLED, revision);
      else if (!after?.isVerified) presence.closeRouter(entityId, MUST_ENROLL, revision);
    });
  events.on('identity', ({ action, entityId }) => {
    if (action === 'delete') presence.removeIdentity(entityId);
  });
};

const isCarriedId = (reported: string): boolean => carriedId.safeParse(reported).success;

/** The first listener of each protocol. */
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
  throw invalidField([name, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is invalid', issue?.input);
};
