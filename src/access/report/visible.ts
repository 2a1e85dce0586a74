/** Limits a difference to the entities that the caller may see. */

import type { Call } from '../../call/call.ts';
import { granted, visibleIds } from '../../call/resources/granted.ts';
import { postureCheck } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { compileMatcher } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import type { PolicyBeforeAfter, PolicyState } from './groups.ts';
import { presentStates } from './net-changes.ts';
import { EVERY_ROW } from './related-states.ts';
import type { PolicyRelation } from './relations.ts';

export type IsVisible = (row: Readonly<Record<string, unknown>>) => boolean;

/** Tests whether the caller may see entities of both sides of a relation, in either state. */
export const visibleSides = async (entities: Entities, call: Call, { left, right }: PolicyRelation) => ({
  left: await visibleRows(entities, call, left),
  right: await visibleRows(entities, call, right),
});

/** Tests whether the caller may see entities of a kind. `EVERY_ROW` if it may see all. */
export const visibleRows = async (entities: Entities, call: Call, kind: Kind): Promise<IsVisible> => {
  const where = await granted(entities, kind, call);
  if (where.op === 'all') return EVERY_ROW;
  try {
    const matches = compileMatcher(where);
    return (row) => matches(row as Row); // change records hold rows
  } catch {
    // A condition on rows of other kinds cannot be evaluated on deleted rows, so that nothing is visible.
    return () => false;
  }
};

/** Omits the policies and posture checks that the caller may not see. */
export type ShowPolicies = (policies: readonly PolicyState[] | undefined) => readonly PolicyState[];

/** @param policies all policies that the result may be called with */
export const visiblePolicies = async (
  entities: Entities,
  call: Call,
  kind: Kind,
  policies: readonly PolicyBeforeAfter[],
): Promise<ShowPolicies> => {
  const states = presentStates(policies);
  const policyIds = states.map(({ row }) => row.id);
  const allChecks = states.flatMap(({ checks }) => checks.map(({ id }) => id));
  const ids = await visibleIds(entities, kind, policyIds, call);
  const checkIds = await visibleIds(entities, postureCheck, allChecks, call);
  return (shown = []) =>
    shown.filter(({ row }) => ids.has(row.id)).map((policy) => ({ ...policy, checks: policy.checks.filter(({ id }) => checkIds.has(id)) }));
};
