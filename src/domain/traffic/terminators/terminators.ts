import { createAddressRate } from '../../../platform/request-rate.ts';
import type { Authorizations } from '../authorization/watch.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';
import type { HandlerEntry } from '../routers/message-handlers.ts';
import { edgeTerminatorHandlers } from './edge-terminators.ts';
import { createHostedTerminators, type HostedTerminators } from './hosted-terminators.ts';
import { hostFromOtherControllers, restore, validate } from './restore.ts';
import { tunnelTerminatorHandlers } from './tunnel-terminators.ts';

/** The terminators that routers host, either for clients or for their own tunnelers. */
export interface Terminators {
  readonly hosted: HostedTerminators;
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
  /** Resolves when all pending calls of `restore` have settled. */
  restored(): Promise<unknown>;
  /** Restores the stored terminators of the router, then validates them: see `restore` and `validate`. */
  onConnect(router: ConnectedRouter): Promise<void>;
  /** The terminators of the router cannot be dialed until it reconnects. */
  onDisconnect(router: ConnectedRouter): void;
}

/** What the change log takes of the terminators of one router, in characters: about 15,000 usual ones at once, and fifteen in each second after that. */
const CHARACTERS = { perMinute: 1_048_576, burst: 16_777_216 } as const;

export const serveTerminators = (fabric: Fabric, authorizations: Authorizations): Terminators => {
  const hosted = createHostedTerminators(fabric, authorizations);
  const rate = createAddressRate(fabric.core.platform.clock, CHARACTERS.perMinute, CHARACTERS.burst);
  const dependencies = { fabric, authorizations, hosted, rate };
  hostFromOtherControllers(dependencies);
  const restoring = new Set<Promise<void>>();
  return {
    hosted,
    handlers: (router) => [...edgeTerminatorHandlers(dependencies, router), ...tunnelTerminatorHandlers(dependencies, router)],
    restored: () => Promise.allSettled(restoring),
    onConnect: async (router) => {
      const restored = restore(dependencies, router);
      restoring.add(restored);
      await restored.finally(() => restoring.delete(restored));
      await validate(dependencies, router);
    },
    onDisconnect: ({ id }) => hosted.disconnect(id),
  };
};
