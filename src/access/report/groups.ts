/** Groups of entities that the same policies select, in two states. */
import type { RoleAttributeGrants } from '../../contract/api/grants-with-end.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../runtime/concurrency/event-loop.ts';
import { memoize } from '../../runtime/memoize.ts';
import type { Row } from '../../store/storage/port.ts';
import type { Selectable, Side } from '../roles/membership.ts';
import { selectingEach } from '../roles/selection-index.ts';
import { type BeforeAfter, presentStates } from './net-changes.ts';

/** The fields of a selected row that reports need. */
export interface RelatedRow extends Selectable {
  readonly name: string;
  readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined;
  /** Only set for an identity, whose links contain it. */
  readonly authPolicyId?: string;
}

/** A posture check in one state. */
export interface CheckState {
  readonly id: string;
  readonly name: string;
  /** Differs between two states if the requirements of the check differ. */
  readonly mark: string;
}

/** A policy in one state. */
export interface PolicyState {
  readonly row: Row & { readonly name: string };
  /** `Dial` or `Bind`; empty for policies without types. */
  readonly type: string;
  readonly left: Side;
  readonly right: Side;
  /** The posture checks that it requires. */
  readonly checks: readonly CheckState[];
  /** The end of the policy, as ISO text. */
  readonly validUntil: string | undefined;
}

export type PolicyBeforeAfter = BeforeAfter<PolicyState>;
/** A row in both states. The key orders rows with the same name. */
export type RowBeforeAfter = BeforeAfter<RelatedRow> & { readonly key: string };

/** Entities that the same policies select, under the same conditions. */
export interface SelectedGroup {
  /** Ascending indexes of the policies that select its members in each state. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** True if the selecting policies, or the conditions, differ between the states. */
  readonly isMoved: boolean;
  /** Any of the members: all have the same grants with an end. Without rows if no member has such grants. */
  readonly sample: BeforeAfter<RelatedRow>;
  /** Number of members. */
  readonly size: number;
}

const EMPTY: readonly never[] = [];

/**
 * The group of each row that policies select.
 * @param side the side of the policies that selects the rows
 */
export const groupSelected = async (
  rows: readonly RowBeforeAfter[],
  policies: readonly PolicyBeforeAfter[],
  side: 'left' | 'right',
): Promise<ReadonlyMap<RowBeforeAfter, SelectedGroup>> => {
  const indexesOf = await createIndexLookup(rows, policies, side);
  const textOf = memoize((indexes: readonly number[]) => `${indexes} `);
  const groups = new Map<string, { -readonly [F in keyof SelectedGroup]: SelectedGroup[F] }>();
  const groupOfRow = new Map<RowBeforeAfter, SelectedGroup>();
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  for (const row of rows) {
    await yieldIfDue();
    const [before, after] = [indexesOf(row.before).before, indexesOf(row.after).after];
    if (before.length === 0 && after.length === 0) continue;
    const keyBefore = textOf(before) + grantsOf(row.before);
    const keyAfter = textOf(after) + grantsOf(row.after);
    const key = `${keyBefore},${keyAfter}`;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { before, after, isMoved: keyBefore !== keyAfter, sample: row, size: 0 }));
    group.size++;
    groupOfRow.set(row, group);
  }
  return groupOfRow;
};

/** The part of a row, as text, on which the conditions of policies depend. */
const grantsOf = (row: RelatedRow | undefined): string =>
  row?.roleAttributeGrants ? JSON.stringify([row.roleAttributeGrants, row.roleAttributes]) : '';

type PolicyIndexes = Readonly<Record<'before' | 'after', readonly number[]>>;

const NOT_SELECTED: PolicyIndexes = { before: EMPTY, after: EMPTY };

/** @returns a function that returns the indexes of the policies of each state that select a row */
const createIndexLookup = async (rows: readonly RowBeforeAfter[], policies: readonly PolicyBeforeAfter[], side: 'left' | 'right') => {
  const items = policies.flatMap(({ before, after }, index) => {
    // Most policies were not written, so that one search covers both states.
    if (before && before.row === after?.row) return [{ index, side: before[side], isBefore: true, isAfter: true }];
    return [
      ...(before ? [{ index, side: before[side], isBefore: true, isAfter: false }] : []),
      ...(after ? [{ index, side: after[side], isBefore: false, isAfter: true }] : []),
    ];
  });
  const selecting = await selectingEach(presentStates(rows), items, (item) => item.side);
  const indexesIn = memoize((selected: readonly (typeof items)[number][]): PolicyIndexes => {
    const before = selected.filter(({ isBefore }) => isBefore).map(({ index }) => index);
    const isSame = selected.every(({ isBefore, isAfter }) => isBefore && isAfter);
    return { before, after: isSame ? before : selected.filter(({ isAfter }) => isAfter).map(({ index }) => index) };
  });
  return (row: RelatedRow | undefined): PolicyIndexes => (row ? indexesIn(selecting.get(row) ?? EMPTY) : NOT_SELECTED);
};
