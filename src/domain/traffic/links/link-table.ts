import type { linkMessages } from '../../../control-channel/messages/links.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { createIndexedMap } from '../../../platform/groups.ts';
import type { LinkConnection } from '../../../presence/traffic.ts';

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

/** The links between routers, as the routers report them. In memory only, because a router that connects reports all its links. */
export interface LinkTable {
  get(id: string): RouterLink | undefined;
  all(): readonly RouterLink[];
  /** Adds or updates a link. Ignored if the id belongs to another router's link, or if a later iteration is known. */
  report(link: RouterLink): void;
  /** Updates the connections of a link, under the same conditions as `report`. */
  updateConnections(update: Pick<RouterLink, 'id' | 'from' | 'iteration' | 'connections'>): void;
  /** @returns the link, if it was known */
  remove(id: string): RouterLink | undefined;
  /** Removes the links that a router dialed, except for those in `kept`. @returns the ids of the removed links */
  removeExcept(routerId: string, kept: ReadonlySet<string>): readonly string[];
}

/** Maximum number of links per router. */
const MAX_LINKS = 10_000;

export const createLinkTable = (): LinkTable => {
  const links = createIndexedMap<RouterLink>(({ from }) => [from]);
  const isIgnored = ({ from, iteration }: Pick<RouterLink, 'from' | 'iteration'>, existing: RouterLink): boolean =>
    existing.from !== from || isOlder(iteration, existing.iteration);
  return {
    get: links.get,
    all: links.all,
    report: (link) => {
      const existing = links.get(link.id);
      if (existing ? isIgnored(link, existing) : links.size(link.from) >= MAX_LINKS) return;
      links.set(link);
    },
    updateConnections: (update) => {
      const existing = links.get(update.id);
      if (existing && !isIgnored(update, existing)) links.set({ ...existing, connections: update.connections });
    },
    remove: links.delete,
    removeExcept: (routerId, kept) => {
      const removed = links.of(routerId).flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      for (const id of removed) links.delete(id);
      return removed;
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

const truncate = (text: string): string => text.slice(0, MAX_LENGTH);

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
