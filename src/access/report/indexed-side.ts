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
import { selectedBy } from '../roles/membership.ts';
import type { PolicyBeforeAfter, RowBeforeAfter, SelectedGroup } from './groups.ts';
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

/** A group while the partition is refined. */
interface GrowingGroup extends Record<State, number[]> {
  size: number;
  /** Number of members that the current policy selects. */
  selected: number;
  /** Where these move, if they are not all. */
  target: number;
}

/** Refines a partition policy by policy: members of a group of which a policy selects only some move to a new group. */
const partitionOf = async (
  { rows, bits }: IndexedEntities,
  policies: readonly PolicyBeforeAfter[],
  side: 'left' | 'right',
): Promise<Partition | undefined> => {
  const groupAt = new Uint32Array(rows.numbering.width);
  const groups = [newGroup(0), newGroup(countBits(bits))];
  eachBit(bits, (number) => void (groupAt[number] = ALL_MEMBERS));
  const yieldIfDue = createTimeSlice(MEMBERS_PER_SLICE);
  for (const { policy, selection, states } of selectionsOf(policies, side)) {
    const selected = rows.bitsOf(await selectedBy([selection]));
    if (!selected) return undefined;
    intersectBits(selected, bits);
    const met: number[] = [];
    eachBit(selected, (number) => {
      const at = groupAt[number] ?? OTHERS;
      const group = groups[at];
      if (group && group.selected++ === 0) met.push(at);
    });
    for (const at of met) {
      const group = groups[at];
      if (!group) continue;
      const isSplit = group.selected < group.size;
      const target = isSplit ? newGroup(group.selected, group) : group;
      group.target = isSplit ? groups.push(target) - 1 : at;
      if (isSplit) group.size -= group.selected;
      group.selected = 0;
      for (const state of states) target[state].push(policy);
    }
    eachBit(selected, (number) => {
      const at = groupAt[number] ?? OTHERS;
      groupAt[number] = groups[at]?.target ?? at;
    });
    await yieldIfDue(1000 + countBits(selected));
  }
  return { groups: groups.map(finished), groupAt };
};

/** @param like a group that is selected by the same policies so far. Default: by none */
const newGroup = (size: number, like: Readonly<Record<State, readonly number[]>> = WITHOUT_POLICIES): GrowingGroup => ({
  before: [...like.before],
  after: [...like.after],
  size,
  selected: 0,
  target: OTHERS,
});
const WITHOUT_POLICIES = { before: [], after: [] };

const finished = ({ before, after, size }: GrowingGroup): SelectedGroup | undefined => {
  if (before.length === 0 && after.length === 0) return undefined;
  const isMoved = before.length !== after.length || before.some((policy, i) => policy !== after[i]);
  return { before, after, isMoved, sample: WITHOUT_ENDS, size };
};

const WITHOUT_ENDS: SelectedGroup['sample'] = { before: undefined, after: undefined };

/** The selection of each policy in each of its states, or in both if they are the same. */
function* selectionsOf(policies: readonly PolicyBeforeAfter[], side: 'left' | 'right') {
  for (const [policy, { before, after }] of policies.entries()) {
    const isSame = before && before.row === after?.row;
    if (before) yield { policy, selection: before[side], states: isSame ? BOTH : BEFORE };
    if (after && !isSame) yield { policy, selection: after[side], states: AFTER };
  }
}

const BEFORE: readonly State[] = ['before'];
const AFTER: readonly State[] = ['after'];
const BOTH: readonly State[] = ['before', 'after'];

const eachBit = (bits: BitSet, visit: (number: number) => void): void => {
  for (let number = nextBit(bits, 0); number !== -1; number = nextBit(bits, number + 1)) visit(number);
};
