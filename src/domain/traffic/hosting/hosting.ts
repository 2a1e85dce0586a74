import { terminator } from '../../../api/terminators.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { pause } from '../../../platform/timers.ts';
import { and, equals, not, oneOf, type Predicate, stringField } from '../../../query/index.ts';
import { tellRemoved } from '../knowledge/sessions.ts';
import type { StandingRights } from '../rights/watch.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import type { HandlerRow } from '../routers/handlers.ts';
import { BindRefused, bind, readBind } from './bind.ts';
import { createHostedTerminators, type HostedTerminators } from './hosted.ts';

const { createTerminator, createTerminatorResponse, removeTerminator, removeTerminatorResponse, removeTerminators } = terminatorMessages;
const { validateTerminators, validateTerminatorsResponse } = terminatorMessages;

/** What routers host for clients. */
export interface Hosting {
  readonly hosted: HostedTerminators;
  handlers(router: ConnectedRouter): readonly HandlerRow[];
  /**
   * Asks a router that has connected which of its terminators it still has, and removes the others. Routers create their terminators anew after a new
   * connection, and stop doing so when they are asked about them: this waits until they had the time for it.
   */
  validate(router: ConnectedRouter): Promise<void>;
  /** The router is gone: nobody can dial what it hosts until it comes again. */
  lost(router: ConnectedRouter): void;
}

/** Terminators that clients have by this router; not those that administrators made. */
const hostedBy = (routerId: string): Predicate =>
  and(equals(stringField('routerId'), routerId), equals(stringField('binding'), 'edge'), not(equals(stringField('hostId'), '')));

/** A router of the line 1.7 takes ten seconds. ms */
const TIME_TO_CREATE = 60_000;

export const hostServices = ({ core, events }: Fabric, rights: StandingRights): Hosting => {
  const hosted = createHostedTerminators();
  const { logger } = core.platform;

  const remove = (routerId: string, ids: readonly string[]): Promise<void> =>
    forRouters(core, (job) =>
      job.write(async (entities) => {
        const where = and(hostedBy(routerId), oneOf(stringField('id'), ids));
        for (const row of await entities.list(terminator, { where })) await entities.remove(terminator, row);
      }),
    );
  events.on('terminator', ({ action, entityId }) => {
    if (action === 'delete') hosted.forget(entityId);
  });

  const create = async (router: ConnectedRouter, frame: Frame): Promise<void> => {
    const request = createTerminator.decode(frame.body);
    const { address: id, peerData } = request;
    const judgedAt = rights.time;
    try {
      const claim = await readBind(core, router.id, request);
      const right = await forRouters(core, (job) => job.write((entities) => bind(entities, core, claim, request)));
      const end = () => {
        tellRemoved(router, [right.sessionId]);
        remove(router.id, [id]).catch((error: unknown) => logger.warn('a terminator could not be removed', { terminatorId: id, error }));
      };
      hosted.set({ id, routerId: router.id, right, peerData, release: rights.add(right, judgedAt, end) });
      if (router.channel.signal.aborted) hosted.forget(id);
      else router.channel.answer(frame, createTerminatorResponse, { terminatorId: id, result: 'success' });
    } catch (error) {
      if (router.channel.signal.aborted) return;
      const [result, msg] = error instanceof BindRefused ? [error.result, error.message] : (['busy', 'try again later'] as const);
      router.channel.answer(frame, createTerminatorResponse, { terminatorId: id, result, msg });
      if (!(error instanceof BindRefused)) throw error;
      // It may have been hosted by right until its router was lost.
      if (error.result === 'invalidSession') await remove(router.id, [id]);
      logger.info('a router may not host what it asked for', { routerId: router.id, reason: msg });
    }
  };

  return {
    hosted,
    handlers: (router) => [
      [createTerminator, (frame) => create(router, frame)],
      [
        removeTerminators,
        async (frame) => {
          await remove(router.id, removeTerminators.decode(frame.body).terminatorIds);
          router.channel.conclude(frame, true, 'success');
        },
      ],
      [
        removeTerminator,
        async (frame) => {
          await remove(router.id, [removeTerminator.decode(frame.body).terminatorId]);
          router.channel.answer(frame, removeTerminatorResponse, {});
        },
      ],
    ],
    validate: async ({ id, channel }) => {
      await pause(core.platform.clock, TIME_TO_CREATE, channel.signal);
      if (channel.signal.aborted) return;
      const stored = await forRouters(core, (job) => job.read((entities) => entities.list(terminator, { where: hostedBy(id) })));
      const rows = stored.filter((row) => !hosted.get(row.id));
      if (rows.length === 0) return;
      const asked = rows.map((row) => ({ id: row.id, binding: row.binding, address: row.address }));
      const answer = await channel.request(validateTerminators, { terminators: asked, fixInvalid: true });
      const { states } = validateTerminatorsResponse.decode(answer.body);
      const gone = rows.filter((row) => states.get(row.id)?.valid === false && !hosted.get(row.id));
      if (gone.length > 0)
        await remove(
          id,
          gone.map((row) => row.id),
        );
    },
    lost: ({ id }) => {
      for (const one of hosted.ofRouter(id)) hosted.forget(one.id);
    },
  };
};
