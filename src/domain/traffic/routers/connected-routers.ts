import type { Channel } from '../../../control-channel/channel.ts';
import type { CarriedBytes } from '../../../presence/traffic.ts';
import type { RouterConnection } from '../../fabric/connections/presence.ts';

/** Where other routers reach a router. */
export interface LinkListener {
  /** `tls:fra1.example:6000` */
  readonly address: string;
  readonly protocol: string;
  readonly costTags: readonly string[];
  readonly groups: readonly string[];
  readonly localBinding: string;
}

/** A router on its control channel. */
export interface ConnectedRouter {
  readonly id: string;
  readonly channel: Channel;
  /** Its presence. */
  readonly connection: RouterConnection;
  /** When it connected, monotonic ms. */
  readonly since: number;
  /** Whether it was not connected before, as far as it knows: it has just been started. */
  readonly isAnew: boolean;
  /** Of its software. */
  readonly version: string;
  /** Where other routers reach it. */
  readonly linkListeners: readonly LinkListener[];
  /** What it has carried, by its last report. */
  carried: CarriedBytes;
}

/** The routers that are connected to this controller, each by one channel. */
export interface ConnectedRouters {
  get(id: string): ConnectedRouter | undefined;
  all(): readonly ConnectedRouter[];
  /** Those that clients reach. */
  edgeRouters(): readonly ConnectedRouter[];
  /** It is known until its channel ends; its presence ends with it, and the other way round. */
  add(router: ConnectedRouter): void;
}

export const createConnectedRouters = (): ConnectedRouters => {
  const byId = new Map<string, ConnectedRouter>();
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    edgeRouters: () => [...byId.values()].filter(({ connection }) => connection.isEdgeRouter),
    add: (router) => {
      const { id, channel, connection } = router;
      byId.set(id, router);
      const end = () => {
        if (byId.get(id) === router) byId.delete(id);
        connection.close();
      };
      const cut = () => channel.close(String(connection.signal.reason?.message));
      channel.signal.addEventListener('abort', end);
      connection.signal.addEventListener('abort', cut);
      // Either may have ended before it was listened to.
      if (channel.signal.aborted) end();
      else if (connection.signal.aborted) cut();
    },
  };
};
