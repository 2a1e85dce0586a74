import type { linkMessages } from '../../../control-channel/messages/links.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { createIndexedMap } from '../../../platform/groups.ts';
import type { LinkConnection } from '../../../presence/traffic.ts';

/** A connection between two routers, over which circuits go. */
export interface RouterLink {
  readonly id: string;
  /** Id of the router that has dialed the link, and reports it. */
  readonly from: string;
  readonly to: string;
  /** Grows each time that the link is dialed again. */
  readonly iteration: number;
  readonly protocol: string;
  readonly dialAddress: string;
  /** The connections that the link consists of. */
  readonly connections: readonly LinkConnection[];
}

/** The links between routers, as these report them. In memory only: a router that connects reports all of its own. */
export interface LinkTable {
  get(id: string): RouterLink | undefined;
  all(): readonly RouterLink[];
  /** Adds or updates a link. Ignored if the id is that of another router's link, or of a later iteration. */
  report(link: RouterLink): void;
  /** Updates the connections of a link, likewise. */
  updateConnections(update: Pick<RouterLink, 'id' | 'from' | 'iteration' | 'connections'>): void;
  /** @returns the link, if it was known */
  remove(id: string): RouterLink | undefined;
  /** Removes the links that a router has dialed, except some. @returns the ids of those removed */
  removeExcept(routerId: string, kept: ReadonlySet<string>): readonly string[];
}

/** Links of one router at most. */
const MOST = 10_000;

export const createLinkTable = (): LinkTable => {
  const links = createIndexedMap<RouterLink>(({ from }) => [from]);
  const isForeign = ({ from, iteration }: Pick<RouterLink, 'from' | 'iteration'>, known: RouterLink): boolean =>
    known.from !== from || isOlder(iteration, known.iteration);
  return {
    get: links.get,
    all: links.all,
    report: (link) => {
      const known = links.get(link.id);
      if (known ? isForeign(link, known) : links.size(link.from) >= MOST) return;
      links.set(link);
    },
    updateConnections: (update) => {
      const known = links.get(update.id);
      if (known && !isForeign(update, known)) links.set({ ...known, connections: update.connections });
    },
    remove: links.delete,
    removeExcept: (routerId, kept) => {
      const removed = links.of(routerId).flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      for (const id of removed) links.delete(id);
      return removed;
    },
  };
};

/** True if a message about one iteration is out of date for another. 0 stands for any iteration. */
export const isOlder = (reported: number, known: number): boolean => reported !== 0 && known !== 0 && reported < known;

type LinkMessages = typeof linkMessages;

/** Longest text of a router that is kept. Longer ones are cut off where they are only displayed, and make a link invalid where they are ids. */
const LONGEST = 255;
/** Connections that are kept of one link. */
const MOST_CONNECTIONS = 16;

const cut = (text: string): string => text.slice(0, LONGEST);

const connectionsOf = (state: MessageBody<LinkMessages['linkState']>['connState']): RouterLink['connections'] =>
  (state?.conns ?? []).slice(0, MOST_CONNECTIONS).map(({ type, localAddr, remoteAddr }) => ({
    type: cut(type),
    source: cut(localAddr),
    dest: cut(remoteAddr),
  }));

/** The link in a report; undefined if its ids are too long. */
export const reportedLink = (
  from: string,
  { id, destRouterId, iteration, linkProtocol, dialAddress, connState }: MessageBody<LinkMessages['routerLinks']>['links'][number],
): RouterLink | undefined =>
  id.length > LONGEST || destRouterId.length > LONGEST
    ? undefined
    : {
        id,
        from,
        to: destRouterId,
        iteration,
        protocol: cut(linkProtocol),
        dialAddress: cut(dialAddress),
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
