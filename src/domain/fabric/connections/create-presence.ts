import type * as z from 'zod';
import { identity, router } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import {
  capabilityBits,
  carriedId,
  hello,
  type Listener,
  olderHello,
  reportedInterfaces,
  reportedVersion,
  syncStatus,
} from '../../../api/router-reports.ts';
import { ctrlChanListeners } from '../../../api/routers.ts';
import type { Core } from '../../../call/core.ts';
import type { StoreErrors } from '../../../call/store-errors.ts';
import type { ChangeListeners } from '../../../changelog/listeners.ts';
import { createSemaphore, type Semaphore } from '../../../concurrency/semaphore.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField, notFound, unauthorized } from '../../../errors/index.ts';
import type { Job } from '../../../jobs/background.ts';
import { after } from '../../../platform/clock.ts';
import { createAddressRate } from '../../../platform/request-rate.ts';
import { type Connection, DISABLED, MUST_ENROLL } from '../../../presence/connections.ts';
import { rowsById } from '../../../resources/references.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { provenRouter, routerOf } from '../routers/certificates.ts';
import { updateRouter } from '../routers/verification.ts';
import type { Presence, RouterConnection } from './presence.ts';

/** Maximum number of queued reports of one router. Further reports are refused with 429. */
const MAX_QUEUED = 10_000;

/**
 * What the change log takes of one router's reports, in characters of JSON: enough for about a thousand usual reports at once. Routers report changes of their
 * interfaces, which they check once a minute.
 */
const CHARACTERS = { perMinute: 6000, burst: 1_048_576 } as const;

const ATTRIBUTION = { actor: 'system', requestId: 'presence' } as const;

export const createPresence = (core: Core, storeErrors: StoreErrors): Presence => {
  const { presence, background } = core;
  const { clock } = core.platform;
  const rate = createAddressRate(clock, CHARACTERS.perMinute, CHARACTERS.burst);
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

  type Reported = Partial<RowOf<typeof router>>;

  /** @returns a function that stores reported fields if they have changed: later if the router reports too many changes, and then only the latest */
  const storing = (connection: Connection, reports: Semaphore) => {
    let postponed: Reported = {};
    let cancel: (() => void) | undefined;
    connection.signal.addEventListener('abort', () => cancel?.());
    const store = async (job: Job, reported: Reported): Promise<void> => {
      const row = await job.read((entities) => requireAllowed(entities, connection));
      const fields = { ...postponed, ...reported };
      postponed = {};
      if (isSameJson({ ...row, ...fields }, row)) return;
      const seconds = rate.take(connection.key.id, JSON.stringify(fields).length);
      if (seconds === 0) return job.write(async (entities) => updateRouter(entities, await requireAllowed(entities, connection), fields));
      postponed = fields;
      cancel ??= after(clock, seconds * 1000, () => {
        cancel = undefined;
        // If this fails, the fields are stored when the router connects again.
        reports.run(() => run((next) => store(next, {}))).catch(() => undefined);
      });
    };
    return (reported: Reported): Promise<void> => reports.run(() => run((job) => store(job, reported)));
  };

  const routerConnection = (connection: Connection, isEdgeRouter: boolean): RouterConnection => {
    // Reports are processed one at a time, to preserve their order.
    const reports = createSemaphore(1, MAX_QUEUED);
    const store = storing(connection, reports);
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
