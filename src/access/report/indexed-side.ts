/**
 * A side of a relation whose members are not read, but found in the role index: they are sets of numbers, and only the members on a page
 * are read from the store.
 */
import type { Kind } from '../../contract/api/kit/index.ts';
import { and, oneOf, type Predicate, type SortKey, stringField } from '../../query/index.ts';
import { createTimeSlice, inBatches } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type BitSet, countBits, intersectBits, nextBit } from '../../store/indexes/bit-set.ts';
import type { NumberedRows } from '../../store/indexes/index-follower.ts';
import type { Row } from '../../store/storage/port.ts';
import { type Side, selectedBy } from '../roles/membership.ts';
import type { PolicyBeforeAfter, RowBeforeAfter, SelectedGroup, SelectingPolicies } from './groups.ts';
import type { State } from './numbered-side.ts';
import { compareMembers, isFrom, type Member, type SelectedSide } from './selected-side.ts';

/** Entities that the changes do not concern, and whose role attributes have no end. */
export interface IndexedEntities {
  readonly entities: Entities;
  readonly kind: Kind;
  readonly rows: NumberedRows;
  /** Their numbers. */
  readonly bits: BitSet;
  /** A predicate that all of them satisfy. */
  readonly where: Predicate;
  /** Maximum number of them that are read by id and then sorted. More are read in order of name, past those that are not listed. */
  readonly maxRead: number;
  /** The row in both states. */
  inBoth(row: Row): RowBeforeAfter;
}

/** Number of members of policies that are grouped in one time slice. */
const MEMBERS_PER_SLICE = 100_000;
/** Number of rows that are read at a time. */
const BATCH_SIZE = 200;

const ID = stringField('id');
const NAME = stringField('name');
const BY_NAME: readonly SortKey[] = [{ field: NAME, descending: false }];

/** @returns undefined if the index has followed a later change in the meantime */
export const indexedSide = async (
  indexed: IndexedEntities,
  policies: readonly PolicyBeforeAfter[],
  side: 'left' | 'right',
): Promise<SelectedSide | undefined> => {
  const { numbering } = indexed.rows;
  const partition = await partitionOf(indexed, policies, side);
  if (!partition) return undefined;
  const { groups, groupAt } = partition;
  const groupOf = (id: string) => groups[groupAt[numbering.numberOf(id) ?? -1] ?? OTHERS];
  return {
    groups: groups.filter((group) => group !== undefined),
    groupOf,
    members: async function* (wanted, from) {
      const memberOf = (row: Row): readonly Member[] => {
        const [group, member] = [groupOf(row.id), indexed.inBoth(row)];
        return group && wanted.has(group) && isFrom(from, member) ? [[member, group]] : [];
      };
      const count = groups.reduce((sum, group) => sum + (group && wanted.has(group) ? group.size : 0), 0);
      if (count > indexed.maxRead) {
        for await (const rows of readByName(indexed, from?.[0] ?? '')) yield* rows.flatMap(memberOf);
        return;
      }
      const isWanted = groups.map((group) => group !== undefined && wanted.has(group));
      const ids: string[] = [];
      for (let number = 0; number < groupAt.length; number++) if (isWanted[groupAt[number] ?? OTHERS]) ids.push(numbering.idOf(number));
      yield* (await readById(indexed, ids)).flatMap(memberOf).sort(compareMembers);
    },
  };
};

/** Batches of rows in order of name. */
async function* readByName({ entities, kind, where }: IndexedEntities, from: string): AsyncGenerator<readonly Row[]> {
  let start: Predicate = { op: 'compare', field: NAME, is: '>=', value: from };
  for (;;) {
    const rows: readonly Row[] = await entities.list(kind, { where: and(where, start), sort: BY_NAME, limit: BATCH_SIZE });
    yield rows;
    if (rows.length < BATCH_SIZE) return;
    start = { op: 'compare', field: NAME, is: '>', value: String(rows.at(-1)?.['name']) };
  }
}

const readById = async ({ entities, kind }: IndexedEntities, ids: readonly string[]): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const batch of inBatches(ids, () => 1, BATCH_SIZE)) rows.push(...(await entities.list(kind, { where: oneOf(ID, batch) })));
  return rows;
};

/** The position of all other entities, which have no group. */
const OTHERS = 0;
/** The position of the group with which the partition begins. */
const ALL_MEMBERS = 1;

interface Partition {
  readonly groups: readonly (SelectedGroup | undefined)[];
  /** The position of the group of each number. */
  readonly groupAt: Uint32Array;
}

/** The states in which a policy selects the same entities. */
type States = 'both' | State;

/** A group while the partition is refined. */
interface GrowingGroup extends Readonly<Record<States, number[]>> {
  size: number;
  /** Number of members that the current policy selects. */
  selected: number;
  /** Where these move, if they are not all. */
  target: number;
}

/**
 * Refines a partition selection by selection: members of a group of which a policy selects only some move to a new group. Policies that
 * select all entities are common to all groups.
 */
const partitionOf = async (
  { rows, bits }: IndexedEntities,
  policies: readonly PolicyBeforeAfter[],
  side: 'left' | 'right',
): Promise<Partition | undefined> => {
  const groupAt = new Uint32Array(rows.numbering.width);
  const size = countBits(bits);
  const growing = [newGroup(0), newGroup(size)];
  const forAll = newGroup(size);
  eachBit(bits, (number) => void (groupAt[number] = ALL_MEMBERS));
  const yieldIfDue = createTimeSlice(MEMBERS_PER_SLICE);
  const bySelection = Map.groupBy(selectionsOf(policies, side), ({ selection: { semantic, roles } }) => JSON.stringify([semantic, roles]));
  for (const alike of bySelection.values()) {
    const selected = rows.bitsOf(await selectedBy(alike.slice(0, 1).map(({ selection }) => selection)));
    if (!selected) return undefined;
    intersectBits(selected, bits);
    const count = countBits(selected);
    for (const group of count === size ? [forAll] : refine(groupAt, growing, selected))
      for (const { policy, states } of alike) group[states].push(policy);
    await yieldIfDue(1000 + count);
  }
  const common = selecting(forAll);
  const groups: (SelectedGroup | undefined)[] = [];
  for (const group of growing) {
    groups.push(finished(group, common));
    await yieldIfDue(10 + group.both.length);
  }
  return { groups, groupAt };
};

/**
 * Moves the selected members of each group of which not all are selected to a new group.
 * @returns the groups whose members are all selected
 */
const refine = (groupAt: Uint32Array, groups: GrowingGroup[], selected: BitSet): readonly GrowingGroup[] => {
  const met: number[] = [];
  eachBit(selected, (number) => {
    const at = groupAt[number] ?? OTHERS;
    const group = groups[at];
    if (group && group.selected++ === 0) met.push(at);
  });
  const whole = met.flatMap((at) => {
    const group = groups[at];
    if (!group) return [];
    const isSplit = group.selected < group.size;
    const target = isSplit ? newGroup(group.selected, group) : group;
    group.target = isSplit ? groups.push(target) - 1 : at;
    if (isSplit) group.size -= group.selected;
    group.selected = 0;
    return [target];
  });
  eachBit(selected, (number) => {
    const at = groupAt[number] ?? OTHERS;
    groupAt[number] = groups[at]?.target ?? at;
  });
  return whole;
};

/** @param like a group that is selected by the same policies so far. Default: by none */
const newGroup = (size: number, like: Readonly<Record<States, readonly number[]>> = WITHOUT_POLICIES): GrowingGroup => ({
  both: [...like.both],
  before: [...like.before],
  after: [...like.after],
  size,
  selected: 0,
  target: OTHERS,
});
const WITHOUT_POLICIES = { both: [], before: [], after: [] };

/** The policies of a group in ascending order: one list for both states if it is the same. */
const selecting = ({ both, before, after }: GrowingGroup): SelectingPolicies => {
  const inOrder = (policies: number[]) => policies.sort((a, b) => a - b);
  inOrder(both);
  const withBoth = (once: readonly number[]) => (once.length === 0 ? both : inOrder([...both, ...once]));
  return { before: withBoth(before), after: withBoth(after) };
};

const finished = (group: GrowingGroup, common: SelectingPolicies): SelectedGroup | undefined => {
  const { size } = group;
  const own = selecting(group);
  if (size === 0 || [own, common].every(({ before, after }) => before.length === 0 && after.length === 0)) return undefined;
  return { ...own, common, sample: WITHOUT_ENDS, size };
};

const WITHOUT_ENDS: SelectedGroup['sample'] = { before: undefined, after: undefined };

/** The selection of each policy, and the states in which it has it. */
function* selectionsOf(
  policies: readonly PolicyBeforeAfter[],
  side: 'left' | 'right',
): Generator<{ readonly policy: number; readonly selection: Side; readonly states: States }> {
  for (const [policy, { before, after }] of policies.entries()) {
    const isSame = before && before.row === after?.row;
    if (before) yield { policy, selection: before[side], states: isSame ? 'both' : 'before' };
    if (after && !isSame) yield { policy, selection: after[side], states: 'after' };
  }
}

const eachBit = (bits: BitSet, visit: (number: number) => void): void => {
  for (let number = nextBit(bits, 0); number !== -1; number = nextBit(bits, number + 1)) visit(number);
};
