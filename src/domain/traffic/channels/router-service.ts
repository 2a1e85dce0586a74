import type { Budget } from '../../../control-channel/budget.ts';
import { watchRights } from '../authorization/watch.ts';
import { keepCircuits } from '../circuits/circuits.ts';
import { syncDataModel } from '../data-model/subscriptions.ts';
import { keepLinks } from '../links/links.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { shareAddresses } from '../routers/controller-addresses.ts';
import type { Fabric } from '../routers/fabric.ts';
import { handlersOf, type MessageHandlers } from '../routers/message-handlers.ts';
import { syncApiSessions } from '../sessions/api-sessions.ts';
import { syncSessions } from '../sessions/sessions.ts';
import { hostServices } from '../terminators/terminators.ts';
import { greet } from './greeting.ts';
import type { InspectRouters } from './inspect.ts';
import { renewalHandlers } from './renewal.ts';
import { reportHandlers } from './reports.ts';
import { shownTraffic } from './shown.ts';

/** What is done for a router as long as it is connected. */
export interface RouterService {
  /** Resolves when routers may be let in. @throws what the store throws */
  ready(): Promise<void>;
  /** @param budget what the router may spend */
  handlers(router: ConnectedRouter, budget: Budget): MessageHandlers;
  /** Tells the router what it must know, and asks what is to be known of it. What fails is logged. */
  begin(router: ConnectedRouter): void;
}

/** Puts together what routers are served with. */
export const serveConnected = (fabric: Fabric, inspect: InspectRouters): RouterService => {
  const { core } = fabric;
  const rights = watchRights(fabric);
  const hosting = hostServices(fabric, rights);
  const linking = keepLinks(fabric);
  const circuits = keepCircuits(fabric, rights, hosting, linking);
  core.traffic.serve(shownTraffic(fabric.connected, linking, circuits, inspect));
  const apiSessions = syncApiSessions(fabric);
  const sessions = syncSessions(fabric);
  const dataModel = syncDataModel(fabric);
  const addresses = shareAddresses(fabric);
  const ofEdgeRouters = (router: ConnectedRouter) => [
    ...dataModel(router),
    ...apiSessions.handlers(router),
    ...sessions(router),
    ...hosting.handlers(router),
  ];
  return {
    ready: circuits.restored,
    handlers: (router, budget) => {
      router.channel.signal.addEventListener('abort', () => {
        hosting.lost(router);
        linking.leave(router);
        circuits.lost(router);
      });
      return handlersOf(budget, [
        ...reportHandlers(router),
        ...renewalHandlers(fabric, router),
        ...linking.handlers(router),
        ...circuits.handlers(router),
        ...(router.connection.isEdgeRouter ? ofEdgeRouters(router) : []),
      ]);
    },
    begin: (router) => {
      addresses.tell(router);
      linking.introduce(router);
      circuits.began(router);
      if (!router.connection.isEdgeRouter) return;
      const failed = (message: string) => (error: unknown) => {
        if (!router.channel.signal.aborted) core.platform.logger.warn(message, { routerId: router.id, error });
      };
      greet(core, router).catch(failed('a router has not said how it is reached'));
      apiSessions.tellAll(router);
      hosting.began(router).catch(failed('a router has not said what it hosts'));
    },
  };
};
