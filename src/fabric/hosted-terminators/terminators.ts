import { createAddressRate } from '../../runtime/platform/request-rate.ts';
import type { PendingValidation } from '../../runtime/presence/traffic.ts';
import { authorizeTunneler } from '../authorization/authorize.ts';
import type { Authorizations } from '../authorization/watch.ts';
import { terminatorMessages } from '../control-channel/messages/terminators.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { edgeTerminatorHandlers } from './edge-terminators.ts';
import { createHostedTerminators, type HostedTerminators, type TerminatorDependencies } from './hosted-terminators.ts';
import { setQuiesced } from './quiescence.ts';
import { hostFromOtherControllers, restore, validate } from './restore-terminators.ts';
import { createTerminatorFor, ownTerminator, updateOwnTerminator, withRefusalAnswers } from './terminator-requests.ts';

/** The terminators that routers host, either for clients or for their own tunnelers. */
export interface Terminators {
  readonly hosted: HostedTerminators;
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
  pendingValidations(): readonly PendingValidation[];
  /** Resolves when all pending calls of `restore` have settled. */
  restored(): Promise<unknown>;
  /** Restores the stored terminators of the router, then validates them: see `restore` and `validate`. */
  onConnect(router: ConnectedRouter): Promise<void>;
  /**
   * Quiesces a router, or ends that: see `setQuiesced`.
   * @throws TooManyChanges
   */
  setQuiesced(routerId: string, isQuiesced: boolean): Promise<void>;
  /** The terminators of the router cannot be dialed until it reconnects. */
  onDisconnect(router: ConnectedRouter): void;
}

/**
 * The maximum size of change records about the terminators of one router, in characters: about 15,000 usual ones at once, and fifteen in
 * each second after that.
 */
const CHARACTERS = { perMinute: 1_048_576, burst: 16_777_216 } as const;

export const serveTerminators = (fabric: Fabric, authorizations: Authorizations): Terminators => {
  const hosted = createHostedTerminators(fabric, authorizations);
  const rate = createAddressRate(fabric.core.platform.clock, CHARACTERS.perMinute, CHARACTERS.burst);
  const dependencies: TerminatorDependencies = { fabric, authorizations, hosted, rate, validations: new Map() };
  hostFromOtherControllers(dependencies);
  const restoring = new Set<Promise<void>>();
  return {
    hosted,
    pendingValidations: () => [...dependencies.validations.values()],
    handlers: (router) => [...edgeTerminatorHandlers(dependencies, router), ...tunnelTerminatorHandlers(dependencies, router)],
    restored: () => Promise.allSettled(restoring),
    onConnect: async (router) => {
      const restored = restore(dependencies, router);
      restoring.add(restored);
      await restored.finally(() => restoring.delete(restored));
      await validate(dependencies, router);
    },
    setQuiesced: (routerId, isQuiesced) => setQuiesced(dependencies, routerId, isQuiesced),
    onDisconnect: ({ id }) => hosted.disconnect(id),
  };
};

const { createTunnelTerminator, createTunnelTerminatorResponse, updateTunnelTerminator, updateTunnelTerminatorResponse } =
  terminatorMessages;
const { removeTunnelTerminator, removeTunnelTerminatorResponse } = terminatorMessages;

/** Handlers for the terminators that a router hosts through its own tunneler, with its own identity. */
const tunnelTerminatorHandlers = (dependencies: TerminatorDependencies, router: ConnectedRouter): readonly HandlerEntry[] => {
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
      withRefusalAnswers(router, async (update, frame) => {
        await forRouters(core, (job) => job.write((entities) => updateOwnTerminator(entities, rate, host, update)));
        channel.answer(frame, updateTunnelTerminatorResponse, {});
      }),
    ),
    handle(
      removeTunnelTerminator,
      withRefusalAnswers(router, async (id, frame) => {
        const terminator = await forRouters(core, (job) => job.read((entities) => ownTerminator(entities, id, host)));
        if (terminator) await hosted.remove(routerId, [id]);
        channel.answer(frame, removeTunnelTerminatorResponse, undefined);
      }),
    ),
  ];
};
