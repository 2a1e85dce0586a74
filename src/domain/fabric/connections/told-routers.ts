/**
 * How controllers tell each other which routers are connected to them: in rows beside their leases, which are volatile, and in no change log. Each controller
 * has a lease, `presence/HOLDER`, that says until when it is to be believed, and which revision each part of its list has. The parts are rows of their own, so
 * that no row grows with the network, and only what has changed is written and read.
 */
import * as z from 'zod';
import { toldRouter } from '../../../api/router-reports.ts';
import { leasesBelow } from '../../../jobs/lease.ts';
import type { PresentRouter } from '../../../presence/connections.ts';
import { equals, or, type Predicate, stringField } from '../../../query/index.ts';

/** Routers in one row at most. */
export const MOST_IN_PART = 64;
/** Parts of one controller at most: routers beyond are known to their own controller only. */
export const MOST_PARTS = 256;
/** Controllers that are heard at most. */
export const MOST_CONTROLLERS = 256;
/** A controller is believed for so long after it was heard of. ms */
export const BELIEVED_MS = 30_000;

const LISTS = 'presence/';
const PARTS = 'presence-part/';

export const listId = (holder: string): string => `${LISTS}${holder}`;
export const holderOf = (idOfList: string): string => idOfList.slice(LISTS.length);
export const partId = (holder: string, part: number): string => `${PARTS}${holder}/${part}`;

/** The rows of all controllers that say until when they are believed. */
export const allToldLists: Predicate = leasesBelow(LISTS);
/** All rows of one controller. */
export const toldBy = (holder: string): Predicate => or(equals(stringField('id'), listId(holder)), leasesBelow(`${PARTS}${holder}/`));

const revisions = z.array(z.int()).max(MOST_PARTS);
const part = z.array(z.unknown()).max(MOST_IN_PART);

/** The revisions of the parts of a list, in their order; none if it is none. */
export const readList = (told: unknown): readonly number[] => revisions.safeParse(told).data ?? [];

/** A part as it is written: what is told of each connection. */
export const toldPart = (routers: Iterable<PresentRouter>): readonly PresentRouter[] =>
  [...routers].map(({ key, since, state }) => ({ key, since, state }));

/** The routers of a part, without what is not as a controller would have written it. */
export const readPart = (told: unknown): readonly PresentRouter[] =>
  (part.safeParse(told).data ?? []).flatMap((one) => toldRouter.safeParse(one).data ?? []);
