import type { RowOf } from '../../contract/api/kit/index.ts';
import { router as routerKind } from '../../contract/api/routers.ts';
import { terminator } from '../../contract/api/terminators.ts';
import { and, equals, not, oneOf, type Predicate, stringField } from '../../query/index.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { createIndexedMap } from '../../runtime/platform/groups.ts';
import type { AddressRate } from '../../runtime/platform/request-rate.ts';
import type { PendingValidation } from '../../runtime/presence/traffic.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type Authorization, isTunneler } from '../authorization/authorization.ts';
import type { Authorizations } from '../authorization/watch.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { sendSessionsRemoved } from '../sessions/sessions.ts';
import type { PeerData } from './peer-data.ts';
import { precedenceAt } from './precedence.ts';

/** Numbers of terminators that are looked up, and that are removed, before yielding to the event loop. */
const READ_BATCH = 500;
const REMOVAL_BATCH = 25;

/** A terminator that a connected router currently hosts. */
export interface HostedTerminator {
  /** Its id, which is also its address at the router. */
  readonly id: string;
  readonly routerId: string;
  readonly authorization: Authorization;
  /** Sent to clients that dial. */
  readonly peerData: PeerData;
  /** True if the router has created it since connecting; false if it is known only from the store. */
  readonly isConfirmed: boolean;
  stopWatching(): void;
}

/** A terminator to register as hosted. */
export type HostableTerminator = Pick<HostedTerminator, 'id' | 'authorization' | 'peerData' | 'isConfirmed'>;

/** The terminators that connected routers host, for clients or through their own tunnelers. Their rows are in the store. */
export interface HostedTerminators {
  get(id: string): HostedTerminator | undefined;
  /**
   * Registers a stored terminator as hosted until its authorization lapses.
   * @param checkedAt `generation` before it was authorized
   */
  host(router: ConnectedRouter, hostable: HostableTerminator, checkedAt: number): void;
  /**
   * Removes terminators of a router from the store and from memory. Ignores ids of terminators that belong to other routers or
   * administrators.
   */
  remove(routerId: string, ids: readonly string[]): Promise<void>;
  /** Removes the terminators of a router from memory. */
  disconnect(routerId: string): void;
}

/** Dependencies of the handlers of terminators. */
export interface TerminatorDependencies {
  readonly fabric: Fabric;
  readonly authorizations: Authorizations;
  readonly hosted: HostedTerminators;
  /** The budgets of routers for changes, by router. */
  readonly rate: AddressRate;
  /** The routers whose terminators have still to be confirmed, by id. */
  readonly validations: Map<string, PendingValidation>;
}

/** Selects the terminators that a router hosts, excluding those that administrators created. */
export const hostedBy = (routerId: string): Predicate =>
  and(equals(stringField('routerId'), routerId), oneOf(stringField('binding'), ['edge', 'tunnel']), not(equals(stringField('hostId'), '')));

const hostedAmong = (entities: Entities, routerId: string, ids: readonly string[]) =>
  entities.list(terminator, { where: and(hostedBy(routerId), oneOf(stringField('id'), ids)) });

/** @returns the removed rows */
const removeRows = async (entities: Entities, routerId: string, ids: readonly string[]) => {
  const rows = await hostedAmong(entities, routerId, ids);
  for (const row of rows) await entities.remove(terminator, row);
  return rows;
};

export const createHostedTerminators = ({ core, events }: Fabric, authorizations: Authorizations): HostedTerminators => {
  const { logger } = core.platform;
  const hosted = createIndexedMap<HostedTerminator>(({ routerId }) => [routerId]);
  /** The suspended terminators, by id, each with its router and a function that stops waiting for its authorization. */
  const suspended = new Map<string, { readonly routerId: string; stopWaiting(): void }>();
  const forget = (id: string): void => hosted.delete(id)?.stopWatching();
  /** Other routers than that of the terminator may not end its suspension. */
  const endSuspension = (routerId: string, id: string): void => {
    const suspension = suspended.get(id);
    if (suspension?.routerId !== routerId) return;
    suspension.stopWaiting();
    suspended.delete(id);
  };
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') forget(entityId);
  });

  const remove: HostedTerminators['remove'] = async (routerId, ids) => {
    for (const id of ids) endSuspension(routerId, id);
    for (const part of inBatches(ids, () => 1, READ_BATCH)) {
      const stored = await forRouters(core, (job) => job.read((entities) => hostedAmong(entities, routerId, part)));
      // In small transactions, so that other writes are not delayed.
      for (const rows of inBatches(stored, () => 1, REMOVAL_BATCH)) {
        const removed = rows.map(({ id }) => id);
        await forRouters(core, (job) => job.write((entities) => removeRows(entities, routerId, removed)));
        await yieldToEventLoop();
      }
    }
  };

  const resume = async (router: ConnectedRouter, row: RowOf<typeof terminator>, hostable: HostableTerminator): Promise<void> => {
    const checkedAt = authorizations.generation;
    const { version: _, createdAt: __, updatedAt: ___, ...fields } = row;
    const isOwn = await forRouters(core, (job) =>
      job.write(async (entities) => {
        const existing = await entities.get(terminator, row.id);
        const { precedence, savedPrecedence } = fields;
        const own = await entities.require(routerKind, router.id);
        if (!existing) await entities.insert(terminator, { ...fields, ...precedenceAt(own, savedPrecedence ?? precedence) });
        return !existing || (existing.routerId === router.id && existing.hostId === row.hostId);
      }),
    );
    if (isOwn) host(router, hostable, checkedAt);
  };
  /**
   * Removes the row until the authorization is renewed. The host is not notified of the lapse, and would not create the terminator again.
   */
  const suspend = async (router: ConnectedRouter, hostable: HostableTerminator): Promise<void> => {
    const { id, authorization } = hostable;
    const { signal } = router.channel;
    const [row] = await forRouters(core, (job) => job.write((entities) => removeRows(entities, router.id, [id])));
    if (!row || signal.aborted) return;
    const stopWaiting = authorizations.awaitRenewal(authorization, () => {
      endSuspension(router.id, id);
      if (signal.aborted) return;
      resume(router, row, hostable).catch((error: unknown) =>
        logger.warn('could not restore a terminator whose host is authorized again; this is done when the router reconnects', {
          terminatorId: id,
          error,
        }),
      );
    });
    const onAbort = () => endSuspension(router.id, id);
    signal.addEventListener('abort', onAbort);
    suspended.set(id, {
      routerId: router.id,
      stopWaiting: () => {
        stopWaiting();
        signal.removeEventListener('abort', onAbort);
      },
    });
  };

  const host: HostedTerminators['host'] = (router, hostable, checkedAt) => {
    const { id, authorization } = hostable;
    endSuspension(router.id, id);
    const onLapse = () => {
      if (authorization.isStored) sendSessionsRemoved(router, [authorization.sessionId]);
      // Tunnelers know what they may host. Routers are not told when a session that is not stored ends: its terminators are only suspended.
      const ended = authorization.isStored || isTunneler(authorization) ? remove(router.id, [id]) : suspend(router, hostable);
      ended.catch((error: unknown) =>
        logger.warn('could not remove a terminator whose host is no longer authorized; remove it manually', {
          terminatorId: id,
          error,
        }),
      );
    };
    const stopWatching = authorizations.watch(authorization, checkedAt, onLapse);
    forget(id);
    hosted.set({ ...hostable, routerId: router.id, stopWatching });
    if (router.channel.signal.aborted) forget(id);
  };

  return {
    get: hosted.get,
    host,
    remove,
    disconnect: (routerId) => {
      for (const { id } of hosted.of(routerId)) forget(id);
    },
  };
};
