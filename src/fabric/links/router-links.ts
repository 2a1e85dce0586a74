import { router as routerKind } from '../../contract/api/routers.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import { createAddressRate } from '../../runtime/platform/request-rate.ts';
import type { Budget } from '../control-channel/budget.ts';
import { circuitMessages } from '../control-channel/messages/circuits.ts';
import { linkMessages } from '../control-channel/messages/links.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters, onRouterChange } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { type FabricPaths, findPaths } from './fabric-paths.ts';
import { createLinkEvents, type LinkEvents } from './link-events.ts';
import { createLinkTable, isOlder, type LinkTable, type ReportedLink, reportedConnections, reportedLink } from './link-table.ts';
import { announcePeers, type PeerAnnouncements } from './peers.ts';

const { routerLinks, linkState, verifyRouter } = linkMessages;
const { fault } = circuitMessages;

/** The link that a fault message is about. */
type LinkFault = Pick<MessageBody<typeof fault>, 'id' | 'iteration'>;

/** The links between routers. */
export interface RouterLinks extends PeerAnnouncements {
  readonly table: LinkTable;
  /** The paths over these links. */
  readonly paths: FabricPaths;
  handlers(router: ConnectedRouter): readonly HandlerEntry[];
  /** Updates the latencies at the ends of links where the router is, from a report of its metrics. */
  measure(routerId: string, histograms: Histograms): Generator<number, void>;
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

/** The means of a router's measurements, by name. ns */
type Histograms = ReadonlyMap<string, { readonly mean: number }>;

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
const reporter = (table: LinkTable, told: LinkEvents, { id: from, channel }: ConnectedRouter, onUnreported: (linkId: string) => void) => {
  const mutex = createSemaphore(1);
  let isFirst = true;
  function* apply(report: MessageBody<typeof routerLinks>): Generator<number, void> {
    const reported: ReportedLink[] = [];
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
      const wasKnown = table.get(link.id) !== undefined;
      const isFirstBetween = table.report(link);
      told.reported(link, wasKnown);
      yield isFirstBetween ? ELEMENTS_PER_NEIGHBOUR : 1;
    }
    for (const id of removed) onUnreported(id);
  }
  return (report: MessageBody<typeof routerLinks>, budget: Budget): Promise<void> => mutex.run(() => budget.run(apply(report)));
};

/** The same for the latency of a link: paths may have to be computed again. */
const ELEMENTS_PER_LATENCY = 20;

/** The id of the link whose latency a metric with this name is. */
const linkMeasuredBy = (name: string): string | undefined => /^link\.(.+)\.latency$/.exec(name)?.[1];

/** Maximum number of events of a router per minute for faults of links that the controller does not know. */
const UNKNOWN_FAULTS_PER_MINUTE = 600;

export const serveLinks = (fabric: Fabric): RouterLinks => {
  const { core, connected, events } = fabric;
  const table = createLinkTable();
  const told = createLinkEvents(fabric, table);
  const unknownFaults = createAddressRate(core.platform.clock, UNKNOWN_FAULTS_PER_MINUTE);
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
      const report = reporter(table, told, router, unreported);
      return [
        handle(routerLinks, (links, _frame, budget) => report(links, budget)),
        handle(linkState, (state) => {
          const update = reportedConnections(router.id, state);
          if (table.updateConnections(update)) told.connectionsChanged(update);
        }),
        handle(verifyRouter, async (request, frame) => {
          const isVerified = await verify(request);
          router.channel.sendResult(frame, isVerified, isVerified ? 'router verified' : 'these are not certificates of the router');
        }),
      ];
    },
    *measure(routerId, histograms) {
      for (const [name, { mean }] of histograms) {
        const id = linkMeasuredBy(name);
        if (id === undefined) continue;
        // The time in the queues of the router counts, too.
        table.measure(routerId, id, mean + (histograms.get(`link.${id}.queue_time`)?.mean ?? 0));
        yield ELEMENTS_PER_LATENCY;
      }
    },
    removeDuplicate: (router, reported) => {
      const link = ofRouter(router, reported);
      if (!link) return false;
      table.remove(link.id);
      told.removed('duplicate', link);
      sendFault(link.from === router.id ? link.to : link.from, { id: link.id, iteration: reported.iteration });
      return true;
    },
    removeBroken: (router, reported) => {
      const link = ofRouter(router, reported);
      if (link) table.remove(link.id);
      const isGone = table.get(reported.id) === undefined;
      if (link) told.removed('fault', link);
      else if (isGone && unknownFaults.take(router.id) === 0) told.removed('fault', { id: reported.id });
      return isGone;
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
