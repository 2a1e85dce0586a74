/** Compares a group of entities on the left side of a relation with all entities on the right, between two states. */
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { memoize } from '../../runtime/memoize.ts';
import { type BitSet, countBits, emptyBitSet, nextBit, setBit, subtractBits, uniteBits } from '../../store/indexes/bit-set.ts';
import { conditionsOf, isUnconditional } from '../evaluation/conditions.ts';
import { type PolicyBeforeAfter, type SelectedGroup, type SelectingPolicies, selectedOnce } from './groups.ts';
import type { NumberedSide, State } from './numbered-side.ts';

/** The entities on the right whose relation to a group differs, for the policies of one type. */
export interface TypeDifference {
  readonly type: string;
  readonly gained: BitSet;
  readonly lost: BitSet;
  readonly changed: BitSet;
  /** The number of entities on the right that remain related, but by a written policy or by different policies. */
  readonly unchanged: number;
  /** The indexes of the policies that relate the group to one on the right. */
  common(right: SelectedGroup): Readonly<Record<State, readonly number[]>>;
}

/** Number of words of bit sets that are combined in one time slice. */
const WORDS_PER_SLICE = 200_000;
/** The number of words that take as long as comparing the conditions of one pair. */
const WORDS_PER_CONDITION = 100;

const STATES: readonly State[] = ['before', 'after'];
const NO_BITS: BitSet = emptyBitSet(0);

/**
 * @param written the indexes of the policies that were written, or that require a written posture check
 * @returns a function that compares a group on the left. It must not be called again before it has resolved
 */
export const createComparison = (
  policies: readonly PolicyBeforeAfter[],
  written: ReadonlySet<number>,
  right: NumberedSide,
): ((left: SelectedGroup) => Promise<readonly TypeDifference[]>) => {
  const width = right.members.length;
  const yieldIfDue = createTimeSlice(WORDS_PER_SLICE);
  const types = [...new Set(policies.flatMap(({ before, after }) => [before?.type, after?.type]))]
    .filter((type) => type !== undefined)
    .sort();
  // The sets are used again for each group, because there may be as many groups as entities.
  const related = emptyRelation(width);
  /** By the policies that nothing touches. */
  const kept = { all: emptyBitSet(width), unconditional: emptyBitSet(width) };
  const found = { gained: emptyBitSet(width), lost: emptyBitSet(width), changed: emptyBitSet(width), conditional: emptyBitSet(width) };

  /** The position of the type of each policy in a state; -1 if it does not exist there. */
  const typeIn = (state: State) => Int16Array.from(policies, ({ [state]: policy }) => (policy ? types.indexOf(policy.type) : -1));
  const typeOf = { before: typeIn('before'), after: typeIn('after') };
  /** 1 for a policy that was written, or that selects the group in only one of the states. */
  const isTouching = new Uint8Array(policies.length);

  /** By type, the entities on the right to which the policies relate that select all entities of a side. */
  const commonRelations = memoize((common: SelectingPolicies): readonly Relation[] =>
    types.map((_, type) => {
      for (const bits of setsOf(related)) bits.fill(0);
      withTouching(touchingOf(common), () => addPolicies(common, type, false));
      return copyOfRelation(related);
    }),
  );

  return async (left) => {
    const differences: TypeDifference[] = [];
    const common = left.common && commonRelations(left.common);
    const touching = touchingOf(left);
    for (const [position, type] of types.entries()) {
      const isTouched = touching.some((n) => typeOf.before[n] === position || typeOf.after[n] === position);
      const isTouchedForAll = common?.[position] && nextBit(common[position].touched, 0) !== -1;
      if (!isTouched && !isTouchedForAll && !right.hasMoved && !hasEnds(left)) continue;
      for (const [i, bits] of setsOf(related).entries()) {
        const all = common?.[position] && setsOf(common[position])[i];
        if (all) bits.set(all);
        else bits.fill(0);
      }
      withTouching(touching, () => addPolicies(left, position, hasEnds(left)));
      if (nextBit(related.touched, 0) !== -1 || hasEnds(left)) differences.push(await compare(left, type));
      await yieldIfDue(related.touched.length * (15 + left.before.length + left.after.length));
    }
    return differences;
  };

  function touchingOf(selecting: SelectingPolicies): readonly number[] {
    return [...selectedOnce(selecting), ...selecting.after.filter((n) => written.has(n))];
  }

  function withTouching(touching: readonly number[], work: () => void): void {
    for (const n of touching) isTouching[n] = 1;
    work();
    for (const n of touching) isTouching[n] = 0;
  }

  /** Adds the entities on the right to which policies of a type relate. */
  function addPolicies(selecting: SelectingPolicies, type: number, endWithGrants: boolean): void {
    const { before, after, touched } = related;
    const addEach = (state: State, touching: 0 | 1, to: Relation[State]) => {
      for (const n of selecting[state]) {
        if (typeOf[state][n] !== type || isTouching[n] !== touching) continue;
        const [policy, selected] = [policies[n]?.[state], right.selected(n, state)];
        selected?.uniteInto(policy && !endWithGrants && isUnconditional(policy) ? to.unconditional : to.all);
        (touching ? selected : right.moved(n))?.uniteInto(touched);
      }
    };
    if (right.hasMoved) for (const state of STATES) addEach(state, 0, related[state]);
    else {
      // The policies that nothing touches relate the same in both states.
      for (const bits of [kept.all, kept.unconditional]) bits.fill(0);
      addEach('before', 0, kept);
      for (const to of [before, after]) {
        uniteBits(to.all, kept.all);
        uniteBits(to.unconditional, kept.unconditional);
      }
    }
    for (const state of STATES) {
      addEach(state, 1, related[state]);
      uniteBits(related[state].all, related[state].unconditional);
    }
  }

  async function compare(left: SelectedGroup, type: string): Promise<TypeDifference> {
    const { before, after, touched } = related;
    for (let i = 0; i < touched.length; i++) {
      const [was, is] = [word(before.all, i), word(after.all, i)];
      const [wasUnconditional, isNowUnconditional] = [word(before.unconditional, i), word(after.unconditional, i)];
      found.gained[i] = is & ~was;
      found.lost[i] = was & ~is;
      // An unconditional policy makes the conditions of the others irrelevant.
      found.changed[i] = was & is & (wasUnconditional ^ isNowUnconditional);
      // Without grants that end, conditions differ only with the policies.
      found.conditional[i] = was & is & ~(wasUnconditional | isNowUnconditional) & (hasEnds(left) ? -1 : word(touched, i));
      touched[i] = was & is & word(touched, i);
    }
    const common = (group: SelectedGroup) => commonPolicies(policies, type, left, group);
    await addChangedConditions(left, common);
    subtractBits(touched, found.changed);
    const [gained, lost, changed] = [copyOf(found.gained), copyOf(found.lost), copyOf(found.changed)];
    return { type, gained, lost, changed, unchanged: countBits(touched), common };
  }

  /** Adds the entities whose conditions differ to those that are found to be changed. */
  async function addChangedConditions(left: SelectedGroup, common: TypeDifference['common']): Promise<void> {
    const isChanged = new Map<SelectedGroup, boolean>();
    for (let number = nextBit(found.conditional, 0); number !== -1; number = nextBit(found.conditional, number + 1)) {
      const group = right.members[number]?.[1];
      if (!group) continue;
      if (!isChanged.has(group)) {
        const [before, after] = STATES.map((state) => {
          const relating = common(group)[state].flatMap((n) => policies[n]?.[state] ?? []);
          return conditionsOf(relating, left.sample[state]).key;
        });
        isChanged.set(group, before !== after);
        await yieldIfDue(WORDS_PER_CONDITION);
      }
      if (isChanged.get(group)) setBit(found.changed, number);
    }
  }
};

/** The entities on the right to which policies of a type relate. */
interface Relation extends Readonly<Record<State, { readonly all: BitSet; readonly unconditional: BitSet }>> {
  /** By a written policy, or by another one in only one of the states. */
  readonly touched: BitSet;
}

const emptyRelation = (width: number): Relation => ({
  before: { all: emptyBitSet(width), unconditional: emptyBitSet(width) },
  after: { all: emptyBitSet(width), unconditional: emptyBitSet(width) },
  touched: emptyBitSet(width),
});

const setsOf = ({ before, after, touched }: Relation): readonly BitSet[] => [
  before.all,
  before.unconditional,
  after.all,
  after.unconditional,
  touched,
];

const copyOfRelation = ({ before, after, touched }: Relation): Relation => ({
  before: { all: before.all.slice(), unconditional: before.unconditional.slice() },
  after: { all: after.all.slice(), unconditional: after.unconditional.slice() },
  touched: touched.slice(),
});

const word = (bits: BitSet, at: number): number => bits[at] ?? 0;

/** A copy of a set, which is shared if it is empty. */
const copyOf = (bits: BitSet): BitSet => (nextBit(bits, 0) === -1 ? NO_BITS : bits.slice());

/** True if role attributes of the members of a group end. */
const hasEnds = ({ sample }: SelectedGroup): boolean =>
  Boolean(sample.before?.roleAttributeGrants) || Boolean(sample.after?.roleAttributeGrants);

/** The indexes of the policies of a type that select both groups. */
const commonPolicies = (policies: readonly PolicyBeforeAfter[], type: string, left: SelectedGroup, right: SelectedGroup) => {
  const commonIn = (state: State): readonly number[] => {
    const selecting = new Set([...left[state], ...(left.common?.[state] ?? [])]);
    return right[state].filter((n) => policies[n]?.[state]?.type === type && selecting.has(n));
  };
  return { before: commonIn('before'), after: commonIn('after') };
};
