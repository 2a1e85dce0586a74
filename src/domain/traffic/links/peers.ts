import { linkMessages } from '../../../control-channel/messages/links.ts';
import { onRouterChange } from '../routers/changes.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';

const { peerStateChanges } = linkMessages;

/** Introduces routers to each other, so that they dial links. */
export interface Peers {
  /** Tells a router that has connected of the others, and these of it. */
  introduce(router: ConnectedRouter): void;
  /** Tells the others that it is not there. */
  leave(router: ConnectedRouter): void;
}

export const introducePeers = ({ events, connected }: Pick<Fabric, 'events' | 'connected'>): Peers => {
  const others = (id: string) => connected.all().filter((router) => router.id !== id && !router.channel.signal.aborted);
  onRouterChange(events, ({ action, entityId }) => {
    if (action !== 'delete') return;
    for (const { channel } of others(entityId)) channel.send(peerStateChanges, { changes: [{ id: entityId, state: 'removed' }] });
  });
  return {
    introduce: (router) => {
      const peers = others(router.id);
      for (const { channel } of peers) channel.send(peerStateChanges, { changes: [asPeer(router)] });
      if (peers.length > 0) router.channel.send(peerStateChanges, { changes: peers.map(asPeer) });
    },
    leave: ({ id }) => {
      // Another connection of it may be there already.
      if (connected.get(id)) return;
      for (const { channel } of others(id)) channel.send(peerStateChanges, { changes: [{ id, state: 'unhealthy' }] });
    },
  };
};

const asPeer = ({ id, version, linkListeners }: ConnectedRouter) => ({ id, version, state: 'healthy', listeners: linkListeners }) as const;
