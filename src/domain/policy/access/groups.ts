/** Groups of entities that the same policies select, in two states. */
import type { RoleAttributeGrants } from '../../../api/grants-with-end.ts';
import type { Row } from '../../../storage/port.ts';
import { memoized } from '../posture/memoized.ts';
import type { Selectable, Side } from '../roles/membership.ts';
import { selectingEach } from '../roles/selection-index.ts';
import { type InBoth, statesIn } from './net-changes.ts';

/** A row that policies select, as far as this needs it. */
export interface RelatedRow extends Selectable {
  readonly name: string;
  readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined;
  /** Of an identity, whose links name it. */
  readonly authPolicyId?: string;
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
/** A row in both states, with its order among rows of the same name. */
export type RowInBoth = InBoth<RelatedRow> & { readonly key: string };

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
  const numbersOf = await numbersBy(rows, policies, side);
  const textOf = memoized((numbers: readonly number[]) => `${numbers} `);
  const groups = new Map<string, SelectedGroup>();
  for (const row of rows) {
    const [before, after] = [numbersOf(row.before).before, numbersOf(row.after).after];
    if (before.length === 0 && after.length === 0) continue;
    const inEach = [textOf(before) + grantsOf(row.before), textOf(after) + grantsOf(row.after)];
    const key = inEach.join();
    const group = groups.get(key);
    if (group) group.members.push(row);
    else groups.set(key, { before, after, isMoved: inEach[0] !== inEach[1], sample: row, members: [row] });
  }
  return [...groups.values()];
};

/** The grants with an end of a row, and the attributes that they are about: what its conditions depend on besides the policies. */
const grantsOf = (row: RelatedRow | undefined): string =>
  row?.roleAttributeGrants ? JSON.stringify([row.roleAttributeGrants, row.roleAttributes]) : '';

type Numbers = Readonly<Record<'before' | 'after', readonly number[]>>;

const NOT_SELECTED: Numbers = { before: EMPTY, after: EMPTY };

/** A function that returns the numbers of the policies of each state that select a row. */
const numbersBy = async (rows: readonly RowInBoth[], policies: readonly PolicyInBoth[], side: 'left' | 'right') => {
  const items = policies.flatMap(({ before, after }, number) => {
    // Most policies were not written, and most rows neither, so that one search finds what selects them in both states.
    if (before && before.row === after?.row) return [{ number, side: before[side], isBefore: true, isAfter: true }];
    return [
      ...(before ? [{ number, side: before[side], isBefore: true, isAfter: false }] : []),
      ...(after ? [{ number, side: after[side], isBefore: false, isAfter: true }] : []),
    ];
  });
  const selecting = await selectingEach(statesIn(rows), items, (item) => item.side);
  const numbersOf = memoized((selected: readonly (typeof items)[number][]): Numbers => {
    const before = selected.filter(({ isBefore }) => isBefore).map(({ number }) => number);
    const isSame = selected.every(({ isBefore, isAfter }) => isBefore && isAfter);
    return { before, after: isSame ? before : selected.filter(({ isAfter }) => isAfter).map(({ number }) => number) };
  });
  return (row: RelatedRow | undefined): Numbers => (row ? numbersOf(selecting.get(row) ?? EMPTY) : NOT_SELECTED);
};
