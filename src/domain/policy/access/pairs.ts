/**
 * The pairs that policies relate in two states, and how the two differ. Entities that the same policies select, in both states, form a group: pairs are
 * compared and counted by group, so the cost depends on how many groups there are, not on how many entities.
 */

import { createTimeSlice } from '../../../concurrency/event-loop.ts';
import { compareText } from '../../../query/index.ts';
import { type Conditions, conditionsOf } from './conditions.ts';
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

/** The place of a pair in the order of names. */
export interface PairPosition {
  readonly left: string;
  readonly right: string;
  readonly type: string;
}

/** What two states have in common, and what differs between them. */
export interface RelationDifference {
  /** Exact, also where the pairs are too many to list. `unchanged`: pairs that a written policy relates in both states, or policies that only one state relates. */
  readonly counts: DifferenceCounts;
  /** The pairs that differ, by the names of left and right and by type. @param after continues after this place. Default: from the first */
  pairs(after?: PairPosition): Generator<PairDifference, void, undefined>;
  /** @returns tells of two ids whether they are no longer related */
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
    let differs = false;
    for (const right of others)
      for (const outcome of compare(left, right)) {
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
          from !== undefined && to !== undefined && compare(from, to).some((outcome) => outcome.effect === 'lost' && outcome.type === type)
        );
      };
    },
    pairs: function* (after) {
      for (const [left, group] of lefts) {
        const name = nameOf(left);
        if (after && compareText(name, after.left) < 0) continue;
        const differing = candidates(group).flatMap((right) => {
          const outcomes = compare(group, right).filter(isDifference);
          return outcomes.length === 0 ? [] : right.members.map((member) => ({ member, outcomes }));
        });
        for (const { member, outcomes } of differing.sort((a, b) => compareNames(a.member, b.member)))
          for (const { type, effect, before, after: now } of outcomes)
            if (isBeyond(after, { left: name, right: nameOf(member), type }))
              yield { left, right: member, type, effect, policies: statesOf(policies, before, now) };
      }
    },
  };
};

const isDifference = (outcome: Outcome): outcome is Outcome & { readonly effect: Effect } => outcome.effect !== 'unchanged';

/** The name of a row in the later of its states. */
export const nameOf = ({ before, after }: RowInBoth): string => (after ?? before)?.name ?? '';
const idOf = ({ before, after }: RowInBoth): string => (after ?? before)?.id ?? '';
const compareNames = (a: RowInBoth, b: RowInBoth): number => compareText(nameOf(a), nameOf(b)) || compareText(idOf(a), idOf(b));

/** True if a pair comes after a position, or if there is none. */
export const isBeyond = (position: PairPosition | undefined, { left, right, type }: PairPosition): boolean =>
  !position || (compareText(left, position.left) || compareText(right, position.right) || compareText(type, position.type)) > 0;

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
    return [...new Set([...causes.flatMap((n) => byPolicy.get(n) ?? []), ...moved])];
  };
};

const comparisonBy = (policies: readonly PolicyInBoth[], written: ReadonlySet<number>) => {
  const types = [...new Set(policies.flatMap(({ before, after }) => [before?.type, after?.type]))]
    .filter((type) => type !== undefined)
    .sort();
  const typed = (numbers: readonly number[], state: 'before' | 'after', type: string) =>
    numbers.filter((n) => policies[n]?.[state]?.type === type);
  return (left: SelectedGroup, right: SelectedGroup): readonly Outcome[] => {
    const [before, after] = [common(left.before, right.before), common(left.after, right.after)];
    if (before.length === 0 && after.length === 0) return EMPTY;
    return types.flatMap((type): readonly Outcome[] => {
      const related = { before: typed(before, 'before', type), after: typed(after, 'after', type) };
      const conditions = (state: 'before' | 'after'): Conditions =>
        conditionsOf(
          related[state].flatMap((n) => policies[n]?.[state] ?? []),
          left.sample[state],
        );
      if (related.before.length === 0 && related.after.length === 0) return EMPTY;
      if (related.before.length === 0) return [{ type, effect: 'gained', ...related }];
      if (related.after.length === 0) return [{ type, effect: 'lost', ...related }];
      if (conditions('before').key !== conditions('after').key) return [{ type, effect: 'changed', ...related }];
      const isTouched =
        [...related.before, ...related.after].some((n) => written.has(n)) || String(related.before) !== String(related.after);
      return isTouched ? [{ type, effect: 'unchanged', ...related }] : EMPTY;
    });
  };
};

/** What two ascending lists have in common. */
const common = (a: readonly number[], b: readonly number[]): readonly number[] => {
  if (a.length === 0 || b.length === 0) return EMPTY;
  const both: number[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x, y] = [a[i] as number, b[j] as number]; // within the lengths
    if (x === y) both.push(x);
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return both;
};
