import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import { inParts } from '../../../concurrency/parts.ts';
import { isOfTunneler } from '../authorization/right.ts';
import type { StandingRights } from '../authorization/watch.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { tellRemoved } from '../sessions/sessions.ts';
import { createHostedTerminators, type HostedTerminator, type HostedTerminators } from './hosted.ts';
import { createSuspended, hostedAmong, removeHosted } from './suspended.ts';

/** Terminators that are looked up, and removed, before others have a turn. */
const LOOKED_UP_AT_ONCE = 500;
const REMOVED_AT_ONCE = 25;

/** What routers host, in memory and in the store. */
export interface HostingPlace {
  readonly fabric: Fabric;
  readonly rights: StandingRights;
  readonly hosted: HostedTerminators;
  /** From now on, until its right ends, a connected router hosts a terminator that is in the store. @param judgedAt `rights.time` before its right was judged */
  host(router: ConnectedRouter, hosted: Pick<HostedTerminator, 'id' | 'right' | 'peerData' | 'isConfirmed'>, judgedAt: number): void;
  /** Removes terminators that a router hosts from the store, and so from memory. Those of others, and of administrators, stay. */
  remove(routerId: string, ids: readonly string[]): Promise<void>;
}

export const createHostingPlace = (fabric: Fabric, rights: StandingRights): HostingPlace => {
  const { core, events } = fabric;
  const hosted = createHostedTerminators();
  const suspended = createSuspended({ core, rights });
  const remove: HostingPlace['remove'] = async (routerId, ids) => {
    for (const id of ids) suspended.giveUp(id);
    // Those that are there, of which a few at a time are removed: others write meanwhile, and have turns.
    for (const some of inParts(ids, () => 1, LOOKED_UP_AT_ONCE)) {
      const there = await forRouters(core, (job) => job.read((entities) => hostedAmong(entities, routerId, some)));
      for (const rows of inParts(there, () => 1, REMOVED_AT_ONCE)) {
        const removed = rows.map(({ id }) => id);
        await forRouters(core, (job) => job.write((entities) => removeHosted(entities, routerId, removed)));
        await yieldToEventLoop();
      }
    }
  };
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') hosted.forget(entityId);
  });
  const host: HostingPlace['host'] = (router, one, judgedAt) => {
    const { id, right, peerData, isConfirmed } = one;
    suspended.giveUp(id);
    const end = () => {
      if (right.isStored) tellRemoved(router, [right.sessionId]);
      // Tunnelers see for themselves what they may host. Of sessions that are not stored nobody can be told that they have ended: their hosts go on.
      const ending = right.isStored || isOfTunneler(right) ? remove(router.id, [id]) : suspended.suspend(router, one, host);
      ending.catch((error: unknown) => core.platform.logger.warn('a terminator could not be removed', { terminatorId: id, error }));
    };
    hosted.set({ id, routerId: router.id, right, peerData, isConfirmed, release: rights.add(right, judgedAt, end) });
    if (router.channel.signal.aborted) hosted.forget(id);
  };
  return {
    fabric,
    rights,
    hosted,
    remove,
    host,
  };
};
