import type { Clock } from '../platform/platform.ts';

/** `unknown`: the router that carried it was lost a short time ago. */
export type ConnectionStatus = 'online' | 'offline' | 'unknown';

/** Which identities are connected to routers, by which connections of routers. */
export interface Carried<Connection> {
  add(by: Connection, identityId: string): void;
  /** The identity itself is gone from there. */
  remove(by: Connection, identityId: string): void;
  /** The status of identities that only this router carried becomes unknown. */
  lose(by: Connection): void;
  forget(identityId: string): void;
  statusOf(identityId: string): ConnectionStatus;
}

/** Elapsed time is computed on reading: no timer is needed. */
export const createCarried = <Connection>(clock: Clock, unknownMs: number): Carried<Connection> => {
  const byConnection = new Map<Connection, Set<string>>();
  const byIdentity = new Map<string, Set<Connection>>();
  /** When the last router that carried an identity was lost, ms; the longest ago first. */
  const lost = new Map<string, number>();

  const isOver = (at: number): boolean => clock.now() - at >= unknownMs;

  const unlink = (by: Connection, identityId: string): void => {
    const others = byIdentity.get(identityId);
    others?.delete(by);
    if (others?.size === 0) byIdentity.delete(identityId);
  };

  const note = (identityId: string): void => {
    lost.delete(identityId);
    lost.set(identityId, clock.now());
  };

  return {
    add: (by, identityId) => {
      link(byConnection, by, identityId);
      link(byIdentity, identityId, by);
      lost.delete(identityId);
    },
    remove: (by, identityId) => {
      if (byConnection.get(by)?.delete(identityId)) unlink(by, identityId);
    },
    lose: (by) => {
      for (const [identityId, at] of lost) {
        if (!isOver(at)) break;
        lost.delete(identityId);
      }
      for (const identityId of byConnection.get(by) ?? []) {
        unlink(by, identityId);
        if (!byIdentity.has(identityId)) note(identityId);
      }
      byConnection.delete(by);
    },
    forget: (identityId) => {
      for (const by of byIdentity.get(identityId) ?? []) byConnection.get(by)?.delete(identityId);
      byIdentity.delete(identityId);
      lost.delete(identityId);
    },
    statusOf: (identityId) => {
      if (byIdentity.has(identityId)) return 'online';
      const at = lost.get(identityId);
      return at === undefined || isOver(at) ? 'offline' : 'unknown';
    },
  };
};

const link = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
  const known = map.get(key);
  if (known) known.add(value);
  else map.set(key, new Set([value]));
};
