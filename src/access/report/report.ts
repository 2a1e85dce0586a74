/** The effect of changes on access: the permissions gained and lost, and the connections that end. */
import type * as z from 'zod';
import type { Call } from '../../call/call.ts';
import { EVERY_ENTITY } from '../../call/limit.ts';
import { limitOn, visibleIds } from '../../call/resources/granted.ts';
import type { AccessReport, endingConnection } from '../../contract/api/access-report.ts';
import { identity, policyTest, service, session } from '../../contract/api/kinds.ts';
import type { EntityReference, Kind } from '../../contract/api/kit/index.ts';
import { compareText } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type NetChanges, orderKeys, presentStates } from './net-changes.ts';
import { isAfterPosition } from './pair-position.ts';
import { differenceOf, type PairDifference, positionOf, type RelatedStates, type RelationDifference } from './pairs.ts';
import { presentAccess, presentRouter } from './present.ts';
import { relatedStates, type Within } from './related-states.ts';
import { accessRelation, type PolicyRelation, routersOfIdentities, routersOfServices } from './relations.ts';
import { itemsOnPage, type ReportPage, type ReportPart } from './report-page.ts';
import { type IsVisible, type ShowPolicies, visiblePolicies, visibleRows, visibleSides } from './visible.ts';

type EndingConnection = z.output<typeof endingConnection>;

/** A circuit, which ends if its identity loses access to the service. */
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
interface Consequences extends Required<Omit<ReportedChanges, 'changes'>> {
  /** The sessions that the changes ended. */
  readonly sessions: readonly EndingConnection[];
  /** The sort key of a test. */
  keyOfTest(id: string): string;
}

/** The states of a relation, and the filter for its visible policies. */
interface GatheredRelation {
  readonly states: RelatedStates;
  readonly showPolicies: ShowPolicies;
}

/**
 * Reads the states that the changes affect and that the caller may see.
 * @param entities the state after the changes
 * @returns a function that reports the page without reading the store; throws ApiError `COULD_NOT_VALIDATE` for an invalid cursor
 */
export const gatherAccess = async (
  entities: Entities,
  call: Call,
  { changes, circuits = [], brokenTests = [] }: ReportedChanges,
  page?: ReportPage,
): Promise<() => Promise<AccessReport>> => {
  const gather = async (relation: PolicyRelation, visible: Within): Promise<GatheredRelation> => {
    const states = await relatedStates(entities, relation, changes, visible);
    return { states, showPolicies: await visiblePolicies(entities, call, relation.policies, states.policies) };
  };
  const visible = await visibleSides(entities, call, accessRelation);
  const gathered = {
    access: await gather(accessRelation, visible),
    identityRouter: await gather(routersOfIdentities, await visibleSides(entities, call, routersOfIdentities)),
    serviceRouter: await gather(routersOfServices, await visibleSides(entities, call, routersOfServices)),
  };
  const consequences = {
    sessions: await endedSessions(entities, call, changes, visible),
    // Circuits have the right of sessions, but not their fields, which a limit is about.
    circuits: limitOn(call.grant, session) === EVERY_ENTITY ? circuits : [],
    brokenTests,
    keyOfTest: orderKeys(changes, policyTest),
  };
  const report = () => reportAccess(gathered, consequences, page);
  if (!Object.values(gathered).some(({ states }) => states.furtherLefts)) return report;
  // Its members have to be read in this transaction.
  const reported = await report();
  return async () => reported;
};

const reportAccess = async (
  gathered: Readonly<Record<PairItem['is'], GatheredRelation>>,
  consequences: Consequences,
  page: ReportPage = {},
): Promise<AccessReport> => {
  const { sessions, circuits, brokenTests } = consequences;
  const access = await differenceOf(gathered.access.states);
  const ofIdentities = await differenceOf(gathered.identityRouter.states);
  const ofServices = await differenceOf(gathered.serviceRouter.states);
  const ended = await endedCircuits(circuits, sessions, access);
  const parts: readonly ReportPart<Item>[] = [
    pairPart('access', access),
    pairPart('identityRouter', ofIdentities),
    pairPart('serviceRouter', ofServices),
    listPart(sessions, (ending) => ({ is: 'sessions', ending })),
    listPart(ended, (ending) => ({ is: 'circuits', ending })),
    listPart(brokenTests, (test) => ({ is: 'brokenTests', test }), consequences.keyOfTest),
  ];
  const { items, next } = await itemsOnPage(parts, page, referencesOf);
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
    else if (item.is === 'access') lists[item.pair.effect].push(presentAccess(item.pair, gathered.access.showPolicies));
    else
      lists[item.pair.effect === 'gained' ? 'routersGained' : 'routersLost'].push(
        presentRouter(item.is, item.pair, gathered[item.is].showPolicies),
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

/** The number of policies and posture checks that an item lists: only pairs list any. */
const referencesOf = (item: Item): number => {
  const { before = [], after = [] } = 'pair' in item ? item.pair.policies : {};
  return [...before, ...after].reduce((sum, { checks }) => sum + 1 + checks.length, 0);
};

const pairPart = (is: PairItem['is'], difference: RelationDifference): ReportPart<Item> => ({
  items: async function* (after) {
    // Changed conditions of router use are not reported: only those of access matter.
    for await (const pair of difference.pairs(after))
      if (is === 'access' || pair.effect !== 'changed') yield [positionOf(pair), { is, pair }];
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
      if (isAfterPosition(after, position)) yield [position, itemOf(item)];
  },
});

/** The visible sessions that the changes ended. */
const endedSessions = async (
  entities: Entities,
  call: Call,
  changes: NetChanges,
  { left, right }: Within,
): Promise<readonly EndingConnection[]> => {
  const isVisible = await visibleRows(entities, call, session);
  const ended = [...changes(session).values()].flatMap(({ before, after }) =>
    before && !after && isVisible(before)
      ? [{ id: before.id, identityId: String(before['identityId']), serviceId: String(before['serviceId']) }]
      : [],
  );
  const isVisibleIdentity = await visibleOwners(entities, call, changes, { kind: identity, isVisible: left }, idsOf(ended, 'identityId'));
  const isVisibleService = await visibleOwners(entities, call, changes, { kind: service, isVisible: right }, idsOf(ended, 'serviceId'));
  return ended.filter(({ identityId, serviceId }) => isVisibleIdentity(identityId) && isVisibleService(serviceId));
};

const idsOf = (ended: readonly EndingConnection[], owner: 'identityId' | 'serviceId'): readonly string[] =>
  ended.map((each) => each[owner]);

/** Tests by id whether the caller may see entities: those that the changes wrote, in both states. */
const visibleOwners = async (
  entities: Entities,
  call: Call,
  changes: NetChanges,
  { kind, isVisible }: { readonly kind: Kind; readonly isVisible: IsVisible },
  ids: readonly string[],
): Promise<(id: string) => boolean> => {
  const visible = await visibleIds(entities, kind, ids, call);
  return (id) => {
    const written = changes(kind).get(id);
    return written ? presentStates([written]).every(isVisible) : visible.has(id);
  };
};

/** The circuits whose session has ended, or whose identity may no longer dial the service. */
const endedCircuits = async (
  circuits: readonly OpenCircuit[],
  sessions: readonly EndingConnection[],
  access: RelationDifference,
): Promise<readonly EndingConnection[]> => {
  const endedSessionIds = new Set(sessions.map(({ id }) => id));
  const ended: EndingConnection[] = [];
  for (const { id, sessionId, identityId, serviceId } of circuits)
    if (endedSessionIds.has(sessionId) || (await access.isLost(identityId, serviceId, 'Dial'))) ended.push({ id, identityId, serviceId });
  return ended;
};
