import type { linkMessages } from '../../../control-channel/messages/links.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import type { RouterLink } from './link-table.ts';

type LinkMessages = typeof linkMessages;

/** Longest text of a router that is kept: longer ones are cut off where they are only shown, and a link whose ids are longer is none. */
const LONGEST = 255;
/** Connections of one link that are shown at most. */
const MOST_CONNECTIONS = 16;

const shownText = (said: string): string => said.slice(0, LONGEST);

const connectionsOf = (state: MessageBody<LinkMessages['linkState']>['connState']): RouterLink['connections'] =>
  (state?.conns ?? []).slice(0, MOST_CONNECTIONS).map(({ type, localAddr, remoteAddr }) => ({
    type: shownText(type),
    source: shownText(localAddr),
    dest: shownText(remoteAddr),
  }));

/** A link that a router reports; undefined for one with ids of any length. */
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
        protocol: shownText(linkProtocol),
        dialAddress: shownText(dialAddress),
        connections: connectionsOf(connState),
      };

/** The connections that a router says that one of its links consists of now. */
export const reportedConnections = (
  from: string,
  { linkId, linkIteration, connState }: MessageBody<LinkMessages['linkState']>,
): Pick<RouterLink, 'id' | 'from' | 'iteration' | 'connections'> => ({
  id: linkId,
  from,
  iteration: linkIteration,
  connections: connectionsOf(connState),
});
