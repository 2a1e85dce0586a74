import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import type { Fabric } from '../registry/fabric.ts';
import { type LinkTable, linkCost, type RouterLink } from './link-table.ts';

/** Emits the events of links. */
export interface LinkEvents {
  /** A router reports a link, which the table may have ignored. */
  reported(link: Pick<RouterLink, 'id'>, wasKnown: boolean): void;
  connectionsChanged(link: Pick<RouterLink, 'id' | 'connections'>): void;
  /** @param link only its id, if the controller did not know it */
  removed(reason: 'fault' | 'duplicate', link: RouterLink | Pick<RouterLink, 'id'>): void;
}

export const createLinkEvents = ({ core, connected }: Pick<Fabric, 'core' | 'connected'>, table: Pick<LinkTable, 'get'>): LinkEvents => {
  const { networkEvents } = core;
  return {
    reported: ({ id }, wasKnown) => {
      const link = table.get(id);
      if (!link) return;
      if (connected.get(link.to)) networkEvents.emit('link', () => linkEvent(wasKnown ? 'routerLinkKnown' : 'routerLinkNew', link));
      else networkEvents.emit('link', () => ({ event_type: 'routerLinkDisconnectedDest', link_id: id }));
    },
    connectionsChanged: ({ id, connections }) =>
      networkEvents.emit('link', () => ({ event_type: 'connectionsChanged', link_id: id, ...connectionsOf(connections) })),
    removed: (reason, link) =>
      networkEvents.emit('link', () =>
        'from' in link ? linkEvent(reason, link) : { event_type: reason, link_id: beginningOf(link.id, MAX_ID_LENGTH) },
      ),
  };
};

const MAX_ID_LENGTH = 255;

const linkEvent = (event_type: ToldEvent<'link'>['event_type'], link: RouterLink): ToldEvent<'link'> => ({
  event_type,
  link_id: link.id,
  src_router_id: link.from,
  dst_router_id: link.to,
  protocol: link.protocol,
  dial_address: link.dialAddress,
  cost: linkCost(link),
  ...connectionsOf(link.connections),
});

/** The field is absent if there are none. */
const connectionsOf = (connections: RouterLink['connections']): Pick<ToldEvent<'link'>, 'connections'> =>
  connections.length === 0
    ? {}
    : { connections: connections.map(({ type, source, dest }) => ({ id: type, local_addr: source, remote_addr: dest })) };
