/**
 * The rows in which controllers share the routers that are connected to them. They are leases: volatile, and not in the change log. Each
 * controller has a list row, `presence/HOLDER`, with its expiry and the revisions of the parts of its list. Each part is a separate row, so
 * that the size of rows is bounded, and only changed parts are written and read.
 */
import * as z from 'zod';
import { sharedRouter } from '../../contract/api/shared-router.ts';
import { equals, or, type Predicate, stringField } from '../../query/index.ts';
import type { Connection } from '../../runtime/presence/connections.ts';
import type { PresentRouter } from '../../runtime/presence/present-router.ts';
import { leasesBelow } from '../../store/jobs/lease.ts';

/** Maximum number of routers per row. */
const MAX_PER_PART = 64;
/** Maximum number of parts per controller. Routers beyond that are known only to their own controller. */
const MAX_PARTS = 256;
/** Maximum number of controllers whose lists are read. */
export const MAX_CONTROLLERS = 256;
/** Time until the rows of a controller expire unless renewed. ms */
export const EXPIRES_AFTER_MS = 30_000;

const LISTS = 'presence/';
const PARTS = 'presence-part/';

export const listId = (holder: string): string => `${LISTS}${holder}`;
export const holderOf = (id: string): string => id.slice(LISTS.length);
export const partId = (holder: string, part: number): string => `${PARTS}${holder}/${part}`;

/** The lists of all controllers. */
export const allLists: Predicate = leasesBelow(LISTS);
/** All rows of one controller. */
export const rowsOf = (holder: string): Predicate => or(equals(stringField('id'), listId(holder)), leasesBelow(`${PARTS}${holder}/`));

const revisions = z.array(z.int()).max(MAX_PARTS);
const part = z.array(z.unknown()).max(MAX_PER_PART);

/** The revisions of the parts of a list, in order; empty if the list is invalid. */
export const readList = (stored: unknown): readonly number[] => revisions.safeParse(stored).data ?? [];

export const storedPart = (routers: Iterable<PresentRouter>): readonly PresentRouter[] =>
  [...routers].map(({ key, since, state }) => ({ key, since, state }));

/** The routers of a part. Invalid ones are skipped. */
export const readPart = (stored: unknown): readonly PresentRouter[] =>
  (part.safeParse(stored).data ?? []).flatMap((router) => sharedRouter.safeParse(router).data ?? []);

/** One part of the list. */
export interface ConnectedPart {
  /** Changes whenever the part changes; unique within this process. */
  readonly revision: number;
  readonly connections: ReadonlyMap<string, Connection>;
}

/** The routers that are connected here, in parts of bounded size. */
export interface ConnectedList {
  /**
   * Updates a router, or removes it if `connection` is undefined.
   * @returns false if the router was left out because the list is full
   */
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
    const index = partOf.get(routerId) ?? parts.findIndex(({ connections }) => connections.size < MAX_PER_PART);
    if (index < 0 && parts.length < MAX_PARTS) return parts.push({ revision, connections: new Map() }) - 1;
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
