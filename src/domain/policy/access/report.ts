/** What changes mean for access: who gains and who loses what, and which connections end. */
import type * as z from 'zod';
import type { AccessReport, endingConnection } from '../../../api/access-report.ts';
import { policyTest, session } from '../../../api/kinds.ts';
import type { EntityReference } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { compareText } from '../../../query/index.ts';
import { type NetChanges, orderKeys } from './net-changes.ts';
import { differenceOf, isBeyond, type PairDifference, positionOf, type RelatedStates, type RelationDifference } from './pairs.ts';
import { relatedStates, type Within } from './related-states.ts';
import { accessRelation, type PolicyRelation, routersOfIdentities, routersOfServices } from './relations.ts';
import { itemsOnPage, type ReportPage, type ReportPart } from './report-page.ts';
import { presentAccess, presentRouter } from './report-present.ts';
import { type ShowPolicies, visiblePolicies, visibleSides } from './visible.ts';

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

interface PairItem {
  readonly is: 'access' | 'identityRouter' | 'serviceRouter';
  readonly pair: PairDifference;
}

type Item =
  | PairItem
  | { readonly is: 'sessions' | 'circuits'; readonly ending: EndingConnection }
  | { readonly is: 'brokenTests'; readonly test: EntityReference };

/** The connections that the changes may end, and the tests that they break. */
interface Connections extends Required<Omit<ReportedChanges, 'changes'>> {
  /** The sessions that they ended. */
  readonly sessions: readonly EndingConnection[];
  /** The key by which a test is ordered, by its id. */
  keyOfTest(id: string): string;
}

/** The policies that relate entities in two states, and how they are shown. */
interface Gathered {
  readonly states: RelatedStates;
  readonly shown: ShowPolicies;
}

/**
 * Gathers what the changes touch, as far as the caller may see it.
 * @param entities the state after the changes
 * @returns compares the states, without the store; throws ApiError `COULD_NOT_VALIDATE` for an invalid cursor
 */
export const gatherAccess = async (
  entities: Entities,
  call: Call,
  { changes, circuits = [], brokenTests = [] }: ReportedChanges,
): Promise<(page?: ReportPage) => Promise<AccessReport>> => {
  const gather = async (relation: PolicyRelation, visible: Within): Promise<Gathered> => {
    const states = await relatedStates(entities, relation, changes, visible);
    return { states, shown: await visiblePolicies(entities, call, relation.policies, states.policies) };
  };
  const visible = await visibleSides(entities, call, accessRelation);
  const gathered = {
    access: await gather(accessRelation, visible),
    identityRouter: await gather(routersOfIdentities, await visibleSides(entities, call, routersOfIdentities)),
    serviceRouter: await gather(routersOfServices, await visibleSides(entities, call, routersOfServices)),
  };
  const sessions = endedSessions(changes, visible);
  const connections = { sessions, circuits, brokenTests, keyOfTest: orderKeys(changes, policyTest) };
  return (page) => reportAccess(gathered, connections, page);
};

const reportAccess = async (
  gathered: Readonly<Record<PairItem['is'], Gathered>>,
  connections: Connections,
  page: ReportPage = {},
): Promise<AccessReport> => {
  const { sessions, circuits, brokenTests } = connections;
  const access = await differenceOf(gathered.access.states);
  const ofIdentities = await differenceOf(gathered.identityRouter.states);
  const ofServices = await differenceOf(gathered.serviceRouter.states);
  const ended = endedCircuits(circuits, sessions, access);
  const parts: readonly ReportPart<Item>[] = [
    pairPart('access', access),
    pairPart('identityRouter', ofIdentities),
    pairPart('serviceRouter', ofServices),
    listPart(sessions, (ending) => ({ is: 'sessions', ending })),
    listPart(ended, (ending) => ({ is: 'circuits', ending })),
    listPart(brokenTests, (test) => ({ is: 'brokenTests', test }), connections.keyOfTest),
  ];
  const { items, next } = itemsOnPage(parts, page);
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
    else if (item.is === 'access') lists[item.pair.effect].push(presentAccess(item.pair, gathered.access.shown));
    else
      lists[item.pair.effect === 'gained' ? 'routersGained' : 'routersLost'].push(
        presentRouter(item.is, item.pair, gathered[item.is].shown),
      );
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

const pairPart = (is: PairItem['is'], difference: RelationDifference): ReportPart<Item> => ({
  items: function* (after) {
    // When the use of a router ends matters only through the access that ends then.
    for (const pair of difference.pairs(after)) if (is === 'access' || pair.effect !== 'changed') yield [positionOf(pair), { is, pair }];
  },
});

const listPart = <T extends { readonly id: string }>(
  list: readonly T[],
  itemOf: (item: T) => Item,
  keyOf = (id: string) => id,
): ReportPart<Item> => ({
  items: function* (after) {
    const keyed = list.map((item) => ({ item, position: [keyOf(item.id), '', '', '', ''] }));
    for (const { item, position } of keyed.sort((a, b) => compareText(a.position[0] ?? '', b.position[0] ?? '')))
      if (isBeyond(after, position)) yield [position, itemOf(item)];
  },
});

/** The sessions that the changes ended. */
const endedSessions = (changes: NetChanges, { left, right }: Within): readonly EndingConnection[] =>
  [...changes(session).values()].flatMap(({ before, after }) => {
    if (!before || after) return [];
    const [id, identityId, serviceId] = [before.id, String(before['identityId']), String(before['serviceId'])];
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
  const isLost = access.lost('Dial');
  return circuits
    .filter(({ sessionId, identityId, serviceId }) => ended.has(sessionId) || isLost(identityId, serviceId))
    .map(({ id, identityId, serviceId }) => ({ id, identityId, serviceId }));
};
