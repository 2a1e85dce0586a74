/**
 * How controllers tell each other which routers are connected to them: in rows beside their leases, which are volatile, and in no change log. Each controller
 * has a lease, `presence/HOLDER`, that says until when it is to be believed, and which revision each part of its list has. The parts are rows of their own, so
 * that no row grows with the network, and only what has changed is written and read.
 */
import * as z from 'zod';
import { type ToldRouter, toldRouter } from '../../../api/router-reports.ts';
import type { PresentRouter } from '../../../presence/connections.ts';
import { and, type Predicate, stringField } from '../../../query/index.ts';

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
export const partId = (holder: string, part: number): string => `${PARTS}${holder}/${part}`;

const id = stringField('id');
/** Ids that begin with a text that ends in a slash. */
const beginsWith = (text: string): Predicate =>
  and({ op: 'compare', field: id, is: '>=', value: text }, { op: 'compare', field: id, is: '<', value: `${text.slice(0, -1)}0` });

/** The rows of all controllers that say until when they are believed. */
export const allToldLists: Predicate = beginsWith(LISTS);
/** All parts of the list of one controller. */
export const toldPartsOf = (holder: string): Predicate => beginsWith(`${PARTS}${holder}/`);

/** The revision of each part, in their order. */
const list = z.object({ revisions: z.array(z.int()).max(MOST_PARTS) });
const part = z.object({ routers: z.array(z.unknown()).max(MOST_IN_PART) });

export const toldList = (revisions: readonly number[]): z.input<typeof list> => ({ revisions: [...revisions] });

/** The revisions of the parts of a list; none if it is none. */
export const readList = (told: unknown): readonly number[] => list.safeParse(told).data?.revisions ?? [];

export const toldPart = (routers: Iterable<PresentRouter>): { readonly routers: readonly ToldRouter[] } => ({
  routers: [...routers].flatMap(({ key: { id, enrolledBy }, since, state: { versionInfo, syncStatus, reached } }) =>
    enrolledBy === null ? [] : [{ id, enrolledBy, since, versionInfo, syncStatus: syncStatus as ToldRouter['syncStatus'], reached }],
  ),
});

/** The routers of a part, without what is not as a controller would have written it. */
export const readPart = (told: unknown): readonly PresentRouter[] =>
  (part.safeParse(told).data?.routers ?? []).flatMap((one) => {
    const router = toldRouter.safeParse(one).data;
    if (!router) return [];
    const { id, enrolledBy, since, versionInfo, syncStatus, reached } = router;
    return [{ key: { id, enrolledBy }, since, state: { versionInfo, syncStatus, reached } }];
  });
