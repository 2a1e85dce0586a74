import { terminator } from '../../../api/terminators.ts';
import { and, equals, not, oneOf, type Predicate, stringField } from '../../../query/index.ts';
import { tellRemoved } from '../knowledge/sessions.ts';
import { isOfTunneler } from '../rights/right.ts';
import type { StandingRights } from '../rights/watch.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { createHostedTerminators, type HostedTerminator, type HostedTerminators } from './hosted.ts';

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

/** The terminators that are hosted by a router; not those that administrators made. */
export const hostedBy = (routerId: string): Predicate =>
  and(equals(stringField('routerId'), routerId), oneOf(stringField('binding'), ['edge', 'tunnel']), not(equals(stringField('hostId'), '')));

export const createHostingPlace = (fabric: Fabric, rights: StandingRights): HostingPlace => {
  const { core, events } = fabric;
  const hosted = createHostedTerminators();
  const remove: HostingPlace['remove'] = (routerId, ids) =>
    forRouters(core, (job) =>
      job.write(async (entities) => {
        const where = and(hostedBy(routerId), oneOf(stringField('id'), ids));
        for (const row of await entities.list(terminator, { where })) await entities.remove(terminator, row);
      }),
    );
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') hosted.forget(entityId);
  });
  return {
    fabric,
    rights,
    hosted,
    remove,
    host: (router, { id, right, peerData, isConfirmed }, judgedAt) => {
      const end = () => {
        if (!isOfTunneler(right)) tellRemoved(router, [right.sessionId]);
        remove(router.id, [id]).catch((error: unknown) =>
          core.platform.logger.warn('a terminator could not be removed', { terminatorId: id, error }),
        );
      };
      hosted.set({ id, routerId: router.id, right, peerData, isConfirmed, release: rights.add(right, judgedAt, end) });
      if (router.channel.signal.aborted) hosted.forget(id);
    },
  };
};
