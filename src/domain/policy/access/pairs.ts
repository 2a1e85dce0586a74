/**
 * The pairs that policies relate in two states, and how the two differ. Entities that the same policies select, in both states, form a group: pairs are
 * compared and counted by group, so the cost depends on how many groups there are, not on how many entities.
 */

import { createTimeSlice } from '../../../concurrency/event-loop.ts';
import { compareText } from '../../../query/index.ts';
import { conditionsOf, isUnconditional, UNCONDITIONAL } from './conditions.ts';
import { groupsOf, type PolicyInBoth, type PolicyState, type RowInBoth, type SelectedGroup } from './groups.ts';
import type { InBoth } from './net-changes.ts';

/** How a pair differs between two states. `changed`: it is related in both, under other conditions. */
export type Effect = 'gained' | 'lost' | 'changed';

/** A pair that differs. */
export interface PairDifference {
  readonly left: RowInBoth;
  readonly right: RowInBoth;
  readonly type: string;
  readonly effect: Effect;
  /** The policies that relate them in each state. */
  readonly policies: InBoth<readonly PolicyState[]>;
}

/** How many pairs differ. */
export type DifferenceCounts = Readonly<Record<Effect | 'unchanged', number>>;

/** The place of a pair in order: names and keys of left and right, and the type. Each pair has one of its own. */
export type PairPosition = readonly string[];

/** What two states have in common, and what differs between them. */
export interface RelationDifference {
  /** Exact, also where the pairs are too many to list. `unchanged`: pairs that a written policy relates in both states, or policies that only one state relates. */
  readonly counts: DifferenceCounts;
  /** The pairs that differ, by the names and keys of left and right and by type. @param after continues after this place. Default: from the first */
  pairs(after?: PairPosition): Generator<PairDifference, void, undefined>;
  /** @returns a function that is true for two ids that are no longer related */
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

/** What a difference depends on. */
export interface RelatedStates {
  readonly lefts: readonly RowInBoth[];
  readonly rights: readonly RowInBoth[];
  /** All policies that relate any of these in either state. */
  readonly policies: readonly PolicyInBoth[];
  /** True for a policy that was itself written, or whose posture checks were. */
  isWritten(policy: PolicyInBoth): boolean;
}

/** Compares the two states, without the store. */
export const differenceOf = async ({ policies, isWritten, ...rows }: RelatedStates): Promise<RelationDifference> => {
  const [ofLeft, ofRight] = [await groupsOf(rows.lefts, policies, 'left'), await groupsOf(rows.rights, policies, 'right')];
  const written = new Set(policies.flatMap((policy, n) => (isWritten(policy) ? [n] : [])));
  const compare = comparisonBy(policies, written);
  const candidates = candidatesAmong(ofRight, written);
  const counts = { gained: 0, lost: 0, changed: 0, unchanged: 0 };
  /** The groups on the left with pairs that differ. */
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
  const lefts = byName(differingLeft);
  return {
    counts,
    lost: (type) => {
      const [leftById, rightById] = [groupsById(differingLeft), groupsById(ofRight)];
      return (left, right) => {
        const [from, to] = [leftById.get(left), rightById.get(right)];
        return (
          from !== undefined && to !== undefined && compare(from)(to).some((outcome) => outcome.effect === 'lost' && outcome.type === type)
        );
      };
    },
    pairs: function* (after) {
      for (const [left, group] of lefts) {
        if (after && comparePositions([nameOf(left), left.key], after) < 0) continue;
        const compareTo = compare(group);
        const differing = candidates(group).flatMap((right) => {
          const outcomes = compareTo(right).filter(isDifference);
          return outcomes.length === 0 ? [] : right.members.map((member) => ({ member, outcomes }));
        });
        for (const { member, outcomes } of differing.sort((a, b) => compareNames(a.member, b.member)))
          for (const { type, effect, before, after: now } of outcomes) {
            const pair = { left, right: member, type };
            if (isBeyond(after, positionOf(pair))) yield { ...pair, effect, policies: statesOf(policies, before, now) };
          }
      }
    },
  };
};

const isDifference = (outcome: Outcome): outcome is Outcome & { readonly effect: Effect } => outcome.effect !== 'unchanged';

/** The name of a row in the later of its states. */
export const nameOf = ({ before, after }: RowInBoth): string => (after ?? before)?.name ?? '';
const idOf = ({ before, after }: RowInBoth): string => (after ?? before)?.id ?? '';
const compareNames = (a: RowInBoth, b: RowInBoth): number => compareText(nameOf(a), nameOf(b)) || compareText(a.key, b.key);

/** @param a may be the beginning of a position */
const comparePositions = (a: PairPosition, b: PairPosition): number => {
  for (const [i, text] of a.entries()) {
    const order = compareText(text, b[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
};

export const positionOf = ({ left, right, type }: Pick<PairDifference, 'left' | 'right' | 'type'>): PairPosition => [
  nameOf(left),
  left.key,
  nameOf(right),
  right.key,
  type,
];

/** True if a pair comes after a position, or if there is none. @param place as long as `position` */
export const isBeyond = (position: PairPosition | undefined, place: PairPosition): boolean =>
  !position || comparePositions(place, position) > 0;

const byName = (groups: readonly SelectedGroup[]): readonly (readonly [RowInBoth, SelectedGroup])[] =>
  groups.flatMap((group) => group.members.map((member) => [member, group] as const)).sort(([a], [b]) => compareNames(a, b));

const groupsById = (groups: readonly SelectedGroup[]): ReadonlyMap<string, SelectedGroup> =>
  new Map(groups.flatMap((group) => group.members.map((member) => [idOf(member), group])));

const statesOf = (
  policies: readonly PolicyInBoth[],
  before: readonly number[],
  after: readonly number[],
): InBoth<readonly PolicyState[]> => ({
  before: before.flatMap((n) => policies[n]?.before ?? []),
  after: after.flatMap((n) => policies[n]?.after ?? []),
});

const EMPTY: readonly never[] = [];

/** Finds the groups on the right that may differ in their relation to one on the left. */
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

/** Compares pairs of groups: for one on the left, a function that takes those on the right. */
const comparisonBy = (policies: readonly PolicyInBoth[], written: ReadonlySet<number>) => {
  const types = [...new Set(policies.flatMap(({ before, after }) => [before?.type, after?.type]))]
    .filter((type) => type !== undefined)
    .sort();
  const isPlain = (n: number, state: State) => isUnconditional(policies[n]?.[state]);
  return (left: SelectedGroup) => {
    const selecting = { before: typesOf(policies, left, 'before'), after: typesOf(policies, left, 'after') };
    const keyOf = (numbers: readonly number[], state: State): string =>
      !left.sample[state]?.roleAttributeGrants && numbers.some((n) => isPlain(n, state))
        ? UNCONDITIONAL
        : conditionsOf(
            numbers.flatMap((n) => policies[n]?.[state] ?? []),
            left.sample[state],
          ).key;
    return (right: SelectedGroup): readonly Outcome[] => {
      let outcomes: Outcome[] | undefined;
      for (const type of types) {
        const before = common(right.before, selecting.before, type);
        const after = common(right.after, selecting.after, type);
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

/** The types of the policies that select a group in a state, by the number of the policy. */
const typesOf = (policies: readonly PolicyInBoth[], group: SelectedGroup, state: State): readonly (string | undefined)[] => {
  const types = new Array<string | undefined>(policies.length).fill(undefined);
  for (const n of group[state]) types[n] = policies[n]?.[state]?.type;
  return types;
};

/** Those of some numbers whose policy has a type and selects the other side, too. Runs for each pair of groups, so it avoids what is not needed. */
const common = (numbers: readonly number[], types: readonly (string | undefined)[], type: string): readonly number[] => {
  let found: number[] | undefined;
  for (const n of numbers) if (types[n] === type) (found ??= []).push(n);
  return found ?? EMPTY;
};

const isSameList = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((n, i) => n === b[i]);
