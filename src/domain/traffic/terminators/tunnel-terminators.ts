import type { Frame } from '../../../control-channel/frame.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { ClaimRefused, tunnelerRightOf } from '../authorization/authorize.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { forRouters } from '../routers/fabric.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';
import { BindRefused, bind, checkRequest } from './bind.ts';
import type { HostingPlace } from './hosted-terminators.ts';
import { type Host, ownTerminator, refusing, updateOwn } from './requests.ts';

const { createTunnelTerminator, createTunnelTerminatorResponse, updateTunnelTerminator, updateTunnelTerminatorResponse } =
  terminatorMessages;
const { removeTunnelTerminator, removeTunnelTerminatorResponse } = terminatorMessages;

/** A router hosts a service by its own tunneler, as the identity that it is itself. */
const create = async (
  { fabric: { core }, rights, host, remove }: HostingPlace,
  router: ConnectedRouter,
  request: MessageBody<typeof createTunnelTerminator>,
  frame: Frame,
): Promise<void> => {
  const { channel } = router;
  const { address: id, peerData, serviceId, startTime } = request;
  const judgedAt = rights.time;
  try {
    checkRequest(request);
    const right = await forRouters(core, (job) =>
      job.write(async (entities) => {
        const claimed = await tunnelerRightOf(entities, core, { serviceId, type: 'Bind', routerId: router.id });
        await bind(entities, core, claimed, 'tunnel', request);
        return claimed;
      }),
    );
    host(router, { id, right, peerData, isConfirmed: true }, judgedAt);
    if (!channel.signal.aborted) channel.answer(frame, createTunnelTerminatorResponse, { terminatorId: id, startTime, result: 'success' });
  } catch (error) {
    if (channel.signal.aborted) return;
    const isRefused = error instanceof BindRefused || error instanceof ClaimRefused;
    const result = error instanceof BindRefused ? error.result : error instanceof ClaimRefused ? 'otherFailure' : 'busy';
    const msg = isRefused ? error.message : 'try again later';
    channel.answer(frame, createTunnelTerminatorResponse, { terminatorId: id, startTime, result, msg });
    if (!isRefused) throw error;
    if (error instanceof ClaimRefused) await remove(router.id, [id]);
    core.platform.logger.info('a router may not host what it asked for', { routerId: router.id, reason: msg });
  }
};

/** What a router hosts by its own tunneler. */
export const tunnelTerminatorHandlers = (place: HostingPlace, router: ConnectedRouter): readonly HandlerRow[] => {
  const { core } = place.fabric;
  const host: Host = { routerId: router.id, hostId: router.id };
  return [
    handling(createTunnelTerminator, (request, frame) => create(place, router, request, frame)),
    handling(
      updateTunnelTerminator,
      refusing(router, async (update, frame) => {
        await forRouters(core, (job) => job.write((entities) => updateOwn(entities, host, update)));
        router.channel.answer(frame, updateTunnelTerminatorResponse, {});
      }),
    ),
    handling(
      removeTunnelTerminator,
      refusing(router, async (id, frame) => {
        const own = await forRouters(core, (job) => job.read((entities) => ownTerminator(entities, id, host)));
        if (own) await place.remove(router.id, [id]);
        router.channel.answer(frame, removeTunnelTerminatorResponse, undefined);
      }),
    ),
  ];
};
