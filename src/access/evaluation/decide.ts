import type { identity, service, servicePolicy } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { policiesBetween } from '../policies/traversal.ts';
import type { SessionFacts } from '../posture/facts.ts';
import { loadPosture } from '../posture/load.ts';
import { type Access, evaluateAccess, type PolicyResult } from './evaluate.ts';

type Policy = RowOf<typeof servicePolicy>;

/** The result for one type of access, with its reasons. */
export interface Decision {
  /** True if a policy of the type selects both, regardless of its posture checks. */
  readonly isPermitted: boolean;
  /** True if one of these policies passes its posture checks. */
  readonly isGranted: boolean;
  /** The policies of the type that select both, with the results of their posture checks. */
  readonly policies: readonly PolicyResult<Policy>[];
}

/** The subject of a decision. */
export interface AccessSubject {
  readonly identity: RowOf<typeof identity>;
  /** Without a session, MFA checks fail. */
  readonly session: SessionFacts | undefined;
  /** ISO text. */
  readonly now: string;
}

/** Derives the decision for one type of policy from the evaluated access. */
export const decisionOf = ({ permissions, dial, bind, results }: Access<Policy>, type: PolicyType): Decision => ({
  isPermitted: type === 'Dial' ? permissions.dial : permissions.bind,
  isGranted: type === 'Dial' ? dial : bind,
  policies: results.filter(({ policy }) => policy.type === type),
});

/** Decides whether an identity may dial or bind a service now. Runs three queries, or one if no policy has posture checks. */
export const decideAccess = async (
  entities: Entities,
  { identity: who, session, now }: AccessSubject,
  serviceRow: RowOf<typeof service>,
  type: PolicyType,
): Promise<Decision> => {
  const policies = await policiesBetween(entities, who, serviceRow);
  const posture = await loadPosture(entities, policies, { identityId: who.id, session }, now);
  return decisionOf(evaluateAccess(policies, who, serviceRow, posture), type);
};
