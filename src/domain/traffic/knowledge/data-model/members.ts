/** What service policies select, as routers are told: an entry for each policy whose members change. */
import type { ChangedRow } from '../../../../changes/events.ts';
import { type Selectable, selects } from '../../../policy/roles/membership.ts';
import type { DataEvent } from './documents.ts';

export type Policy = ChangedRow<'servicePolicy'>;

/** The sides of a policy, in the order in which they are told: until a policy has its checks, it must let nobody in. */
export const sides = [
  { kind: 'postureCheck', roles: 'postureCheckRoles' },
  { kind: 'service', roles: 'serviceRoles' },
  { kind: 'identity', roles: 'identityRoles' },
] as const;

export type PolicySide = (typeof sides)[number];

/** Whether a policy selects an entity; one that there is not, it does not. */
export const isMember = ({ roles }: PolicySide, policy: Policy | null, entity: Selectable | null): boolean =>
  policy !== null && entity !== null && selects({ semantic: policy.semantic, roles: policy[roles] }, entity);

/** @param ids none: nothing is told */
export const memberEvents = (policyId: string, { kind }: PolicySide, ids: readonly string[], add: boolean): readonly DataEvent[] =>
  ids.length === 0 ? [] : [{ servicePolicyChange: { policyId, relatedEntityIds: ids, relatedEntityType: kind, add } }];
