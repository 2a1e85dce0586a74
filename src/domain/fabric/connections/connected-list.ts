import type { Connection } from '../../../presence/connections.ts';
import { MOST_IN_PART, MOST_PARTS } from './told-routers.ts';

/** One part of the list. */
interface Part {
  /** Never the same for two states of it, in the life of this process. */
  revision: number;
  readonly connections: Map<string, Connection>;
}

/** The routers that are connected here, in parts: which of them have changed since they were written. */
export interface ConnectedList {
  /** @returns false where the list is full, and the router is left out */
  note(routerId: string, connection: Connection | undefined): boolean;
  readonly isEmpty: boolean;
  readonly hasChanged: boolean;
  readonly parts: readonly Readonly<Part>[];
  /** The parts that have changed since it was last called, by number. */
  takeChanged(): readonly number[];
  /** These were not written after all. */
  giveBack(parts: readonly number[]): void;
}

export const createConnectedList = (): ConnectedList => {
  const parts: Part[] = [];
  const placeOf = new Map<string, number>();
  const changed = new Set<number>();
  let revision = 0;

  /** The part of a router: a router stays in it as long as it is connected. */
  const placeFor = (routerId: string): number | undefined => {
    const known = placeOf.get(routerId);
    if (known !== undefined) return known;
    const free = parts.findIndex(({ connections }) => connections.size < MOST_IN_PART);
    if (free >= 0) return free;
    if (parts.length === MOST_PARTS) return undefined;
    return parts.push({ revision: 0, connections: new Map() }) - 1;
  };

  return {
    note: (routerId, connection) => {
      const place = connection ? placeFor(routerId) : placeOf.get(routerId);
      const part = place === undefined ? undefined : parts[place];
      if (place === undefined || !part) return !connection;
      if (connection) {
        placeOf.set(routerId, place);
        part.connections.set(routerId, connection);
      } else {
        placeOf.delete(routerId);
        part.connections.delete(routerId);
      }
      part.revision = ++revision;
      changed.add(place);
      if (placeOf.size === 0) parts.length = 0;
      return true;
    },
    get isEmpty() {
      return placeOf.size === 0;
    },
    get hasChanged() {
      return changed.size > 0;
    },
    parts,
    takeChanged: () => {
      const taken = [...changed];
      changed.clear();
      return taken;
    },
    giveBack: (taken) => {
      for (const place of taken) changed.add(place);
    },
  };
};
