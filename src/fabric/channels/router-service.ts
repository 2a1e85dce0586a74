import { type Traffic, type TrafficPoint, trafficPoints } from '../../runtime/presence/traffic.ts';
import { watchAuthorizations } from '../authorization/watch.ts';
import { type Circuits, serveCircuits } from '../circuits/circuits.ts';
import type { Budget } from '../control-channel/budget.ts';
import { syncDataModel } from '../data-model/subscriptions.ts';
import { serveTerminators } from '../hosted-terminators/terminators.ts';
import { linkCost } from '../links/link-table.ts';
import { type RouterLinks, serveLinks } from '../links/router-links.ts';
import type { ConnectedRouter, ConnectedRouters } from '../registry/connected-routers.ts';
import { shareControllerAddresses } from '../registry/controller-addresses.ts';
import type { Fabric } from '../registry/fabric.ts';
import { createHandlers, type MessageHandlers } from '../registry/message-handlers.ts';
import { syncApiSessions } from '../sessions/api-sessions.ts';
import { syncSessions } from '../sessions/sessions.ts';
import type { InspectRouters } from './inspect.ts';
import { operatorHandlers } from './operator-requests.ts';
import { renewalHandlers } from './renewal.ts';
import { type MetricsReporting, reportHandlers, requestListeners } from './reports.ts';
import { createRouterTraces } from './traces.ts';
import { createTrafficSamples } from './traffic-samples.ts';
import { validationsBy } from './validations.ts';

/** Serves connected routers. */
export interface RouterService {
  /**
   * Resolves once routers may be admitted.
   * @throws errors of the store
   */
  ready(): Promise<void>;
  handlers(router: ConnectedRouter, budget: Budget): MessageHandlers;
  /** Sends the router its initial state, and requests the router's state. Failures are logged. */
  onConnect(router: ConnectedRouter, remoteAddress: string): void;
}

export const createRouterService = (fabric: Fabric, inspect: InspectRouters): RouterService => {
  const { core, connected } = fabric;
  const authorizations = watchAuthorizations(fabric);
  const terminators = serveTerminators(fabric, authorizations);
  const links = serveLinks(fabric);
  const circuits = serveCircuits(fabric, authorizations, terminators, links);
  const apiSessions = syncApiSessions(fabric);
  const sessionHandlers = syncSessions(fabric);
  const dataModel = syncDataModel(fabric);
  const traces = createRouterTraces(fabric);
  const traffic = trafficOf(connected, links, circuits, inspect);
  const samples = createTrafficSamples(fabric, traffic);
  core.traffic.serve({
    ...traffic,
    history: () => samples.history,
    ...validationsBy(connected, dataModel),
    modelPosition: dataModel.position,
    model: dataModel.model,
    pendingMessages: () => ({ updates: links.pendingUpdates(), validations: terminators.pendingValidations() }),
    toggleTraces: traces.toggle,
  });
  const addresses = shareControllerAddresses(fabric);
  const reportingOf = ({ id }: ConnectedRouter): MetricsReporting => ({
    usage: circuits.usage(id),
    measureLinks: ({ histograms }) => links.measure(id, histograms),
    endsOf: (linkId) => {
      const link = links.table.get(linkId);
      return link?.from === id || link?.to === id ? link : undefined;
    },
  });
  const edgeHandlers = (router: ConnectedRouter) => [
    ...dataModel.handlers(router),
    ...apiSessions.handlers(router),
    ...sessionHandlers(router),
    ...terminators.handlers(router),
  ];
  return {
    ready: circuits.restored,
    handlers: (router, budget) => {
      router.channel.signal.addEventListener('abort', () => {
        terminators.onDisconnect(router);
        links.onDisconnect(router);
        circuits.onDisconnect(router);
      });
      const reporting = reportingOf(router);
      return createHandlers(budget, [
        ...reportHandlers(core, router, reporting),
        traces.handler(router, reporting.endsOf),
        ...renewalHandlers(fabric, router),
        ...operatorHandlers(fabric, router, terminators.setQuiesced),
        ...addresses.handlers(router),
        ...links.handlers(router),
        ...circuits.handlers(router),
        ...(router.connection.isEdgeRouter ? edgeHandlers(router) : []),
      ]);
    },
    onConnect: (router, remoteAddress) => {
      samples.start();
      emitConnection(fabric, router, remoteAddress);
      addresses.onConnect(router);
      links.onConnect(router);
      circuits.onConnect(router);
      const warn = (message: string) => (error: unknown) => {
        if (!router.channel.signal.aborted) core.platform.logger.warn(message, { routerId: router.id, error });
      };
      if (router.ctrlChanListeners)
        router.connection
          .ctrlChanListeners(router.ctrlChanListeners)
          .catch(warn('the addresses at which a router accepts control channels were not stored'));
      if (!router.connection.isEdgeRouter) return;
      requestListeners(core, router).catch(warn('a router has not reported its listeners; clients cannot use it until it connects again'));
      apiSessions.onConnect(router);
      terminators.onConnect(router).catch(warn('the terminators of a router could not be validated; this is done when it connects again'));
    },
  };
};

/** Emits the events of a router that has connected, and later those of its disconnection. */
const emitConnection = ({ core, connected }: Fabric, { id, channel }: ConnectedRouter, remoteAddress: string): void => {
  const { networkEvents, controllerId, ctrlAddress = '' } = core;
  networkEvents.emit('router', () => ({ event_type: 'router-online', router_id: id, router_online: true }));
  networkEvents.emit('connect', () => ({
    src_type: 'router',
    dst_type: 'ctrl',
    src_id: id,
    src_addr: remoteAddress,
    dst_id: controllerId,
    dst_addr: ctrlAddress,
  }));
  channel.signal.addEventListener('abort', () => {
    // It may have connected again already.
    if (!connected.get(id)) networkEvents.emit('router', () => ({ event_type: 'router-offline', router_id: id, router_online: false }));
  });
};

/** The traffic of these routers, for operators. */
const trafficOf = (connected: ConnectedRouters, links: RouterLinks, circuits: Circuits, inspect: InspectRouters) =>
  ({
    links: () => links.table.all().map((link) => ({ ...link, cost: linkCost(link) })),
    // While a router on its path is not connected, a circuit is unconfirmed, and not listed.
    circuits: () => circuits.all().filter(({ path }) => path.every((routerId) => connected.get(routerId))),
    circuit: circuits.get,
    carried: () => {
      const sums: Partial<Record<TrafficPoint, number>> = {};
      for (const { trafficBytes } of connected.all())
        for (const point of trafficPoints) if (trafficBytes[point] !== undefined) sums[point] = (sums[point] ?? 0) + trafficBytes[point];
      return sums;
    },
    carriedByRouter: () => connected.all().map(({ id, trafficBytes }) => ({ routerId: id, bytes: trafficBytes })),
    linkListeners: (routerId) => connected.get(routerId)?.linkListeners ?? [],
    endLink: (id) => {
      const wasKnown = links.close(id);
      if (wasKnown) circuits.onLinkRemoved(id);
      return wasKnown;
    },
    changeLink: (id, settings) => {
      const isKnown = links.table.set(id, settings);
      if (isKnown) circuits.onLinkChanged(id);
      return isKnown;
    },
    endCircuit: circuits.end,
    inspect: (values, isSelected) => inspect({ values, routerIds: connected.all().flatMap(({ id }) => (isSelected(id) ? [id] : [])) }),
  }) satisfies Partial<Traffic>;
