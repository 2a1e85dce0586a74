/** A side whose members are numbered in order of name, so that sets of them are bit sets. */
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../runtime/concurrency/event-loop.ts';
import { Posting } from '../../store/indexes/posting.ts';
import { selectedOnce } from './groups.ts';
import type { Member, SelectedSide } from './selected-side.ts';

export type State = 'before' | 'after';

export interface NumberedSide {
  /** In order of name and key. The position is the number. */
  readonly members: readonly Member[];
  /** The number of an entity; undefined if no policy selects it. */
  numberOf(id: string): number | undefined;
  /** The members that the policy with this index selects in a state; undefined if there are none. */
  selected(policy: number, state: State): Posting | undefined;
  /** The members that this policy selects in only one of the states; undefined if there are none. */
  moved(policy: number): Posting | undefined;
  /** True if the policies that select a member differ between the states. */
  readonly hasMoved: boolean;
}

export const numberedSide = async (side: SelectedSide): Promise<NumberedSide> => {
  const members: Member[] = [];
  for await (const member of side.members(new Set(side.groups))) members.push(member);
  const [selected, moved] = [{ before: new Map<number, Posting>(), after: new Map<number, Posting>() }, new Map<number, Posting>()];
  const add = (postings: Map<number, Posting>, policy: number, number: number) => {
    let posting = postings.get(policy);
    if (!posting) postings.set(policy, (posting = new Posting()));
    posting.add(number, members.length);
  };
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  for (const [number, [, group]] of members.entries()) {
    const { before, after } = group;
    for (const policy of before) add(selected.before, policy, number);
    for (const policy of after) add(selected.after, policy, number);
    for (const policy of selectedOnce(group)) add(moved, policy, number);
    await yieldIfDue(1 + (before.length + after.length) / 10);
  }
  let numbers: ReadonlyMap<string, number> | undefined;
  return {
    members,
    numberOf: (id) => (numbers ??= new Map(members.map(([{ before, after }], number) => [(after ?? before)?.id ?? '', number]))).get(id),
    selected: (policy, state) => selected[state].get(policy),
    moved: (policy) => moved.get(policy),
    hasMoved: moved.size > 0,
  };
};
