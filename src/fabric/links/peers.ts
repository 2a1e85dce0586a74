import { createTimeSlice, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { PendingMessages } from '../../runtime/presence/traffic.ts';
import { linkMessages } from '../control-channel/messages/links.ts';
import { preEncoded } from '../control-channel/messages/message-type.ts';
import { joined } from '../control-channel/primitives.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, onRouterChange } from '../registry/fabric.ts';

type Peer = Pick<ConnectedRouter, 'id' | 'version' | 'linkListeners' | 'channel'>;

/** Announces routers to each other. */
export interface PeerAnnouncements {
  /** Announces a newly connected router to its peers, and the peers to it, so that they dial links to each other. */
  onConnect(router: Peer): void;
  /** Announces to its peers that the router is unreachable. */
  onDisconnect(router: Pick<Peer, 'id'>): void;
  /** The routers that changes have still to be announced to. */
  pendingUpdates(): PendingMessages['updates'];
}

type Dependencies = Pick<Fabric, 'events'> & { readonly connected: { get(id: string): unknown; all(): readonly Peer[] } };

const encode = linkMessages.peerStateChanges.encode;
const peerStateChanges = preEncoded(linkMessages.peerStateChanges);

/** Number of routers that are notified before yielding to the event loop. */
const PEERS_AT_ONCE = 25;
/** Maximum number of changes that are listed as pending. */
const MAX_PENDING = 10_000;

/**
 * Each change is encoded once. Peers are notified in rounds: changes during a round go out together in the next one. A few routers are
 * notified at once; when a thousand connect after a restart, this saves a million messages.
 */
export const announcePeers = ({ events, connected }: Dependencies): PeerAnnouncements => {
  const healthy = new WeakMap<Peer, Uint8Array>();
  const asPeer = (router: Peer): Uint8Array => {
    const { id, version, linkListeners } = router;
    const known = healthy.get(router) ?? encode({ changes: [{ id, version, state: 'healthy', listeners: linkListeners }] });
    healthy.set(router, known);
    return known;
  };
  /** The latest change of each router, encoded, that its peers do not know yet. */
  let pending = new Map<string, Uint8Array>();
  let isNotifying = false;
  /** The changes of the present round, and the routers that they have still to be announced to. */
  let round: { readonly changed: readonly string[]; readonly untold: Set<string> } = { changed: [], untold: new Set() };

  const notifyPeers = async (changes: ReadonlyMap<string, Uint8Array>): Promise<void> => {
    const yieldAfterBatch = createTimeSlice(PEERS_AT_ONCE);
    const all = joined([...changes.values()]);
    // A router that connects in the meantime gets a list of all others then.
    const peers = connected.all();
    const untold = new Set(peers.map(({ id }) => id));
    round = { changed: [...changes.keys()], untold };
    for (const { id, channel } of peers) {
      untold.delete(id);
      const others = changes.has(id) ? joined([...changes].flatMap(([of, change]) => (of === id ? [] : [change]))) : all;
      if (others.length > 0 && !channel.signal.aborted) channel.send(peerStateChanges, others);
      await yieldAfterBatch();
    }
  };
  const notifyPending = async (): Promise<void> => {
    if (isNotifying) return;
    isNotifying = true;
    while (pending.size > 0) {
      await yieldToEventLoop();
      const changes = pending;
      pending = new Map();
      await notifyPeers(changes);
    }
    isNotifying = false;
  };
  const announce = (id: string, change: Uint8Array): void => {
    // The latest change comes last, as it would by itself.
    pending.delete(id);
    pending.set(id, change);
    void notifyPending();
  };
  onRouterChange(events, ({ action, entityId }) => {
    if (action === 'delete') announce(entityId, encode({ changes: [{ id: entityId, state: 'removed' }] }));
  });
  const pendingUpdates = (): PendingMessages['updates'] => {
    let left = MAX_PENDING;
    return connected.all().flatMap(({ id: routerId }) => {
      const known = round.untold.has(routerId) ? [...round.changed, ...pending.keys()] : [...pending.keys()];
      const changed = [...new Set(known)].filter((id) => id !== routerId).slice(0, left);
      left -= changed.length;
      return changed.length > 0 ? [{ routerId, changed }] : [];
    });
  };
  return {
    pendingUpdates,
    onConnect: (router) => {
      const peers = connected.all().filter(({ id, channel }) => id !== router.id && !channel.signal.aborted);
      if (peers.length > 0) router.channel.send(peerStateChanges, joined(peers.map(asPeer)));
      announce(router.id, asPeer(router));
    },
    onDisconnect: ({ id }) => {
      // It may have reconnected already.
      if (!connected.get(id)) announce(id, encode({ changes: [{ id, state: 'unhealthy' }] }));
    },
  };
};
