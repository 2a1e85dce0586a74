import type { Connection } from '../../../presence/connections.ts';
import { MOST_IN_PART, MOST_PARTS } from './told-routers.ts';

/** One part of the list. */
export interface ConnectedPart {
  /** Another with each change, and never the same for two states of a part in the life of this process. */
  readonly revision: number;
  readonly connections: ReadonlyMap<string, Connection>;
}

/** The routers that are connected here, in parts of bounded size. */
export interface ConnectedList {
  /** A router has connected, is in another state, or is gone. @returns false where the list is full, and the router is left out */
  note(routerId: string, connection: Connection | undefined): boolean;
  /** None while no router is connected. */
  readonly parts: readonly ConnectedPart[];
}

export const createConnectedList = (): ConnectedList => {
  const parts: { revision: number; readonly connections: Map<string, Connection> }[] = [];
  const placeOf = new Map<string, number>();
  let revision = 0;

  /** The part of a router: it stays in it as long as it is connected. */
  const placeFor = (routerId: string): number => {
    const place = placeOf.get(routerId) ?? parts.findIndex(({ connections }) => connections.size < MOST_IN_PART);
    if (place < 0 && parts.length < MOST_PARTS) return parts.push({ revision, connections: new Map() }) - 1;
    return place;
  };

  return {
    note: (routerId, connection) => {
      const place = connection ? placeFor(routerId) : (placeOf.get(routerId) ?? -1);
      const part = parts[place];
      if (!part) return !connection;
      part.revision = ++revision;
      if (connection) {
        placeOf.set(routerId, place);
        part.connections.set(routerId, connection);
      } else {
        placeOf.delete(routerId);
        part.connections.delete(routerId);
        if (placeOf.size === 0) parts.length = 0;
      }
      return true;
    },
    parts,
  };
};
