import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { authorizeTunneler } from '../authorization/authorize.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { forRouters } from '../routers/fabric.ts';
import { type HandlerEntry, handle } from '../routers/message-handlers.ts';
import type { TerminatorDependencies } from './hosted-terminators.ts';
import { answeringRefusals, createTerminatorFor, ownTerminator, updateOwn } from './requests.ts';

const { createTunnelTerminator, createTunnelTerminatorResponse, updateTunnelTerminator, updateTunnelTerminatorResponse } =
  terminatorMessages;
const { removeTunnelTerminator, removeTunnelTerminatorResponse } = terminatorMessages;

/** Handlers for the terminators that a router hosts through its own tunneler, with its own identity. */
export const tunnelTerminatorHandlers = (dependencies: TerminatorDependencies, router: ConnectedRouter): readonly HandlerEntry[] => {
  const { fabric, hosted, rate } = dependencies;
  const { core } = fabric;
  const { channel, id: routerId } = router;
  const host = { routerId, hostId: routerId };
  return [
    handle(createTunnelTerminator, (request, frame) => {
      const { address: terminatorId, serviceId, startTime } = request;
      return createTerminatorFor(dependencies, router, request, {
        binding: 'tunnel',
        authorize: async () => (entities) => authorizeTunneler(entities, core, { serviceId, type: 'Bind', routerId }),
        unauthorized: 'otherFailure',
        answer: (answer) => channel.answer(frame, createTunnelTerminatorResponse, { terminatorId, startTime, ...answer }),
      });
    }),
    handle(
      updateTunnelTerminator,
      answeringRefusals(router, async (update, frame) => {
        await forRouters(core, (job) => job.write((entities) => updateOwn(entities, rate, host, update)));
        channel.answer(frame, updateTunnelTerminatorResponse, {});
      }),
    ),
    handle(
      removeTunnelTerminator,
      answeringRefusals(router, async (id, frame) => {
        const terminator = await forRouters(core, (job) => job.read((entities) => ownTerminator(entities, id, host)));
        if (terminator) await hosted.remove(routerId, [id]);
        channel.answer(frame, removeTunnelTerminatorResponse, undefined);
      }),
    ),
  ];
};
