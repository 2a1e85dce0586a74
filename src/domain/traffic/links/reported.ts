import type { Frame } from '../../../control-channel/frame.ts';
import { linkMessages } from '../../../control-channel/messages/links.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import type { RouterLink } from './links.ts';

const { routerLinks, linkState } = linkMessages;

/** Longest text of a router that is kept: longer ones are cut off where they are only shown, and a link whose ids are longer is none. */
const LONGEST = 255;
/** Connections of one link that are shown at most. */
const MOST_CONNECTIONS = 16;

const shownText = (said: string): string => said.slice(0, LONGEST);

const connectionsOf = (state: MessageBody<typeof linkState>['connState']): RouterLink['connections'] =>
  (state?.conns ?? []).slice(0, MOST_CONNECTIONS).map(({ type, localAddr, remoteAddr }) => ({
    type: shownText(type),
    source: shownText(localAddr),
    dest: shownText(remoteAddr),
  }));

/** The links that a router reports. */
export const reportedLinks = (from: string, { body }: Frame): readonly RouterLink[] =>
  routerLinks
    .decode(body)
    .links.filter(({ id, destRouterId }) => id.length <= LONGEST && destRouterId.length <= LONGEST)
    .map(({ id, destRouterId, iteration, linkProtocol, dialAddress, connState }) => ({
      id,
      from,
      to: destRouterId,
      iteration,
      protocol: shownText(linkProtocol),
      dialAddress: shownText(dialAddress),
      connections: connectionsOf(connState),
    }));

/** The connections that a router says that one of its links consists of now. */
export const reportedConnections = (from: string, { body }: Frame): Pick<RouterLink, 'id' | 'from' | 'iteration' | 'connections'> => {
  const { linkId, linkIteration, connState } = linkState.decode(body);
  return { id: linkId, from, iteration: linkIteration, connections: connectionsOf(connState) };
};
