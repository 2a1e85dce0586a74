import { copyText } from '../../runtime/platform/copy-text.ts';
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
}

/** The id of a link, and the routers that it connects. */
export type LinkEnds = Pick<RouterLink, 'id' | 'from' | 'to'>;

/** The links between routers, as the routers report them. In memory only, because a router that connects reports all its links. */
export interface LinkTable {
  /**
   * Registers a listener for the links that paths use: of those between the same two routers, the one known longest. Called when one
   * appears or disappears.
   */
  onChange(listener: (link: LinkEnds) => void): void;
  get(id: string): RouterLink | undefined;
  all(): readonly RouterLink[];
  /**
   * The routers at the other ends of a router's links, each with the ids of the links between the two: the one known longest comes first.
   */
  neighbours(routerId: string): ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * Adds or updates a link. Ignored if the id belongs to another router's link, if a later iteration is known, or if the router has too
   * many links.
   * @returns true if there was no link between the two routers
   */
  report(link: RouterLink): boolean;
  /** Updates the connections of a link, under the same conditions as `report`. */
  updateConnections(update: Pick<RouterLink, 'id' | 'from' | 'iteration' | 'connections'>): void;
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

/** Maximum number of links that a router may report, and of those that lead to the same router. */
const MAX_LINKS = 2000;
const MAX_PARALLEL = 16;

export const createLinkTable = (): LinkTable => {
  const links = createIndexedMap<RouterLink>(({ from }) => [from]);
  const listeners: ((link: LinkEnds) => void)[] = [];
  const pairs = createPairs((link) => {
    for (const listener of listeners) listener(link);
  });
  const isIgnored = ({ from, iteration }: Pick<RouterLink, 'from' | 'iteration'>, existing: RouterLink): boolean =>
    existing.from !== from || isOlder(iteration, existing.iteration);
  const remove = (id: string): RouterLink | undefined => {
    const link = links.delete(id);
    if (link) pairs.remove(link);
    return link;
  };
  const hasRoom = ({ from, to }: RouterLink): boolean => {
    const parallel = [...(pairs.neighbours(from).get(to) ?? [])].filter((id) => links.get(id)?.from === from);
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
      links.set(link);
      return isMoved && pairs.add(link);
    },
    updateConnections: (update) => {
      const existing = links.get(update.id);
      if (existing && !isIgnored(update, existing)) links.set({ ...existing, connections: update.connections });
    },
    remove,
    removeExcept: (routerId, kept) => {
      const removed = links.of(routerId).flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      for (const id of removed) remove(id);
      return removed;
    },
    removeAll: (routerId) => {
      for (const ids of [...pairs.neighbours(routerId).values()]) for (const id of [...ids]) remove(id);
    },
  };
};

const NONE: ReadonlyMap<string, ReadonlySet<string>> = new Map();

/**
 * Groups the ids of links by the two routers that they connect.
 * @param changed called when the first link of a group changes: paths do not use the others
 */
const createPairs = (changed: (link: LinkEnds) => void) => {
  const byRouter = new Map<string, Map<string, Set<string>>>();
  const bothWays = ({ from, to }: LinkEnds) =>
    [
      [from, to],
      [to, from],
    ] as const;
  return {
    neighbours: (routerId: string): typeof NONE => byRouter.get(routerId) ?? NONE,
    /** @returns true if it is the first between the two */
    add: (link: LinkEnds): boolean => {
      const ids = byRouter.get(link.from)?.get(link.to) ?? new Set();
      if (ids.add(link.id).size > 1) return false;
      for (const [one, other] of bothWays(link)) byRouter.set(one, (byRouter.get(one) ?? new Map()).set(other, ids));
      changed(link);
      return true;
    },
    remove: (link: LinkEnds): void => {
      const ids = byRouter.get(link.from)?.get(link.to) ?? new Set();
      const [first] = ids;
      ids.delete(link.id);
      if (first === link.id) changed(link);
      if (ids.size > 0) return;
      for (const [one, other] of bothWays(link)) {
        byRouter.get(one)?.delete(other);
        if (byRouter.get(one)?.size === 0) byRouter.delete(one);
      }
    },
  };
};

/** True if a report is about an earlier iteration than the known one. 0 matches every iteration. */
export const isOlder = (reported: number, known: number): boolean => reported !== 0 && known !== 0 && reported < known;

type LinkMessages = typeof linkMessages;

/** Maximum length of a reported text. Text for display is truncated to it; a link with a longer id is ignored. */
const MAX_LENGTH = 255;
/** Maximum number of connections that are kept per link. */
const MAX_CONNECTIONS = 16;

const truncate = (text: string): string => copyText(text, MAX_LENGTH);

const connectionsOf = (state: MessageBody<LinkMessages['linkState']>['connState']): RouterLink['connections'] =>
  (state?.conns ?? []).slice(0, MAX_CONNECTIONS).map(({ type, localAddr, remoteAddr }) => ({
    type: truncate(type),
    source: truncate(localAddr),
    dest: truncate(remoteAddr),
  }));

/** The link in a report; undefined if its ids are too long. */
export const reportedLink = (
  from: string,
  { id, destRouterId, iteration, linkProtocol, dialAddress, connState }: MessageBody<LinkMessages['routerLinks']>['links'][number],
): RouterLink | undefined =>
  id.length > MAX_LENGTH || destRouterId.length > MAX_LENGTH
    ? undefined
    : {
        id,
        from,
        to: destRouterId,
        iteration,
        protocol: truncate(linkProtocol),
        dialAddress: truncate(dialAddress),
        connections: connectionsOf(connState),
      };

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
