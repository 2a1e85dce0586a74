/** The results of the posture checks of service policies for one endpoint at one time. Pure: checks, facts and time are inputs. */

import { postureCheck } from '../../../api/posture-checks/index.ts';
import type { PostureQuery } from '../../../api/posture-queries.ts';
import { selfLink } from '../../../resources/links.ts';
import type { Side } from '../roles/membership.ts';
import { indexEntities } from '../roles/selection-index.ts';
import type { Evaluation } from './check-type.ts';
import { checkTypeOf } from './check-types.ts';
import type { Facts, StoredPostureCheck } from './facts.ts';
import { memoized } from './memoized.ts';

/** The fields of a service policy that posture reads. */
export interface CheckingPolicy {
  readonly semantic: Side['semantic'];
  readonly postureCheckRoles: readonly string[];
}

export interface CheckResult extends Evaluation {
  readonly check: StoredPostureCheck;
}

export interface Posture {
  /** A result for each check that the policy selects; none for a policy without checks, which always passes. */
  resultsFor(policy: CheckingPolicy): readonly CheckResult[];
  /** The posture query of a check, for clients. */
  queryFor(result: CheckResult): PostureQuery;
}

/**
 * @param checks at least those that the policies in question select
 * @param now ms since 1970
 */
export const postureOf = (checks: readonly StoredPostureCheck[], facts: Facts, now: number): Posture => {
  // Many services share few policies, which share even fewer checks.
  const evaluated = memoized((check: StoredPostureCheck): CheckResult => ({ check, ...checkTypeOf(check).evaluate(check, facts, now) }));
  const selected = indexEntities(checks);
  const resultsFor = memoized(({ semantic, postureCheckRoles: roles }: CheckingPolicy): readonly CheckResult[] =>
    selected({ semantic, roles }).map(evaluated),
  );
  const queryFor = memoized(
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
