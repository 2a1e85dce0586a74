/** Groups of entities that the same policies select, in two states. */
import type { RoleAttributeGrants } from '../../../api/grants-with-end.ts';
import type { Row } from '../../../storage/port.ts';
import { memoized } from '../posture/memoized.ts';
import type { Selectable, Side } from '../roles/membership.ts';
import { selectingEach } from '../roles/selection-index.ts';
import type { InBoth } from './net-changes.ts';

/** A row that policies select, as far as this needs it. */
export interface RelatedRow extends Selectable {
  readonly name: string;
  readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined;
}

/** A posture check in one state. */
export interface CheckState {
  readonly id: string;
  readonly name: string;
  /** Differs between two states if what the check demands does. */
  readonly mark: string;
}

/** A policy in one state. */
export interface PolicyState {
  readonly row: Row & { readonly name: string };
  /** The type of what it permits: `Dial` or `Bind`; one constant for a relation without types. */
  readonly type: string;
  readonly left: Side;
  readonly right: Side;
  /** The posture checks that it asks for. */
  readonly checks: readonly CheckState[];
  /** The end of the policy, as ISO text. */
  readonly validUntil: string | undefined;
}

export type PolicyInBoth = InBoth<PolicyState>;
export type RowInBoth = InBoth<RelatedRow>;

/** Entities that the same policies select, under the same conditions. */
export interface SelectedGroup {
  /** Ascending numbers of the policies that select its members. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** True if its members are not selected by the same policies, under the same conditions, in both states. */
  readonly isMoved: boolean;
  /** A member, whose grants with an end, if it has any, are those of all. */
  readonly sample: RowInBoth;
  readonly members: RowInBoth[];
}

const EMPTY: readonly never[] = [];

/** @param side the side of the policies on which the rows are */
export const groupsOf = async (
  rows: readonly RowInBoth[],
  policies: readonly PolicyInBoth[],
  side: 'left' | 'right',
): Promise<readonly SelectedGroup[]> => {
  const numbers = { before: await numbersBy(rows, policies, 'before', side), after: await numbersBy(rows, policies, 'after', side) };
  const groups = new Map<string, SelectedGroup>();
  for (const row of rows) {
    const before = numbers.before(row.before);
    const after = numbers.after(row.after);
    if (before.length === 0 && after.length === 0) continue;
    const inEach = [JSON.stringify([before, grantsOf(row.before)]), JSON.stringify([after, grantsOf(row.after)])];
    const key = inEach.join();
    const group = groups.get(key);
    if (group) group.members.push(row);
    else groups.set(key, { before, after, isMoved: inEach[0] !== inEach[1], sample: row, members: [row] });
  }
  return [...groups.values()];
};

/** The grants with an end of a row, and the attributes that they are about: what its conditions depend on besides the policies. */
const grantsOf = (row: RelatedRow | undefined) => row?.roleAttributeGrants && [row.roleAttributeGrants, row.roleAttributes];

/** A function that returns the numbers of the policies that select a row in one state. */
const numbersBy = async (
  rows: readonly RowInBoth[],
  policies: readonly PolicyInBoth[],
  state: 'before' | 'after',
  side: 'left' | 'right',
) => {
  const items = policies.flatMap(({ [state]: policy }, number) => (policy ? [{ number, side: policy[side] }] : []));
  const selecting = await selectingEach(
    rows.flatMap(({ [state]: row }) => row ?? []),
    items,
    (item) => item.side,
  );
  const numbersOf = memoized((selected: readonly { readonly number: number }[]) => selected.map(({ number }) => number));
  return (row: RelatedRow | undefined): readonly number[] => numbersOf((row && selecting.get(row)) ?? EMPTY);
};
