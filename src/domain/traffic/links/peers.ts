import { linkMessages } from '../../../control-channel/messages/links.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, onRouterChange } from '../routers/fabric.ts';

const { peerStateChanges } = linkMessages;

/** Announces routers to each other, so that they dial links. */
export interface Peers {
  /** Announces a router that has connected to the others, and these to it. */
  onConnect(router: ConnectedRouter): void;
  /** Announces to the others that it is unreachable. */
  onDisconnect(router: ConnectedRouter): void;
}

export const announcePeers = ({ events, connected }: Pick<Fabric, 'events' | 'connected'>): Peers => {
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
      // It may have connected again already.
      if (connected.get(id)) return;
      for (const { channel } of others(id)) channel.send(peerStateChanges, { changes: [{ id, state: 'unhealthy' }] });
    },
  };
};

const asPeer = ({ id, version, linkListeners }: ConnectedRouter) => ({ id, version, state: 'healthy', listeners: linkListeners }) as const;
