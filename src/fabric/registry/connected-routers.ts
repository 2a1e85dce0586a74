import type { TrafficBytes } from '../../runtime/presence/traffic.ts';
import type { RouterConnection } from '../connections/presence.ts';
import type { Channel } from '../control-channel/channel.ts';
import type { UnderlayGroup } from './underlay-groups.ts';

/** An address at which a router accepts links from other routers. */
export interface LinkListener {
  /** E.g. `tls:fra1.example:6000`. */
  readonly address: string;
  readonly protocol: string;
  readonly costTags: readonly string[];
  readonly groups: readonly string[];
  readonly localBinding: string;
}

/** A router with its control channel. */
export interface ConnectedRouter {
  readonly id: string;
  readonly channel: Channel;
  /** The group of underlay connections; undefined for routers that open only one connection. */
  readonly group: UnderlayGroup | undefined;
  readonly connection: RouterConnection;
  /** The time of the connection in monotonic milliseconds. */
  readonly since: number;
  /** True if the router has just started, so that it has no circuits from earlier connections. */
  readonly isRestarted: boolean;
  /** The software version of the router. */
  readonly version: string;
  readonly linkListeners: readonly LinkListener[];
  /** The reported addresses at which the router accepts control channels, each with its groups; undefined if it reported none. */
  readonly ctrlChanListeners: Readonly<Record<string, readonly string[]>> | undefined;
  /** Byte counts from the last report. Updated by each report. */
  trafficBytes: TrafficBytes;
  /** Bytes of each of its links in both directions, from the last report. */
  linkBytes: ReadonlyMap<string, number>;
  /** The monotonic time of the last report; undefined before the first one. ms */
  reportedAt: number | undefined;
}

/** The routers that are connected to this controller, each over one channel. */
export interface ConnectedRouters {
  /** Changes whenever a router is added or removed. */
  readonly generation: number;
  get(id: string): ConnectedRouter | undefined;
  all(): readonly ConnectedRouter[];
  /** The routers that clients connect to. */
  edgeRouters(): readonly ConnectedRouter[];
  /** Adds a router until its channel closes. If either its channel or its presence connection closes, the other is closed, too. */
  add(router: ConnectedRouter): void;
}

export const createConnectedRouters = (): ConnectedRouters => {
  const byId = new Map<string, ConnectedRouter>();
  let generation = 0;
  return {
    get generation() {
      return generation;
    },
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    edgeRouters: () => [...byId.values()].filter(({ connection }) => connection.isEdgeRouter),
    add: (router) => {
      const { id, channel, connection } = router;
      byId.set(id, router);
      generation++;
      const remove = () => {
        if (byId.get(id) === router && byId.delete(id)) generation++;
        connection.close();
      };
      const closeChannel = () => channel.close(String(connection.signal.reason?.message));
      channel.signal.addEventListener('abort', remove);
      connection.signal.addEventListener('abort', closeChannel);
      // Either may have closed before its listener was added.
      if (channel.signal.aborted) remove();
      else if (connection.signal.aborted) closeChannel();
    },
  };
};
