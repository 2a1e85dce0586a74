/**
 * The pairs that policies relate in two states, and how the two differ. Entities that the same policies select, in both states, form a
 * group: pairs are compared and counted by group, so the cost depends on how many groups there are, not on how many entities.
 */

import { compareText } from '../../query/index.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { conditionsOf, isUnconditional, UNCONDITIONAL } from '../evaluation/conditions.ts';
import { groupSelected, type PolicyBeforeAfter, type PolicyState, type RowBeforeAfter, type SelectedGroup } from './groups.ts';
import { type BeforeAfter, idOf } from './net-changes.ts';
import { comparePositions, isAfterPosition, type PairPosition } from './pair-position.ts';

/** The difference of a pair between two states. `changed`: related in both, but under other conditions. */
export type Effect = 'gained' | 'lost' | 'changed';

/** A pair with a difference. */
export interface PairDifference {
  readonly left: RowBeforeAfter;
  readonly right: RowBeforeAfter;
  readonly type: string;
  readonly effect: Effect;
  /** The policies that relate them in each state. */
  readonly policies: BeforeAfter<readonly PolicyState[]>;
}

/** The number of pairs that differ. */
export type DifferenceCounts = Readonly<Record<Effect | 'unchanged', number>>;

/** The difference between two states of a relation. */
export interface RelationDifference {
  /**
   * Exact, even if there are too many pairs to list. `unchanged`: pairs that are related in both states, but by a written policy or by
   * different policies.
   */
  readonly counts: DifferenceCounts;
  /**
   * The pairs that differ, ordered by the names and keys of left and right, and by type.
   * @param after continues after this position. Default: the beginning
   */
  pairs(after?: PairPosition): Generator<PairDifference, void, undefined>;
  /** @returns a function that returns true for two ids that are no longer related */
  lost(type: string): (left: string, right: string) => boolean;
}

interface Outcome {
  readonly type: string;
  readonly effect: Effect | 'unchanged';
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Number of pairs of groups that are compared before yielding to the event loop. */
const COMPARISONS_PER_SLICE = 20_000;

/** The two states of a relation. */
export interface RelatedStates {
  readonly lefts: readonly RowBeforeAfter[];
  readonly rights: readonly RowBeforeAfter[];
  /** All policies that relate any of the rows in either state. */
  readonly policies: readonly PolicyBeforeAfter[];
  /** True if the policy or one of its posture checks was written. */
  isWritten(policy: PolicyBeforeAfter): boolean;
}

/** Compares the two states, without the store. */
export const differenceOf = async ({ policies, isWritten, ...rows }: RelatedStates): Promise<RelationDifference> => {
  const [ofLeft, ofRight] = [await groupSelected(rows.lefts, policies, 'left'), await groupSelected(rows.rights, policies, 'right')];
  const written = new Set(policies.flatMap((policy, n) => (isWritten(policy) ? [n] : [])));
  const compare = createComparison(policies, written);
  const candidates = candidatesAmong(ofRight, written);
  const counts = { gained: 0, lost: 0, changed: 0, unchanged: 0 };
  const differingLeft: SelectedGroup[] = [];
  const yieldIfDue = createTimeSlice(COMPARISONS_PER_SLICE);
  for (const left of ofLeft) {
    const others = candidates(left);
    const compareTo = compare(left);
    let differs = false;
    for (const right of others)
      for (const outcome of compareTo(right)) {
        counts[outcome.effect] += left.members.length * right.members.length;
        differs ||= isDifference(outcome);
      }
    if (differs) differingLeft.push(left);
    await yieldIfDue(1 + others.length);
  }
  return {
    counts,
    lost: (type) => lostBy({ differingLeft, rights: ofRight, compare }, type),
    pairs: (after) => differingPairs({ differingLeft, policies, compare, candidates }, after),
  };
};

type Compare = ReturnType<typeof createComparison>;

const lostBy = (
  { differingLeft, rights, compare }: { differingLeft: readonly SelectedGroup[]; rights: readonly SelectedGroup[]; compare: Compare },
  type: string,
): ((left: string, right: string) => boolean) => {
  const [leftById, rightById] = [groupsById(differingLeft), groupsById(rights)];
  return (left, right) => {
    const [from, to] = [leftById.get(left), rightById.get(right)];
    if (!from || !to) return false;
    return compare(from)(to).some((outcome) => outcome.effect === 'lost' && outcome.type === type);
  };
};

interface DifferingGroups {
  readonly differingLeft: readonly SelectedGroup[];
  readonly policies: readonly PolicyBeforeAfter[];
  readonly compare: Compare;
  readonly candidates: (left: SelectedGroup) => readonly SelectedGroup[];
}

function* differingPairs(
  { differingLeft, policies, compare, candidates }: DifferingGroups,
  after: PairPosition | undefined,
): Generator<PairDifference, void, undefined> {
  for (const [left, group] of membersByName(differingLeft)) {
    if (after && comparePositions([nameOf(left), left.key], after) < 0) continue;
    const compareTo = compare(group);
    const differing = candidates(group).flatMap((right) => {
      const outcomes = compareTo(right).filter(isDifference);
      return outcomes.length === 0 ? [] : right.members.map((member) => ({ right: member, outcomes }));
    });
    for (const { right, outcomes } of differing.sort((a, b) => compareNames(a.right, b.right)))
      for (const { type, effect, before, after: now } of outcomes) {
        const pair = { left, right, type };
        if (isAfterPosition(after, positionOf(pair))) yield { ...pair, effect, policies: statesOf(policies, before, now) };
      }
  }
}

const isDifference = (outcome: Outcome): outcome is Outcome & { readonly effect: Effect } => outcome.effect !== 'unchanged';

/** The name of a row in the later of its states. */
export const nameOf = ({ before, after }: RowBeforeAfter): string => (after ?? before)?.name ?? '';
const compareNames = (a: RowBeforeAfter, b: RowBeforeAfter): number => compareText(nameOf(a), nameOf(b)) || compareText(a.key, b.key);

export const positionOf = ({ left, right, type }: Pick<PairDifference, 'left' | 'right' | 'type'>): PairPosition => [
  nameOf(left),
  left.key,
  nameOf(right),
  right.key,
  type,
];

const membersByName = (groups: readonly SelectedGroup[]): readonly (readonly [RowBeforeAfter, SelectedGroup])[] =>
  groups.flatMap((group) => group.members.map((member) => [member, group] as const)).sort(([a], [b]) => compareNames(a, b));

const groupsById = (groups: readonly SelectedGroup[]): ReadonlyMap<string, SelectedGroup> =>
  new Map(groups.flatMap((group) => group.members.map((member) => [idOf(member), group])));

const statesOf = (
  policies: readonly PolicyBeforeAfter[],
  before: readonly number[],
  after: readonly number[],
): BeforeAfter<readonly PolicyState[]> => ({
  before: before.flatMap((n) => policies[n]?.before ?? []),
  after: after.flatMap((n) => policies[n]?.after ?? []),
});

const EMPTY: readonly never[] = [];

/** @returns a function that returns the groups on the right whose relation to a group on the left may differ */
const candidatesAmong = (groups: readonly SelectedGroup[], written: ReadonlySet<number>) => {
  const byPolicy = new Map<number, SelectedGroup[]>();
  for (const group of groups)
    for (const n of new Set([...group.before, ...group.after])) {
      const selected = byPolicy.get(n);
      if (selected) selected.push(group);
      else byPolicy.set(n, [group]);
    }
  const moved = groups.filter(({ isMoved }) => isMoved);
  return (left: SelectedGroup): readonly SelectedGroup[] => {
    const all = [...new Set([...left.before, ...left.after])];
    const causes = left.isMoved ? all : all.filter((n) => written.has(n));
    // The usual case: one policy was written.
    if (moved.length === 0 && causes.length === 1) return byPolicy.get(causes[0] as number) ?? EMPTY;
    return [...new Set([...causes.flatMap((n) => byPolicy.get(n) ?? []), ...moved])];
  };
};

/** @returns a function that returns, for a group on the left, a function that compares it with a group on the right */
const createComparison = (policies: readonly PolicyBeforeAfter[], written: ReadonlySet<number>) => {
  const types = [...new Set(policies.flatMap(({ before, after }) => [before?.type, after?.type]))]
    .filter((type) => type !== undefined)
    .sort();
  const isPlain = (n: number, state: State) => isUnconditional(policies[n]?.[state]);
  return (left: SelectedGroup) => {
    const selecting = { before: typesOf(policies, left, 'before'), after: typesOf(policies, left, 'after') };
    const keyOf = (indexes: readonly number[], state: State): string =>
      !left.sample[state]?.roleAttributeGrants && indexes.some((n) => isPlain(n, state))
        ? UNCONDITIONAL
        : conditionsOf(
            indexes.flatMap((n) => policies[n]?.[state] ?? []),
            left.sample[state],
          ).key;
    return (right: SelectedGroup): readonly Outcome[] => {
      let outcomes: Outcome[] | undefined;
      for (const type of types) {
        const before = commonIndexes(right.before, selecting.before, type);
        const after = commonIndexes(right.after, selecting.after, type);
        const effect = effectOf(before, after);
        if (effect) (outcomes ??= []).push({ type, effect, before, after });
      }
      return outcomes ?? EMPTY;
    };
    function effectOf(before: readonly number[], after: readonly number[]): Outcome['effect'] | undefined {
      if (before.length === 0) return after.length === 0 ? undefined : 'gained';
      if (after.length === 0) return 'lost';
      if (keyOf(before, 'before') !== keyOf(after, 'after')) return 'changed';
      const isTouched = before.some((n) => written.has(n)) || after.some((n) => written.has(n)) || !isSameList(before, after);
      return isTouched ? 'unchanged' : undefined;
    }
  };
};

type State = 'before' | 'after';

/** The types of the policies that select a group in a state, by index of the policy. */
const typesOf = (policies: readonly PolicyBeforeAfter[], group: SelectedGroup, state: State): readonly (string | undefined)[] => {
  const types = new Array<string | undefined>(policies.length).fill(undefined);
  for (const n of group[state]) types[n] = policies[n]?.[state]?.type;
  return types;
};

/**
 * The indexes of the policies of a type that also select the other side. Runs for each pair of groups, so it allocates a list only if
 * needed.
 */
const commonIndexes = (indexes: readonly number[], types: readonly (string | undefined)[], type: string): readonly number[] => {
  let found: number[] | undefined;
  for (const n of indexes) if (types[n] === type) (found ??= []).push(n);
  return found ?? EMPTY;
};

const isSameList = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((n, i) => n === b[i]);
