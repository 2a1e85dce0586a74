import { circuitMessages } from '../control-channel/messages/circuits.ts';
import type { ConnectedRouter, ConnectedRouters } from '../registry/connected-routers.ts';

/** Removes ended circuits from routers. */
export interface Unrouting {
  /**
   * Routers that are not connected get the message when they connect.
   * @param isImmediate false: data in transit may arrive first
   */
  unroute(routerIds: readonly string[], circuitId: string, isImmediate: boolean): void;
  onConnect(router: ConnectedRouter): void;
  onDelete(routerId: string): void;
}

export const createUnrouting = (connected: ConnectedRouters): Unrouting => {
  const pending = createPendingUnroutes();
  return {
    unroute: (routerIds, circuitId, isImmediate) => {
      for (const routerId of routerIds) {
        const router = connected.get(routerId);
        if (router) sendUnroute(router, circuitId, isImmediate);
        else pending.add(routerId, circuitId);
      }
    },
    onConnect: (router) => {
      for (const id of pending.take(router.id)) sendUnroute(router, id, true);
    },
    onDelete: (routerId) => void pending.take(routerId),
  };
};

/**
 * Tells a router to remove a circuit.
 * @param isImmediate false: data in transit may arrive first
 */
export const sendUnroute = ({ channel }: ConnectedRouter, circuitId: string, isImmediate: boolean): void => {
  if (!channel.signal.aborted) channel.send(circuitMessages.unroute, { circuitId, now: isImmediate });
};

/** Circuits that have ended while a router on their path was not connected. */
export interface PendingUnroutes {
  add(routerId: string, circuitId: string): void;
  /** Removes and returns the circuits of a router. */
  take(routerId: string): readonly string[];
}

/** Maximum number of routers, and of circuits of each. Dropping the oldest is safe, because routers also ask about idle circuits. */
const MAX_PENDING = 10_000;

export const createPendingUnroutes = (): PendingUnroutes => {
  const byRouter = new Map<string, Set<string>>();
  return {
    add: (routerId, circuitId) => {
      const circuitIds = byRouter.get(routerId) ?? new Set();
      byRouter.set(routerId, circuitIds.add(circuitId));
      dropOldest(circuitIds);
      dropOldest(byRouter);
    },
    take: (routerId) => {
      const circuitIds = [...(byRouter.get(routerId) ?? [])];
      byRouter.delete(routerId);
      return circuitIds;
    },
  };
};

const dropOldest = (entries: Map<string, unknown> | Set<string>): void => {
  const [oldest] = entries.size > MAX_PENDING ? entries.keys() : [];
  if (oldest !== undefined) entries.delete(oldest);
};
