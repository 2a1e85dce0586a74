import { PRINTABLE } from '../../contract/api/shared.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import { createIndexedMap } from '../../runtime/platform/groups.ts';
import type { LinkConnection } from '../../runtime/presence/traffic.ts';
import type { linkMessages } from '../control-channel/messages/links.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';

/** A connection between two routers that carries circuits. */
export interface RouterLink {
  readonly id: string;
  /** Id of the router that dialed the link, and reports it. */
  readonly from: string;
  readonly to: string;
  /** Incremented each time the link is redialed. */
  readonly iteration: number;
  readonly protocol: string;
  readonly dialAddress: string;
  /** The connections that the link consists of. */
  readonly connections: readonly LinkConnection[];
  /** Cost in a path, without latency. An administrator may change it. */
  readonly staticCost: number;
  /** True if an administrator has taken the link out of use: no path leads over it. */
  readonly isDown: boolean;
  /** Latency that the dialing router reports, and that of the other one. ns; 0 until it is reported */
  readonly sourceLatency: number;
  readonly destLatency: number;
}

/** A link as its router reports it. */
export type ReportedLink = Omit<RouterLink, keyof typeof DEFAULTS>;

/** The settings by administrators. They last as long as the link. */
export type LinkSettings = Pick<RouterLink, 'staticCost' | 'isDown'>;

/** A link that no administrator has changed, and whose latency is not known yet. */
const DEFAULTS = { staticCost: 1, isDown: false, sourceLatency: 0, destLatency: 0 };

/** The fields on which the cost of a link depends. */
export type CostOfLink = Pick<RouterLink, 'staticCost' | 'sourceLatency' | 'destLatency'>;

const NANOSECONDS = 1_000_000;

/** The cost of a link in a path, in addition to that of the router at its end: 1 per millisecond of latency at each end. */
export const linkCost = ({ staticCost, sourceLatency, destLatency }: CostOfLink): number =>
  staticCost + Math.floor(sourceLatency / NANOSECONDS) + Math.floor(destLatency / NANOSECONDS);

/** A change of the link that paths use between two routers: the cheapest that is in use, and of those the one known longest. */
export interface LinkChange {
  readonly from: string;
  readonly to: string;
  /** Id of the link that paths used before; undefined if they used none. */
  readonly former: string | undefined;
  /** The link that paths use now; undefined if there is none. */
  readonly current: (Pick<RouterLink, 'id'> & CostOfLink) | undefined;
}

/** The links between routers, as the routers report them. In memory only, because a router that connects reports all its links. */
export interface LinkTable {
  /** Registers a listener for the links that paths use. Called when another one is used between two routers, or when its cost changes. */
  onChange(listener: (change: LinkChange) => void): void;
  get(id: string): RouterLink | undefined;
  all(): readonly RouterLink[];
  /** The routers at the other ends of a router's links, each with the link that paths use between the two, if any. */
  neighbours(routerId: string): ReadonlyMap<string, Neighbour>;
  /**
   * Adds or updates a link. Ignored if the id belongs to another router's link, if a later iteration is known, or if the router has too
   * many links.
   * @returns true if there was no link between the two routers
   */
  report(link: ReportedLink): boolean;
  /**
   * Updates the connections of a link, under the same conditions as `report`.
   * @returns true if it was updated
   */
  updateConnections(update: Pick<RouterLink, 'id' | 'from' | 'iteration' | 'connections'>): boolean;
  /**
   * Changes the settings by administrators.
   * @returns true if the link is known
   */
  set(id: string, settings: Partial<LinkSettings>): boolean;
  /**
   * Updates the latency at the end of a link where the router is; ignored if it is at neither end, or if the latency has changed by less
   * than a tenth, so that paths are not computed again for each report.
   * @param latency ns
   */
  measure(routerId: string, id: string, latency: number): void;
  /** @returns the link, if it was known */
  remove(id: string): RouterLink | undefined;
  /**
   * Removes the links that a router dialed, except for those in `kept`.
   * @returns the ids of the removed links
   */
  removeExcept(routerId: string, kept: ReadonlySet<string>): readonly string[];
  /** Removes all links of a router, whichever end dialed them. */
  removeAll(routerId: string): void;
}

/** The links between two routers. */
export interface Neighbour {
  /** The link that paths use. */
  readonly used: RouterLink | undefined;
}

/** Maximum number of links that a router may report, and of those that lead to the same router. */
const MAX_LINKS = 2000;
const MAX_PARALLEL = 16;
/** Maximum latency of one end: a minute. ns */
const MAX_LATENCY = 60_000 * NANOSECONDS;
/** The least change of a latency that counts, as a share of it. */
const LEAST_CHANGE = 1 / 10;

export const createLinkTable = (): LinkTable => {
  const links = createIndexedMap<RouterLink>(({ from }) => [from]);
  const listeners: ((change: LinkChange) => void)[] = [];
  const pairs = createPairs((change) => {
    for (const listener of listeners) listener(change);
  });
  const isIgnored = ({ from, iteration }: Pick<RouterLink, 'from' | 'iteration'>, existing: RouterLink): boolean =>
    existing.from !== from || isOlder(iteration, existing.iteration);
  const remove = (id: string): RouterLink | undefined => {
    const link = links.delete(id);
    if (link) pairs.remove(link);
    return link;
  };
  /** @returns true if it is the first between its two routers */
  const put = (link: RouterLink): boolean => {
    links.set(link);
    return pairs.put(link);
  };
  const hasRoom = ({ from, to }: ReportedLink): boolean => {
    const parallel = pairs.between(from, to).filter((link) => link.from === from);
    return links.size(from) < MAX_LINKS && parallel.length < MAX_PARALLEL;
  };
  return {
    onChange: (listener) => void listeners.push(listener),
    get: links.get,
    all: links.all,
    neighbours: pairs.neighbours,
    report: (link) => {
      const existing = links.get(link.id);
      if (existing && isIgnored(link, existing)) return false;
      const isMoved = existing?.to !== link.to;
      if (isMoved) {
        remove(link.id);
        if (link.from === link.to || !hasRoom(link)) return false;
      }
      const { staticCost, isDown, sourceLatency, destLatency } = isMoved ? DEFAULTS : existing;
      return put({ ...link, staticCost, isDown, sourceLatency, destLatency });
    },
    updateConnections: (update) => {
      const existing = links.get(update.id);
      if (!existing || isIgnored(update, existing)) return false;
      put({ ...existing, connections: update.connections });
      return true;
    },
    set: (id, settings) => {
      const existing = links.get(id);
      if (!existing) return false;
      put({ ...existing, ...settings });
      return true;
    },
    measure: (routerId, id, latency) => {
      const existing = links.get(id);
      const end = existing?.from === routerId ? 'sourceLatency' : existing?.to === routerId ? 'destLatency' : undefined;
      if (!existing || !end || !(latency >= 0)) return;
      const bounded = Math.round(Math.min(latency, MAX_LATENCY));
      if (Math.abs(bounded - existing[end]) >= existing[end] * LEAST_CHANGE) put({ ...existing, [end]: bounded });
    },
    remove,
    removeExcept: (routerId, kept) => {
      const removed = links.of(routerId).flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      for (const id of removed) remove(id);
      return removed;
    },
    removeAll: (routerId) => {
      for (const other of [...pairs.neighbours(routerId).keys()]) for (const { id } of pairs.between(routerId, other)) remove(id);
    },
  };
};

const NONE: ReadonlyMap<string, Pair> = new Map();

interface Pair {
  /** In the order in which they became known. */
  readonly links: Map<string, RouterLink>;
  used: RouterLink | undefined;
}

/**
 * Groups links by the two routers that they connect.
 * @param changed called when paths use another link between two routers, or one with another cost
 */
const createPairs = (changed: (change: LinkChange) => void) => {
  const byRouter = new Map<string, Map<string, Pair>>();
  const update = (pair: Pair, { from, to }: Pick<RouterLink, 'from' | 'to'>): void => {
    const { used: former } = pair;
    const current = (pair.used = cheapest(pair.links.values()));
    const isSame = former?.id === current?.id && (!former || !current || linkCost(former) === linkCost(current));
    if (!isSame) changed({ from, to, former: former?.id, current });
  };
  return {
    neighbours: (routerId: string): typeof NONE => byRouter.get(routerId) ?? NONE,
    between: (one: string, other: string): readonly RouterLink[] => [...(byRouter.get(one)?.get(other)?.links.values() ?? [])],
    /** @returns true if it is the first between the two */
    put: (link: RouterLink): boolean => {
      const pair: Pair = byRouter.get(link.from)?.get(link.to) ?? { links: new Map(), used: undefined };
      const isFirst = pair.links.size === 0;
      pair.links.set(link.id, link);
      if (isFirst) for (const [one, other] of bothWays(link)) byRouter.set(one, (byRouter.get(one) ?? new Map()).set(other, pair));
      update(pair, link);
      return isFirst;
    },
    remove: (link: RouterLink): void => {
      const pair = byRouter.get(link.from)?.get(link.to);
      if (!pair) return;
      pair.links.delete(link.id);
      update(pair, link);
      if (pair.links.size > 0) return;
      for (const [one, other] of bothWays(link)) {
        byRouter.get(one)?.delete(other);
        if (byRouter.get(one)?.size === 0) byRouter.delete(one);
      }
    },
  };
};

const bothWays = ({ from, to }: Pick<RouterLink, 'from' | 'to'>) =>
  [
    [from, to],
    [to, from],
  ] as const;

/** The first of the links in use with the lowest cost. */
const cheapest = (links: Iterable<RouterLink>): RouterLink | undefined => {
  let least: RouterLink | undefined;
  for (const link of links) if (!link.isDown && (!least || linkCost(link) < linkCost(least))) least = link;
  return least;
};

/** True if a report is about an earlier iteration than the known one. 0 matches every iteration. */
export const isOlder = (reported: number, known: number): boolean => reported !== 0 && known !== 0 && reported < known;

type LinkMessages = typeof linkMessages;

/** Maximum length of a reported text. Text for display is cut; a link with a longer id is ignored. */
const MAX_LENGTH = 255;
/** Maximum number of connections that are kept per link. */
const MAX_CONNECTIONS = 16;

const connectionsOf = (state: MessageBody<LinkMessages['linkState']>['connState']): RouterLink['connections'] =>
  (state?.conns ?? []).slice(0, MAX_CONNECTIONS).map(({ type, localAddr, remoteAddr }) => ({
    type: beginningOf(type, MAX_LENGTH),
    source: beginningOf(localAddr, MAX_LENGTH),
    dest: beginningOf(remoteAddr, MAX_LENGTH),
  }));

/** Ids generated by routers are letters and digits. Others are not replaced, because routers look for their links by these ids. */
const isId = (text: string): boolean => text.length <= MAX_LENGTH && PRINTABLE.test(text);

/** The link in a report; undefined if its ids are too long, or have control characters. */
export const reportedLink = (
  from: string,
  { id, destRouterId, iteration, linkProtocol, dialAddress, connState }: MessageBody<LinkMessages['routerLinks']>['links'][number],
): ReportedLink | undefined =>
  isId(id) && isId(destRouterId)
    ? {
        id,
        from,
        to: destRouterId,
        iteration,
        protocol: beginningOf(linkProtocol, MAX_LENGTH),
        dialAddress: beginningOf(dialAddress, MAX_LENGTH),
        connections: connectionsOf(connState),
      }
    : undefined;

/** The update in a report of the state of a link. */
export const reportedConnections = (
  from: string,
  { linkId, linkIteration, connState }: MessageBody<LinkMessages['linkState']>,
): Parameters<LinkTable['updateConnections']>[0] => ({
  id: linkId,
  from,
  iteration: linkIteration,
  connections: connectionsOf(connState),
});
