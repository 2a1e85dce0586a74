import type { StandingRights } from '../authorization/watch.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';
import type { HandlerRow } from '../routers/message-handlers.ts';
import { edgeTerminatorHandlers } from './edge-terminators.ts';
import { hearOfHosted } from './hearing.ts';
import type { HostedTerminators } from './hosted.ts';
import { createHostingPlace } from './hosted-terminators.ts';
import { restore, validate } from './restore.ts';
import { tunnelTerminatorHandlers } from './tunnel-terminators.ts';

/** What routers host, for clients and by their own tunnelers. */
export interface Hosting {
  readonly hosted: HostedTerminators;
  handlers(router: ConnectedRouter): readonly HandlerRow[];
  /** Resolves when the routers that have connected host again what they hosted before. */
  restored(): Promise<unknown>;
  /** A router has connected: see `restore` and `validate`. */
  began(router: ConnectedRouter): Promise<void>;
  /** The router is gone: nobody can dial what it hosts until it comes again. */
  lost(router: ConnectedRouter): void;
  /** Its router has said that it has no such terminator: it is not dialed any more. */
  gone(terminatorId: string): Promise<void>;
}

export const hostServices = (fabric: Fabric, rights: StandingRights): Hosting => {
  const place = createHostingPlace(fabric, rights);
  const { hosted, remove } = place;
  hearOfHosted(place);
  const restoring = new Set<Promise<void>>();
  return {
    hosted,
    handlers: (router) => [...edgeTerminatorHandlers(place, router), ...tunnelTerminatorHandlers(place, router)],
    restored: () => Promise.allSettled(restoring),
    began: async (router) => {
      const restored = restore(place, router);
      restoring.add(restored);
      await restored.finally(() => restoring.delete(restored));
      await validate(place, router);
    },
    lost: ({ id }) => {
      for (const one of hosted.ofRouter(id)) hosted.forget(one.id);
    },
    gone: async (terminatorId) => {
      const known = hosted.get(terminatorId);
      if (known) await remove(known.routerId, [terminatorId]);
    },
  };
};
