import type { Connection } from '../../../presence/connections.ts';
import { MOST_IN_PART, MOST_PARTS } from './connection-rows.ts';

/** One part of the list. */
export interface ConnectedPart {
  /** Changes with the part, and is never the same for two states of it in this process. */
  readonly revision: number;
  readonly connections: ReadonlyMap<string, Connection>;
}

/** The routers that are connected here, in parts of bounded size. */
export interface ConnectedList {
  /** Updates a router; without a connection, removes it. @returns false if the list is full, and the router is left out */
  update(routerId: string, connection: Connection | undefined): boolean;
  /** Empty while no router is connected. */
  readonly parts: readonly ConnectedPart[];
}

export const createConnectedList = (): ConnectedList => {
  const parts: { revision: number; readonly connections: Map<string, Connection> }[] = [];
  /** Index of the part of each router, which stays the same while it is connected. */
  const partOf = new Map<string, number>();
  let revision = 0;

  const partFor = (routerId: string): number => {
    const index = partOf.get(routerId) ?? parts.findIndex(({ connections }) => connections.size < MOST_IN_PART);
    if (index < 0 && parts.length < MOST_PARTS) return parts.push({ revision, connections: new Map() }) - 1;
    return index;
  };

  return {
    update: (routerId, connection) => {
      const index = connection ? partFor(routerId) : (partOf.get(routerId) ?? -1);
      const part = parts[index];
      if (!part) return !connection;
      part.revision = ++revision;
      if (connection) {
        partOf.set(routerId, index);
        part.connections.set(routerId, connection);
      } else {
        partOf.delete(routerId);
        part.connections.delete(routerId);
        if (partOf.size === 0) parts.length = 0;
      }
      return true;
    },
    parts,
  };
};
