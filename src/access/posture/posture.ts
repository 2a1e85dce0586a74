/** The results of the posture checks of service policies, for one endpoint at one time. Pure functions. */

import { selfLink } from '../../call/resources/links.ts';
import { postureCheck } from '../../contract/api/posture-checks/index.ts';
import type { PostureQuery } from '../../contract/api/posture-queries.ts';
import { memoize } from '../../runtime/memoize.ts';
import type { Side } from '../roles/membership.ts';
import { indexEntities } from '../roles/selection-index.ts';
import type { Evaluation } from './check-type.ts';
import { checkTypeOf } from './check-types.ts';
import type { Facts, StoredPostureCheck } from './facts.ts';

/** The fields of a service policy that select its posture checks. */
export interface CheckingPolicy {
  readonly semantic: Side['semantic'];
  readonly postureCheckRoles: readonly string[];
}

export interface CheckResult extends Evaluation {
  readonly check: StoredPostureCheck;
}

export interface Posture {
  /** One result for each check that the policy selects. A policy that selects no check always passes. */
  resultsFor(policy: CheckingPolicy): readonly CheckResult[];
  /** The posture query of a check, for clients. */
  queryFor(result: CheckResult): PostureQuery;
}

/**
 * Evaluates each check once, when its result is first needed.
 * @param checks all checks that the evaluated policies select; others are ignored
 * @param now ms since 1970
 */
export const postureOf = (checks: readonly StoredPostureCheck[], facts: Facts, now: number): Posture => {
  // Many services share a few policies, which share even fewer checks.
  const evaluated = memoize((check: StoredPostureCheck): CheckResult => ({ check, ...checkTypeOf(check).evaluate(check, facts, now) }));
  const selected = indexEntities(checks);
  const resultsFor = memoize(({ semantic, postureCheckRoles: roles }: CheckingPolicy): readonly CheckResult[] =>
    selected({ semantic, roles }).map(evaluated),
  );
  const queryFor = memoize(
    ({ check, isPassing }: CheckResult): PostureQuery => ({
      _links: selfLink(postureCheck, check.id),
      createdAt: check.createdAt,
      id: check.id,
      tags: check.tags,
      updatedAt: check.updatedAt,
      queryType: check.typeId,
      isPassing,
      timeout: -1,
      timeoutRemaining: -1,
      processes: null,
      ...checkTypeOf(check).query?.(check, facts, now),
    }),
  );
  return { resultsFor, queryFor };
};
