/** Shows who may reach what, with the reasons and the conditions. */
import type * as z from 'zod';
import type { accessEntry } from '../../../api/access-matrix.ts';
import { identity, postureCheck, service, servicePolicy } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { idsWithin } from '../../../resources/granted.ts';
import { referenceTo } from '../../../resources/links.ts';
import { checksOf } from '../posture/load.ts';
import { indexEntities } from '../roles/selection-index.ts';
import { conditionsOf, endOf } from './conditions.ts';
import type { AccessPair } from './matrix.ts';

export type AccessEntry = z.infer<typeof accessEntry>;
type Policy = RowOf<typeof servicePolicy>;

/** Shows pairs. Policies and posture checks that the caller may not see are left out of the reasons. */
export const presentPairs = async (entities: Entities, call: Call, pairs: readonly AccessPair[]): Promise<readonly AccessEntry[]> => {
  const policies = [...new Map(pairs.flatMap((pair) => pair.policies.map((policy) => [policy.id, policy]))).values()];
  const checks = await checksOf(entities, policies);
  const selected = indexEntities(checks);
  const ids = { policies: policies.map(({ id }) => id), checks: checks.map(({ id }) => id) };
  const visible = {
    policies: new Set(await idsWithin(entities, servicePolicy, call.grant.visible, ids.policies, call)),
    checks: new Set(await idsWithin(entities, postureCheck, call.grant.visible, ids.checks, call)),
  };
  return pairs.map(({ identity: who, service: what, type, policies: granting }) => {
    const conditions = granting.map(({ semantic, identityRoles, validUntil }) => ({
      left: { semantic, roles: identityRoles },
      validUntil: validUntil ?? undefined,
      checks: [],
    }));
    const reasonOf = (policy: Policy, at: number) => {
      const condition = conditions[at];
      const end = condition && endOf(condition, who);
      return {
        policy: referenceTo(servicePolicy, policy),
        postureChecks: selected({ semantic: policy.semantic, roles: policy.postureCheckRoles })
          .filter(({ id }) => visible.checks.has(id))
          .map((check) => referenceTo(postureCheck, check)),
        ...(end === undefined ? {} : { validUntil: end }),
      };
    };
    const { validUntil } = conditionsOf(conditions, who);
    return {
      identity: referenceTo(identity, who),
      service: referenceTo(service, what),
      type,
      policies: granting.map(reasonOf).filter(({ policy }) => visible.policies.has(policy.id)),
      ...(validUntil === undefined ? {} : { validUntil }),
    };
  });
};
