/** What service policies select, as routers are told: an entry for each policy whose members change. */
import type { DataEvent } from './documents.ts';

/** The sides of a policy, in the order in which they are told: until a policy has its checks, it must let nobody in. */
export const sides = [
  { kind: 'postureCheck', roles: 'postureCheckRoles' },
  { kind: 'service', roles: 'serviceRoles' },
  { kind: 'identity', roles: 'identityRoles' },
] as const;

export type PolicySide = (typeof sides)[number];

/** @param ids none: nothing is told */
export const memberEvents = (policyId: string, { kind }: PolicySide, ids: readonly string[], add: boolean): readonly DataEvent[] =>
  ids.length === 0 ? [] : [{ servicePolicyChange: { policyId, relatedEntityIds: ids, relatedEntityType: kind, add } }];
