/** Groups of entities that the same policies select, in two states. */
import type { RoleAttributeGrants } from '../../contract/api/grants-with-end.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
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

/** Ascending indexes of the policies that select entities in each state. */
export interface SelectingPolicies {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** The policies that select in only one of the states. */
export const selectedOnce = ({ before, after }: SelectingPolicies): readonly number[] => {
  const once: number[] = [];
  if (before === after) return once;
  for (let [i, j] = [0, 0]; i < before.length || j < after.length; ) {
    const [was, is] = [before[i] ?? Infinity, after[j] ?? Infinity];
    if (was !== is) once.push(Math.min(was, is));
    if (was <= is) i++;
    if (is <= was) j++;
  }
  return once;
};

/** Entities that the same policies select, under the same conditions. */
export interface SelectedGroup extends SelectingPolicies {
  /**
   * Further policies, which select all entities of the side: one object for all of its groups. Only for entities without grants that end.
   */
  readonly common?: SelectingPolicies;
  /** Any of the members: all have the same grants with an end. Without rows if no member has such grants. */
  readonly sample: BeforeAfter<RelatedRow>;
  /** Number of members. */
  readonly size: number;
}

/** Number of rows that are grouped in one time slice. */
const ROWS_PER_SLICE = 2000;

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
  const yieldIfDue = createTimeSlice(ROWS_PER_SLICE);
  for (const row of rows) {
    await yieldIfDue();
    const [before, after] = [indexesOf(row.before).before, indexesOf(row.after).after];
    if (before.length === 0 && after.length === 0) continue;
    const key = `${textOf(before)}${grantsOf(row.before)},${textOf(after)}${grantsOf(row.after)}`;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { before, after, sample: row, size: 0 }));
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
