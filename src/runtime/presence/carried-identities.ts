import type { Clock } from '../platform/platform.ts';

/** `unknown`: the connection to its last router was lost a short time ago. */
export type ConnectionStatus = 'online' | 'offline' | 'unknown';

/** The identities that are connected to routers. Expiry is checked on reading, without a timer. */
export interface CarriedIdentities<Connection> {
  add(connection: Connection, identityId: string): void;
  /** Removes an identity that has disconnected: it is offline immediately, unless it is connected to another router. */
  remove(connection: Connection, identityId: string): void;
  /** Removes the connection of a router. The status of identities that are not connected to another router becomes `unknown`. */
  removeConnection(connection: Connection): void;
  removeIdentity(identityId: string): void;
  statusOf(identityId: string): ConnectionStatus;
  /** The identities that are connected to a router. */
  of(connection: Connection): ReadonlySet<string>;
}

export const createCarriedIdentities = <Connection>(clock: Clock, unknownMs: number): CarriedIdentities<Connection> => {
  const byConnection = new Map<Connection, Set<string>>();
  const byIdentity = new Map<string, Set<Connection>>();
  /** The times at which identities became `unknown`, oldest first. ms */
  const unknownSince = new Map<string, number>();

  const isExpired = (since: number): boolean => clock.now() - since >= unknownMs;

  const unlink = (connection: Connection, identityId: string): void => {
    const others = byIdentity.get(identityId);
    others?.delete(connection);
    if (others?.size === 0) byIdentity.delete(identityId);
  };

  return {
    add: (connection, identityId) => {
      link(byConnection, connection, identityId);
      link(byIdentity, identityId, connection);
      unknownSince.delete(identityId);
    },
    remove: (connection, identityId) => {
      if (byConnection.get(connection)?.delete(identityId)) unlink(connection, identityId);
    },
    removeConnection: (connection) => {
      for (const [identityId, since] of unknownSince) {
        if (!isExpired(since)) break;
        unknownSince.delete(identityId);
      }
      for (const identityId of byConnection.get(connection) ?? []) {
        unlink(connection, identityId);
        if (byIdentity.has(identityId)) continue;
        unknownSince.delete(identityId);
        unknownSince.set(identityId, clock.now());
      }
      byConnection.delete(connection);
    },
    removeIdentity: (identityId) => {
      for (const connection of byIdentity.get(identityId) ?? []) byConnection.get(connection)?.delete(identityId);
      byIdentity.delete(identityId);
      unknownSince.delete(identityId);
    },
    of: (connection) => byConnection.get(connection) ?? new Set(),
    statusOf: (identityId) => {
      if (byIdentity.has(identityId)) return 'online';
      const since = unknownSince.get(identityId);
      return since === undefined || isExpired(since) ? 'offline' : 'unknown';
    },
  };
};

const link = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
  const values = map.get(key);
  if (values) values.add(value);
  else map.set(key, new Set([value]));
};
