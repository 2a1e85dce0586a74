/** What changes mean for access: who gains and who loses what, and which connections end. */
import type * as z from 'zod';
import type { endingConnection } from '../../../api/access-report.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy, servicePolicy, session } from '../../../api/kinds.ts';
import type { EntityReference } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { AccessReport } from '../../../call/preview.ts';
import type { Entities } from '../../../entities/entities.ts';
import { compareText } from '../../../query/index.ts';
import { relationDifference, type Within } from './difference.ts';
import type { NetChanges } from './net-changes.ts';
import { nameOf, type PairDifference, type RelationDifference } from './pairs.ts';
import { accessRelation, routersOfIdentities, routersOfServices } from './relations.ts';
import { itemsOnPage, type ReportPage, type ReportPart } from './report-page.ts';
import { presentAccess, presentRouter } from './report-present.ts';
import { visiblePolicies, visibleSides } from './visible.ts';

type EndingConnection = z.output<typeof endingConnection>;

/** A connection that ends if its identity loses its access. */
export interface OpenCircuit extends EndingConnection {
  readonly sessionId: string;
}

export interface ReportedChanges {
  readonly changes: NetChanges;
  /** The circuits that may end. Default: none. */
  readonly circuits?: readonly OpenCircuit[];
  /** The policy tests that fail. Default: none. */
  readonly brokenTests?: readonly EntityReference[];
}

type Item =
  | { readonly is: 'access' | 'identityRouter' | 'serviceRouter'; readonly pair: PairDifference }
  | { readonly is: 'sessions' | 'circuits'; readonly ending: EndingConnection }
  | { readonly is: 'brokenTests'; readonly test: EntityReference };

/**
 * What the changes mean, as far as the caller may see it.
 * @param entities the state after the changes
 * @throws ApiError `COULD_NOT_VALIDATE` for an invalid cursor
 */
export const reportAccess = async (
  entities: Entities,
  call: Call,
  { changes, circuits = [], brokenTests = [] }: ReportedChanges,
  page: ReportPage = {},
): Promise<AccessReport> => {
  const visible = await visibleSides(entities, call, accessRelation);
  const access = await relationDifference(entities, accessRelation, changes, visible);
  const ofIdentities = await relationDifference(
    entities,
    routersOfIdentities,
    changes,
    await visibleSides(entities, call, routersOfIdentities),
  );
  const ofServices = await relationDifference(entities, routersOfServices, changes, await visibleSides(entities, call, routersOfServices));
  const sessions = endedSessions(changes, visible);
  const ended = endedCircuits(circuits, sessions, access);
  const parts: readonly ReportPart<Item>[] = [
    pairPart('access', access),
    pairPart('identityRouter', ofIdentities),
    pairPart('serviceRouter', ofServices),
    listPart(
      sessions,
      ({ id }) => id,
      (ending) => ({ is: 'sessions', ending }),
    ),
    listPart(
      ended,
      ({ id }) => id,
      (ending) => ({ is: 'circuits', ending }),
    ),
    listPart(
      brokenTests,
      ({ id }) => id,
      (test) => ({ is: 'brokenTests', test }),
    ),
  ];
  const { items, next } = itemsOnPage(parts, page);
  const policies = items.flatMap((item) =>
    'pair' in item ? [...(item.pair.policies.before ?? []), ...(item.pair.policies.after ?? [])] : [],
  );
  const shown = await visiblePolicies(entities, call, [servicePolicy, edgeRouterPolicy, serviceEdgeRouterPolicy], policies);
  const lists: Omit<AccessReport, 'counts' | 'next'> = {
    gained: [],
    lost: [],
    changed: [],
    routersGained: [],
    routersLost: [],
    sessions: [],
    circuits: [],
    brokenTests: [],
  };
  for (const item of items) {
    if (item.is === 'brokenTests') lists.brokenTests.push(item.test);
    else if ('ending' in item) lists[item.is].push(item.ending);
    else if (item.is === 'access') lists[item.pair.effect].push(presentAccess(item.pair, shown));
    else lists[item.pair.effect === 'gained' ? 'routersGained' : 'routersLost'].push(presentRouter(item.is, item.pair, shown));
  }
  return {
    ...lists,
    counts: {
      ...access.counts,
      routersGained: ofIdentities.counts.gained + ofServices.counts.gained,
      routersLost: ofIdentities.counts.lost + ofServices.counts.lost,
      sessions: sessions.length,
      circuits: ended.length,
      brokenTests: brokenTests.length,
    },
    ...(next === undefined ? {} : { next }),
  };
};

const pairPart = (is: 'access' | 'identityRouter' | 'serviceRouter', difference: RelationDifference): ReportPart<Item> => ({
  items: function* (after) {
    // When the use of a router ends matters only through the access that ends then.
    for (const pair of difference.pairs(after))
      if (is === 'access' || pair.effect !== 'changed')
        yield [
          { left: nameOf(pair.left), right: nameOf(pair.right), type: pair.type },
          { is, pair },
        ];
  },
});

const listPart = <T>(list: readonly T[], idOf: (item: T) => string, itemOf: (item: T) => Item): ReportPart<Item> => ({
  items: function* (after) {
    for (const each of [...list].sort((a, b) => compareText(idOf(a), idOf(b))))
      if (!after || compareText(idOf(each), after.left) > 0) yield [{ left: idOf(each), right: '', type: '' }, itemOf(each)];
  },
});

/** The sessions that the changes ended. */
const endedSessions = (changes: NetChanges, { left, right }: Within): readonly EndingConnection[] =>
  [...changes(session).values()].flatMap(({ before, after }) => {
    if (!before || after) return [];
    const { id, identityId, serviceId } = before as unknown as EndingConnection; // the fields of a session
    return left({ id: identityId }) && right({ id: serviceId }) ? [{ id, identityId, serviceId }] : [];
  });

/** The circuits whose session ended, or whose identity may no longer dial the service. */
const endedCircuits = (
  circuits: readonly OpenCircuit[],
  sessions: readonly EndingConnection[],
  access: RelationDifference,
): readonly EndingConnection[] => {
  if (circuits.length === 0) return [];
  const ended = new Set(sessions.map(({ id }) => id));
  const open = new Set(circuits.map(({ identityId, serviceId }) => `${identityId} ${serviceId}`));
  const lost = new Set<string>();
  if (access.counts.lost > 0)
    for (const { effect, type, left, right } of access.pairs()) {
      const key = `${left.before?.id} ${right.before?.id}`;
      if (effect === 'lost' && type === 'Dial' && open.has(key)) lost.add(key);
    }
  return circuits
    .filter(({ sessionId, identityId, serviceId }) => ended.has(sessionId) || lost.has(`${identityId} ${serviceId}`))
    .map(({ id, identityId, serviceId }) => ({ id, identityId, serviceId }));
};
