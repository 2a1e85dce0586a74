/** One side of a relation: the entities that policies select, by group and in order of name. */
import { compareText } from '../../query/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE, inBatches } from '../../runtime/concurrency/event-loop.ts';
import { groupSelected, type PolicyBeforeAfter, type RowBeforeAfter, type SelectedGroup } from './groups.ts';
import { idOf } from './net-changes.ts';
import { comparePositions, type PairPosition } from './pair-position.ts';

/** An entity with its group. */
export type Member = readonly [RowBeforeAfter, SelectedGroup];

export interface SelectedSide {
  readonly groups: readonly SelectedGroup[];
  /** The group of an entity; undefined if no policy selects it. */
  groupOf(id: string): SelectedGroup | undefined;
  /**
   * The members of some groups, ordered by name and key.
   * @param from starts with the first member at or after this position, of which the name and the key count. Default: the beginning
   */
  members(groups: ReadonlySet<SelectedGroup>, from?: PairPosition): AsyncIterable<Member>;
}

/** The name of a row in the later of its states. */
export const nameOf = ({ before, after }: RowBeforeAfter): string => (after ?? before)?.name ?? '';

export const compareMembers = ([a]: Member, [b]: Member): number => compareText(nameOf(a), nameOf(b)) || compareText(a.key, b.key);

/** True if a row is at or after a position. */
export const isFrom = (from: PairPosition | undefined, row: RowBeforeAfter): boolean =>
  !from || comparePositions([nameOf(row), row.key], from) >= 0;

/** The side of the policies with these rows, which are in memory. */
export const sideInMemory = async (
  rows: readonly RowBeforeAfter[],
  policies: readonly PolicyBeforeAfter[],
  side: 'left' | 'right',
): Promise<SelectedSide> => {
  const groupOfRow = await groupSelected(rows, policies, side);
  let groupById: ReadonlyMap<string, SelectedGroup> | undefined;
  return {
    groups: [...new Set(groupOfRow.values())],
    groupOf: (id) => (groupById ??= new Map([...groupOfRow].map(([row, group]) => [idOf(row), group]))).get(id),
    members: async function* (groups, from) {
      const listed: Member[] = [];
      const yieldIfDue = createTimeSlice(ROWS_PER_SLICE);
      for (const member of groupOfRow) {
        if (groups.has(member[1]) && isFrom(from, member[0])) listed.push(member);
        await yieldIfDue();
      }
      yield* inOrder(listed);
    },
  };
};

/** Number of rows that are tested in one time slice. */
const ROWS_PER_SLICE = 50_000;

/** Sorts members in parts, and merges these only as far as they are read: a page needs the first members only. */
async function* inOrder(members: readonly Member[]): AsyncGenerator<Member> {
  const parts: (readonly Member[])[] = [];
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  for (const part of inBatches(members, () => 1, ENTRIES_AT_ONCE)) {
    parts.push(part.toSorted(compareMembers));
    await yieldIfDue(part.length);
  }
  const positions = parts.map(() => 0);
  for (let count = 0; count < members.length; count++) {
    let first: Member | undefined;
    let from = 0;
    for (const [at, part] of parts.entries()) {
      const head = part[positions[at] ?? 0];
      if (head && (!first || compareMembers(head, first) < 0)) [first, from] = [head, at];
    }
    positions[from] = (positions[from] ?? 0) + 1;
    if (first) yield first;
    await yieldIfDue(parts.length / 10);
  }
}

/** Two sides without a common entity, as one. */
export const joinedSides = (one: SelectedSide, other: SelectedSide): SelectedSide => ({
  groups: [...one.groups, ...other.groups],
  groupOf: (id) => one.groupOf(id) ?? other.groupOf(id),
  members: (groups, from) => merged(one.members(groups, from), other.members(groups, from)),
});

async function* merged(one: AsyncIterable<Member>, other: AsyncIterable<Member>): AsyncGenerator<Member> {
  const [a, b] = [one[Symbol.asyncIterator](), other[Symbol.asyncIterator]()];
  let [nextA, nextB] = [await a.next(), await b.next()];
  while (!nextA.done || !nextB.done) {
    if (!nextA.done && (nextB.done || compareMembers(nextA.value, nextB.value) < 0)) {
      yield nextA.value;
      nextA = await a.next();
    } else if (!nextB.done) {
      yield nextB.value;
      nextB = await b.next();
    }
  }
}
