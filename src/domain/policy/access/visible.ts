/** What of a difference a caller may see. */
import { postureCheck } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { and, compileMatcher } from '../../../query/index.ts';
import { granted, idsWithin, visibleOf } from '../../../resources/granted.ts';
import type { Row } from '../../../storage/port.ts';
import type { PolicyInBoth, PolicyState } from './groups.ts';
import { statesIn } from './net-changes.ts';
import type { PolicyRelation } from './relations.ts';

type IsVisible = (row: Readonly<Record<string, unknown>>) => boolean;

/** The entities of both sides of a relation that the caller may see, in whichever state. */
export const visibleSides = async (entities: Entities, call: Call, { left, right }: PolicyRelation) => ({
  left: await visibleRows(entities, call, left),
  right: await visibleRows(entities, call, right),
});

const visibleRows = async (entities: Entities, call: Call, kind: Kind): Promise<IsVisible> => {
  const where = and(await granted(entities, kind, call), await visibleOf(entities, kind, call));
  if (where.op === 'all') return () => true;
  try {
    const matches = compileMatcher(where);
    return (row) => matches(row as Row); // change records hold rows
  } catch {
    // A limit about rows of other kinds cannot be evaluated on what no longer exists: then nothing is shown.
    return () => false;
  }
};

/** A policy as it is shown, without the posture checks that the caller may not see. */
export type ShowPolicies = (policies: readonly PolicyState[] | undefined) => readonly PolicyState[];

/** Leaves out the policies and checks that the caller may not see. @param policies all those of which any may be shown */
export const visiblePolicies = async (
  entities: Entities,
  call: Call,
  kind: Kind,
  policies: readonly PolicyInBoth[],
): Promise<ShowPolicies> => {
  const states = statesIn(policies);
  const within = async (kind: Kind, ids: readonly string[]) => new Set(await idsWithin(entities, kind, call.grant.visible, ids, call));
  const ids = await within(
    kind,
    states.map(({ row }) => row.id),
  );
  const checkIds = await within(
    postureCheck,
    states.flatMap(({ checks }) => checks.map(({ id }) => id)),
  );
  return (shown = []) =>
    shown.filter(({ row }) => ids.has(row.id)).map((policy) => ({ ...policy, checks: policy.checks.filter(({ id }) => checkIds.has(id)) }));
};
