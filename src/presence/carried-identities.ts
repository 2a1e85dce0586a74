import type { Clock } from '../platform/platform.ts';

/** `unknown`: the connection of its last router was lost a short time ago. */
export type ConnectionStatus = 'online' | 'offline' | 'unknown';

/** The identities that are connected to routers. Times are compared on reading, without a timer. */
export interface CarriedIdentities<Connection> {
  add(by: Connection, identityId: string): void;
  /** Removes an identity that has disconnected: it is offline at once, unless it is connected to another router. */
  remove(by: Connection, identityId: string): void;
  /** Removes a router. Identities that were connected to no other become unknown. */
  removeConnection(by: Connection): void;
  removeIdentity(identityId: string): void;
  statusOf(identityId: string): ConnectionStatus;
}

export const createCarriedIdentities = <Connection>(clock: Clock, unknownMs: number): CarriedIdentities<Connection> => {
  const byConnection = new Map<Connection, Set<string>>();
  const byIdentity = new Map<string, Set<Connection>>();
  /** Times at which identities became unknown, ms; the oldest first. */
  const unknownSince = new Map<string, number>();

  const isOver = (at: number): boolean => clock.now() - at >= unknownMs;

  const unlink = (by: Connection, identityId: string): void => {
    const others = byIdentity.get(identityId);
    others?.delete(by);
    if (others?.size === 0) byIdentity.delete(identityId);
  };

  return {
    add: (by, identityId) => {
      link(byConnection, by, identityId);
      link(byIdentity, identityId, by);
      unknownSince.delete(identityId);
    },
    remove: (by, identityId) => {
      if (byConnection.get(by)?.delete(identityId)) unlink(by, identityId);
    },
    removeConnection: (by) => {
      for (const [identityId, at] of unknownSince) {
        if (!isOver(at)) break;
        unknownSince.delete(identityId);
      }
      for (const identityId of byConnection.get(by) ?? []) {
        unlink(by, identityId);
        if (byIdentity.has(identityId)) continue;
        unknownSince.delete(identityId);
        unknownSince.set(identityId, clock.now());
      }
      byConnection.delete(by);
    },
    removeIdentity: (identityId) => {
      for (const by of byIdentity.get(identityId) ?? []) byConnection.get(by)?.delete(identityId);
      byIdentity.delete(identityId);
      unknownSince.delete(identityId);
    },
    statusOf: (identityId) => {
      if (byIdentity.has(identityId)) return 'online';
      const at = unknownSince.get(identityId);
      return at === undefined || isOver(at) ? 'offline' : 'unknown';
    },
  };
};

const link = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
  const known = map.get(key);
  if (known) known.add(value);
  else map.set(key, new Set([value]));
};
