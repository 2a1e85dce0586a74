/** What service policies select, as routers are told: an entry for each policy whose members change. */
import type { ChangedRow } from '../../../../changes/events.ts';
import type { Side } from '../../../policy/roles/membership.ts';
import type { DataEvent } from './documents.ts';

export type Policy = ChangedRow<'servicePolicy'>;

/** The sides of a policy, in the order in which they are told: until a policy has its checks, it must let nobody in. */
export const sides = [
  { kind: 'postureCheck', roles: 'postureCheckRoles' },
  { kind: 'service', roles: 'serviceRoles' },
  { kind: 'identity', roles: 'identityRoles' },
] as const;

export type PolicySide = (typeof sides)[number];

/** What a policy selects by. */
export const sideOfPolicy = ({ roles }: PolicySide, policy: Policy): Side => ({ semantic: policy.semantic, roles: policy[roles] });

/** @param ids none: nothing is told */
export const memberEvents = (policyId: string, { kind }: PolicySide, ids: readonly string[], add: boolean): readonly DataEvent[] =>
  ids.length === 0 ? [] : [{ servicePolicyChange: { policyId, relatedEntityIds: ids, relatedEntityType: kind, add } }];
