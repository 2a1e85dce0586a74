/**
 * The pairs that policies relate in two states, and how the two differ. Entities that the same policies select, in both states, form a
 * group. For each group on the left, the related entities on the right are bit sets: pairs are counted without being listed.
 */

import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { type BitSet, countBits, emptyBitSet, hasBit, nextBit, uniteBits } from '../../store/indexes/bit-set.ts';
import { createComparison, type TypeDifference } from './comparison.ts';
import type { PolicyBeforeAfter, PolicyState, RowBeforeAfter, SelectedGroup } from './groups.ts';
import type { BeforeAfter } from './net-changes.ts';
import { numberedSide } from './numbered-side.ts';
import { isAfterPosition, type PairPosition } from './pair-position.ts';
import { joinedSides, nameOf, type SelectedSide, sideInMemory } from './selected-side.ts';

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
  pairs(after?: PairPosition): AsyncIterable<PairDifference>;
  /** True if two entities are no longer related by policies of a type. */
  isLost(left: string, right: string, type: string): Promise<boolean>;
}

/** The two states of a relation. */
export interface RelatedStates {
  readonly lefts: readonly RowBeforeAfter[];
  /** Further entities on the left, which are not in memory: their members are read in the transaction. */
  readonly furtherLefts?: SelectedSide | undefined;
  readonly rights: readonly RowBeforeAfter[];
  /** All policies that relate any of the rows in either state. */
  readonly policies: readonly PolicyBeforeAfter[];
  /** True if the policy or one of its posture checks was written. */
  isWritten(policy: PolicyBeforeAfter): boolean;
}

/** Compares the two states. Only members of `furtherLefts` are read from the store. */
export const differenceOf = async (states: RelatedStates): Promise<RelationDifference> => {
  const { policies, furtherLefts } = states;
  const lefts = await sideInMemory(states.lefts, policies, 'left');
  const left = furtherLefts ? joinedSides(lefts, furtherLefts) : lefts;
  const right = await numberedSide(await sideInMemory(states.rights, policies, 'right'));
  const written = new Set(policies.flatMap((policy, n) => (states.isWritten(policy) ? [n] : [])));
  const compare = createComparison(policies, written, right);
  const counts = { gained: 0, lost: 0, changed: 0, unchanged: 0 };
  const differing = new Set<SelectedGroup>();
  const yieldIfDue = createTimeSlice(GROUPS_PER_SLICE);
  for (const group of left.groups) {
    for (const { unchanged, ...effects } of await compare(group)) {
      counts.unchanged += unchanged * group.size;
      for (const effect of EFFECTS) {
        const count = countBits(effects[effect]);
        counts[effect] += count * group.size;
        if (count > 0) differing.add(group);
      }
    }
    await yieldIfDue();
  }
  const compareAgain = lastResult(compare);
  return {
    counts,
    isLost: async (leftId, rightId, type) => {
      const [group, number] = [left.groupOf(leftId), right.numberOf(rightId)];
      if (!group || number === undefined || !differing.has(group)) return false;
      return (await compareAgain(group)).some((difference) => difference.type === type && hasBit(difference.lost, number));
    },
    pairs: async function* (after) {
      for await (const [row, group] of left.members(differing, after)) {
        const differences = await compareAgain(group);
        for (const number of elementsOf(differences, right.members.length))
          for (const difference of differences) {
            const effect = EFFECTS.find((each) => hasBit(difference[each], number));
            const [other, otherGroup] = right.members[number] ?? [];
            if (!effect || !other || !otherGroup) continue;
            const pair = { left: row, right: other, type: difference.type };
            if (!isAfterPosition(after, positionOf(pair))) continue;
            yield { ...pair, effect, policies: statesOf(policies, difference.common(otherGroup)) };
          }
      }
    },
  };
};

const EFFECTS: readonly Effect[] = ['gained', 'lost', 'changed'];
/** Number of groups that are counted in one time slice, in addition to the comparisons. */
const GROUPS_PER_SLICE = 10_000;

export const positionOf = ({ left, right, type }: Pick<PairDifference, 'left' | 'right' | 'type'>): PairPosition => [
  nameOf(left),
  left.key,
  nameOf(right),
  right.key,
  type,
];

/** The numbers of the entities on the right that differ in any type, ascending. */
function* elementsOf(differences: readonly TypeDifference[], width: number): Generator<number> {
  const all: BitSet = emptyBitSet(width);
  for (const difference of differences) for (const effect of EFFECTS) uniteBits(all, difference[effect]);
  for (let number = nextBit(all, 0); number !== -1; number = nextBit(all, number + 1)) yield number;
}

/** Remembers the last result: consecutive members often have the same group. */
const lastResult = <K, V>(compute: (key: K) => Promise<V>): ((key: K) => Promise<V>) => {
  let last: { readonly key: K; readonly value: Promise<V> } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
};

const statesOf = (
  policies: readonly PolicyBeforeAfter[],
  { before, after }: ReturnType<TypeDifference['common']>,
): BeforeAfter<readonly PolicyState[]> => ({
  before: before.flatMap((n) => policies[n]?.before ?? []),
  after: after.flatMap((n) => policies[n]?.after ?? []),
});
