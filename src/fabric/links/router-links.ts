import { router as routerKind } from '../../contract/api/routers.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import type { Budget } from '../control-channel/budget.ts';
import { circuitMessages } from '../control-channel/messages/circuits.ts';
import { linkMessages } from '../control-channel/messages/links.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters, onRouterChange } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { type FabricPaths, findPaths } from './fabric-paths.ts';
import { createLinkTable, isOlder, type LinkTable, type RouterLink, reportedConnections, reportedLink } from './link-table.ts';

const { routerLinks, linkState, verifyRouter, peerStateChanges } = linkMessages;
const { fault } = circuitMessages;

/** The link that a fault message is about. */
type LinkFault = Pick<MessageBody<typeof fault>, 'id' | 'iteration'>;

/** The links between routers. */
export interface RouterLinks {
  readonly table: LinkTable;
  /** The paths over these links. */
  readonly paths: FabricPaths;
  /** Announces a newly connected router to its peers, and the peers to it, so that they dial links to each other. */
  onConnect(router: ConnectedRouter): void;
  /** Announces to its peers that the router is unreachable. */
  onDisconnect(router: ConnectedRouter): void;
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
  /**
   * Removes a link that one end reports as a duplicate, and notifies the other end.
   * @returns true if the link was known
   */
  removeDuplicate(router: ConnectedRouter, reported: LinkFault): boolean;
  /**
   * Removes a link that one end reports as broken.
   * @returns true if the link is no longer known
   */
  removeBroken(router: ConnectedRouter, reported: LinkFault): boolean;
  /**
   * Has both ends close a link.
   * @returns true if it was known
   */
  close(id: string): boolean;
  /** Removes the links that a router dialed which has left for good. */
  forget(routerId: string): void;
  /** Registers a listener for links that their router no longer reports. */
  onUnreported(listener: (linkId: string) => void): void;
}

/** Approximate number of elements per link in a report. */
const ELEMENTS_PER_LINK = 8;
/**
 * The price of the first link between two routers, in elements: paths may have to be computed again. A router pays for 2000 of them when it
 * starts.
 */
const ELEMENTS_PER_NEIGHBOUR = 250;

/**
 * @returns a function that applies a router's reports. The first one of a connection, and full refreshes, list all links; others list only
 * new ones.
 */
const reporter = (table: LinkTable, { id: from, channel }: ConnectedRouter, onUnreported: (linkId: string) => void) => {
  const mutex = createSemaphore(1);
  let isFirst = true;
  function* apply(report: MessageBody<typeof routerLinks>): Generator<number, void> {
    const reported: RouterLink[] = [];
    for (const entry of report.links) {
      const link = reportedLink(from, entry);
      if (link) reported.push(link);
      yield ELEMENTS_PER_LINK;
    }
    // Ignores a router that was deleted, or that has since reported over another connection.
    if (channel.signal.aborted) return;
    const removed = isFirst || report.fullRefresh ? table.removeExcept(from, new Set(reported.map(({ id }) => id))) : [];
    isFirst = false;
    for (const link of reported) {
      if (channel.signal.aborted) break;
      yield table.report(link) ? ELEMENTS_PER_NEIGHBOUR : 1;
    }
    for (const id of removed) onUnreported(id);
  }
  return (report: MessageBody<typeof routerLinks>, budget: Budget): Promise<void> => mutex.run(() => budget.run(apply(report)));
};

export const serveLinks = (fabric: Fabric): RouterLinks => {
  const { core, connected, events } = fabric;
  const table = createLinkTable();
  const listeners: ((linkId: string) => void)[] = [];
  const unreported = (linkId: string): void => {
    for (const listener of listeners) listener(linkId);
  };
  onRouterChange(events, ({ action, entityId }) => {
    if (action === 'delete') table.removeAll(entityId);
  });

  /** The link; undefined if the router is at neither end of it, or if the report is about an earlier iteration. */
  const ofRouter = ({ id: routerId }: ConnectedRouter, { id, iteration }: LinkFault) => {
    const link = table.get(id);
    const isEnd = link?.from === routerId || link?.to === routerId;
    return link && isEnd && !isOlder(iteration, link.iteration) ? link : undefined;
  };
  const sendFault = (routerId: string, { id, iteration }: LinkFault): void =>
    connected.get(routerId)?.channel.send(fault, { subject: 'link', id, iteration });
  /**
   * Verifies the peer of a router on a link: the first fingerprint must be that of the peer's current certificate. Routers before v2.0.3
   * send those of the whole chain, but the TLS handshake has proved possession of the leaf's key only (GHSA-hhm9-wf63-g7qj).
   */
  const verify = async ({ routerId, fingerprints: [leaf] }: MessageBody<typeof verifyRouter>): Promise<boolean> => {
    const row = await forRouters(core, (job) => job.read((entities) => entities.get(routerKind, routerId)));
    return leaf !== undefined && row?.fingerprint === leaf && !row.disabled;
  };

  return {
    table,
    paths: findPaths(fabric, table),
    ...announcePeers(fabric),
    onUnreported: (listener) => void listeners.push(listener),
    handlers: (router) => {
      const report = reporter(table, router, unreported);
      return [
        handle(routerLinks, (links, _frame, budget) => report(links, budget)),
        handle(linkState, (state) => table.updateConnections(reportedConnections(router.id, state))),
        handle(verifyRouter, async (request, frame) => {
          const isVerified = await verify(request);
          router.channel.sendResult(frame, isVerified, isVerified ? 'router verified' : 'these are not certificates of the router');
        }),
      ];
    },
    removeDuplicate: (router, reported) => {
      const link = ofRouter(router, reported);
      if (!link) return false;
      table.remove(link.id);
      sendFault(link.from === router.id ? link.to : link.from, { id: link.id, iteration: reported.iteration });
      return true;
    },
    removeBroken: (router, reported) => {
      const link = ofRouter(router, reported);
      if (link) table.remove(link.id);
      return table.get(reported.id) === undefined;
    },
    close: (id) => {
      const link = table.remove(id);
      if (link) for (const end of [link.from, link.to]) sendFault(end, link);
      return link !== undefined;
    },
    forget: (routerId) => {
      for (const id of table.removeExcept(routerId, new Set())) unreported(id);
    },
  };
};

/** Announces routers to each other. */
const announcePeers = ({ events, connected }: Pick<Fabric, 'events' | 'connected'>): Pick<RouterLinks, 'onConnect' | 'onDisconnect'> => {
  const others = (id: string) => connected.all().filter((router) => router.id !== id && !router.channel.signal.aborted);
  onRouterChange(events, ({ action, entityId }) => {
    if (action !== 'delete') return;
    for (const { channel } of others(entityId)) channel.send(peerStateChanges, { changes: [{ id: entityId, state: 'removed' }] });
  });
  return {
    onConnect: (router) => {
      const peers = others(router.id);
      for (const { channel } of peers) channel.send(peerStateChanges, { changes: [asPeer(router)] });
      if (peers.length > 0) router.channel.send(peerStateChanges, { changes: peers.map(asPeer) });
    },
    onDisconnect: ({ id }) => {
      // It may have reconnected already.
      if (connected.get(id)) return;
      for (const { channel } of others(id)) channel.send(peerStateChanges, { changes: [{ id, state: 'unhealthy' }] });
    },
  };
};

const asPeer = ({ id, version, linkListeners }: ConnectedRouter) => ({ id, version, state: 'healthy', listeners: linkListeners }) as const;
