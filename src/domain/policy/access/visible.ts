/** What of a difference a caller may see. */
import { postureCheck } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { and, compileMatcher } from '../../../query/index.ts';
import { granted, idsWithin, visibleOf } from '../../../resources/granted.ts';
import type { Row } from '../../../storage/port.ts';
import type { PolicyState } from './groups.ts';
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

/** Leaves out the policies and checks that the caller may not see. @param all those of the answer */
export const visiblePolicies = async (
  entities: Entities,
  call: Call,
  kinds: readonly Kind[],
  all: readonly PolicyState[],
): Promise<ShowPolicies> => {
  const within = (kind: Kind, ids: readonly string[]) => idsWithin(entities, kind, call.grant.visible, ids, call);
  const ids = all.map(({ row }) => row.id);
  const policies = new Set((await Promise.all(kinds.map((kind) => (call.grant.visible.has(kind.kind) ? within(kind, ids) : [])))).flat());
  const isLimited = kinds.some((kind) => call.grant.visible.has(kind.kind));
  const checks = new Set(
    await within(
      postureCheck,
      all.flatMap((policy) => policy.checks.map(({ id }) => id)),
    ),
  );
  return (shown = []) =>
    shown
      .filter(({ row }) => !isLimited || policies.has(row.id))
      .map((policy) => ({ ...policy, checks: policy.checks.filter(({ id }) => checks.has(id)) }));
};
