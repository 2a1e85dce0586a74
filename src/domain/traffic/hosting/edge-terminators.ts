import type { Frame } from '../../../control-channel/frame.ts';
import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { ClaimRefused, rightOf } from '../rights/claim.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import { forRouters } from '../routers/fabric.ts';
import type { HandlerRow } from '../routers/handlers.ts';
import { BindRefused, bind, checkRequest } from './bind.ts';
import type { HostingPlace } from './place.ts';

const { createTerminator, createTerminatorResponse, removeTerminator, removeTerminatorResponse, removeTerminators } = terminatorMessages;

/** A client hosts a service. */
const create = async (place: HostingPlace, router: ConnectedRouter, frame: Frame): Promise<void> => {
  const { fabric, rights, host, remove } = place;
  const { core } = fabric;
  const request = createTerminator.decode(frame.body);
  const { address: id, peerData, sessionToken, apiSessionToken } = request;
  const judgedAt = rights.time;
  const { channel } = router;
  try {
    checkRequest(request);
    const right = await forRouters(core, (job) =>
      job.write(async (entities) => {
        const claim = { sessionToken, apiSessionToken, type: 'Bind', routerId: router.id } as const;
        const claimed = await rightOf(entities, core, claim).catch((error: unknown) => {
          throw error instanceof ClaimRefused ? new BindRefused('invalidSession', error.message) : error;
        });
        await bind(entities, core, claimed, 'edge', request);
        return claimed;
      }),
    );
    host(router, { id, right, peerData, isConfirmed: true }, judgedAt);
    if (!channel.signal.aborted) channel.answer(frame, createTerminatorResponse, { terminatorId: id, result: 'success' });
  } catch (error) {
    if (channel.signal.aborted) return;
    const [result, msg] = error instanceof BindRefused ? [error.result, error.message] : (['busy', 'try again later'] as const);
    channel.answer(frame, createTerminatorResponse, { terminatorId: id, result, msg });
    if (!(error instanceof BindRefused)) throw error;
    // It may have been hosted by right until its router was lost.
    if (error.result === 'invalidSession') await remove(router.id, [id]);
    core.platform.logger.info('a router may not host what it asked for', { routerId: router.id, reason: msg });
  }
};

/** What clients host by a router. */
export const edgeTerminatorHandlers = (place: HostingPlace, router: ConnectedRouter): readonly HandlerRow[] => [
  [createTerminator, (frame) => create(place, router, frame)],
  [
    removeTerminators,
    async (frame) => {
      await place.remove(router.id, removeTerminators.decode(frame.body).terminatorIds);
      router.channel.conclude(frame, true, 'success');
    },
  ],
  [
    removeTerminator,
    async (frame) => {
      await place.remove(router.id, [removeTerminator.decode(frame.body).terminatorId]);
      router.channel.answer(frame, removeTerminatorResponse, {});
    },
  ],
];
