/** Compares a group of entities on the left side of a relation with all entities on the right, between two states. */
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { type BitSet, countBits, emptyBitSet, nextBit, setBit, subtractBits } from '../../store/indexes/bit-set.ts';
import { conditionsOf, isUnconditional } from '../evaluation/conditions.ts';
import type { PolicyBeforeAfter, SelectedGroup } from './groups.ts';
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
  const related = {
    before: { all: emptyBitSet(width), unconditional: emptyBitSet(width) },
    after: { all: emptyBitSet(width), unconditional: emptyBitSet(width) },
    /** By a written policy, or by another one in only one of the states. */
    touched: emptyBitSet(width),
  };
  const found = { gained: emptyBitSet(width), lost: emptyBitSet(width), changed: emptyBitSet(width), conditional: emptyBitSet(width) };

  return async (left) => {
    const differences: TypeDifference[] = [];
    const mayDiffer = left.isMoved || right.hasMoved || STATES.some((state) => left[state].some((n) => written.has(n)));
    for (const type of mayDiffer ? types : []) {
      relate(left, type);
      if (nextBit(related.touched, 0) !== -1 || hasEnds(left)) differences.push(await compare(left, type));
      await yieldIfDue(related.touched.length * (15 + left.before.length + left.after.length));
    }
    return differences;
  };

  /** Finds the entities on the right that policies of a type relate to a group. */
  function relate(left: SelectedGroup, type: string): void {
    const { touched, ...states } = related;
    for (const bits of [touched, ...STATES.flatMap((state) => Object.values(states[state]))]) bits.fill(0);
    eachOf(left, (n, selects) => {
      const isKept = selects.before && selects.after && !written.has(n);
      for (const state of STATES) {
        const policy = policies[n]?.[state];
        if (!selects[state] || policy?.type !== type) continue;
        const selected = right.selected(n, state);
        selected?.uniteInto(states[state].all);
        if (!hasEnds(left) && isUnconditional(policy)) selected?.uniteInto(states[state].unconditional);
        (isKept ? right.moved(n) : selected)?.uniteInto(touched);
      }
    });
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

const word = (bits: BitSet, at: number): number => bits[at] ?? 0;

/** A copy of a set, which is shared if it is empty. */
const copyOf = (bits: BitSet): BitSet => (nextBit(bits, 0) === -1 ? NO_BITS : bits.slice());

/** True if role attributes of the members of a group end. */
const hasEnds = ({ sample }: SelectedGroup): boolean =>
  Boolean(sample.before?.roleAttributeGrants) || Boolean(sample.after?.roleAttributeGrants);

/** Calls a function with each policy that selects a group in either state, in ascending order. */
const eachOf = ({ before, after }: SelectedGroup, visit: (policy: number, selects: Readonly<Record<State, boolean>>) => void): void => {
  for (let [i, j] = [0, 0]; i < before.length || j < after.length; ) {
    const [was, is] = [before[i] ?? Infinity, after[j] ?? Infinity];
    visit(Math.min(was, is), was === is ? IN_BOTH : was < is ? IN_BEFORE : IN_AFTER);
    if (was <= is) i++;
    if (is <= was) j++;
  }
};

const IN_BOTH = { before: true, after: true };
const IN_BEFORE = { before: true, after: false };
const IN_AFTER = { before: false, after: true };

/** The indexes of the policies of a type that select both groups. */
const commonPolicies = (policies: readonly PolicyBeforeAfter[], type: string, left: SelectedGroup, right: SelectedGroup) => {
  const commonIn = (state: State): readonly number[] => {
    const selecting = new Set(right[state]);
    return left[state].filter((n) => policies[n]?.[state]?.type === type && selecting.has(n));
  };
  return { before: commonIn('before'), after: commonIn('after') };
};
