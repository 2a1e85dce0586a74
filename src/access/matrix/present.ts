/** Converts pairs of the access matrix to entries of the API. */
import type * as z from 'zod';
import type { Call } from '../../call/call.ts';
import { visibleIds } from '../../call/resources/granted.ts';
import { referenceTo } from '../../call/resources/links.ts';
import type { accessEntry } from '../../contract/api/access-matrix.ts';
import { identity, postureCheck, service, servicePolicy } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type ConditionalPolicy, conditionsOf, endOf } from '../evaluation/conditions.ts';
import { loadChecks } from '../posture/load.ts';
import { REFERENCES_PER_PAGE } from '../report/report-page.ts';
import { indexEntities } from '../roles/selection-index.ts';
import type { AccessPair } from './matrix.ts';

type AccessEntry = z.infer<typeof accessEntry>;
type Policy = RowOf<typeof servicePolicy>;

/**
 * Omits policies and posture checks that the caller may not see, but includes them in the computed end of access.
 * @returns the entries of the first pairs: of fewer than all once they list `REFERENCES_PER_PAGE`
 */
export const presentPairs = async (entities: Entities, call: Call, pairs: readonly AccessPair[]): Promise<readonly AccessEntry[]> => {
  const policies = [...new Map(pairs.flatMap((pair) => pair.policies.map((policy) => [policy.id, policy]))).values()];
  const checks = await loadChecks(entities, policies);
  const visiblePolicies = await visibleIds(entities, servicePolicy, idsOf(policies), call);
  const visibleChecks = await visibleIds(entities, postureCheck, idsOf(checks), call);
  const checksSelectedBy = indexEntities(checks.filter(({ id }) => visibleChecks.has(id)));

  const presentPolicy = (policy: Policy, identityRow: AccessPair['identity']) => {
    const validUntil = endOf(conditionOf(policy), identityRow);
    return {
      policy: referenceTo(servicePolicy, policy),
      postureChecks: checksSelectedBy({ semantic: policy.semantic, roles: policy.postureCheckRoles }).map((check) =>
        referenceTo(postureCheck, check),
      ),
      ...(validUntil === undefined ? {} : { validUntil }),
    };
  };
  const presentPair = (pair: AccessPair): AccessEntry => {
    const { validUntil } = conditionsOf(pair.policies.map(conditionOf), pair.identity);
    return {
      identity: referenceTo(identity, pair.identity),
      service: referenceTo(service, pair.service),
      type: pair.type,
      policies: pair.policies.filter(({ id }) => visiblePolicies.has(id)).map((policy) => presentPolicy(policy, pair.identity)),
      ...(validUntil === undefined ? {} : { validUntil }),
    };
  };
  const entries: AccessEntry[] = [];
  let references = 0;
  for (const pair of pairs) {
    if (references >= REFERENCES_PER_PAGE) break;
    const entry = presentPair(pair);
    entries.push(entry);
    references += entry.policies.reduce((sum, { postureChecks }) => sum + 1 + postureChecks.length, 0);
  }
  return entries;
};

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);

/** The conditions of a policy without posture checks, which do not affect when access ends. */
const conditionOf = ({ semantic, identityRoles, validUntil }: Policy): ConditionalPolicy => ({
  left: { semantic, roles: identityRoles },
  validUntil: validUntil ?? undefined,
  checks: [],
});
