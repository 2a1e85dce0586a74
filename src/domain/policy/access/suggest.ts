import type * as z from 'zod';
import type { explanation } from '../../../api/explain.ts';
import type { RoleAttributeGrants } from '../../../api/grants-with-end.ts';
import { selectorOfId } from '../../../api/kit/index.ts';
import type { PolicyType } from '../../../api/policies.ts';
import { postureCheck } from '../../../api/posture-checks/index.ts';
import { referenceTo } from '../../../resources/links.ts';
import { describeSide, type Selectable } from '../roles/membership.ts';
import { type AccessPolicy, grants, type PolicyResult } from './evaluate.ts';

export type Suggestion = z.infer<typeof explanation>['suggestions'][number];

/** Maximum number of suggestions shown. */
const MAX_SUGGESTIONS = 5;

export interface NamedEntity extends Selectable {
  readonly name: string;
  readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined;
}

type NamedPolicy = AccessPolicy & { readonly name: string; readonly endedIdentityRoles?: readonly string[] | null | undefined };

/**
 * The smallest changes that would let the identity dial or bind the service, smallest first. Each is an operation with its body, or a list of posture
 * checks that the endpoint must pass; any one of them grants the access. A new policy for these two alone is always included, because
 * it grants nothing else.
 */
export const suggestAccess = (
  type: PolicyType,
  identity: NamedEntity,
  service: NamedEntity,
  results: readonly PolicyResult<NamedPolicy>[],
): readonly Suggestion[] => {
  const ownPolicy: Suggestion = {
    description: `create a ${type} policy for this identity and this service alone`,
    size: 2,
    operationId: 'createServicePolicy',
    body: {
      name: `${type} of ${identity.id} to ${service.id}`,
      type,
      semantic: 'AnyOf',
      identityRoles: [selectorOfId(identity.id)],
      serviceRoles: [selectorOfId(service.id)],
    },
  };
  const others = results
    .flatMap((result) => (result.isPassing ? throughPolicy(result.policy, identity, service) : byPassing(result, identity, service)))
    .sort((a, b) => a.size - b.size);
  return [...others.slice(0, MAX_SUGGESTIONS - 1), ownPolicy].sort((a, b) => a.size - b.size);
};

/** If a failing policy selects both, passing its checks suffices. If it selects only one of the two, it would need more than one change. */
const byPassing = ({ policy, checks }: PolicyResult<NamedPolicy>, identity: NamedEntity, service: NamedEntity): readonly Suggestion[] => {
  if (!grants(policy, identity, service)) return [];
  const failing = checks.filter(({ isPassing }) => !isPassing).map(({ check }) => check);
  return [
    {
      description: `on the endpoint of ${identity.name}, pass ${failing.map(({ name }) => name).join(', ')}, which policy ${policy.name} asks for`,
      size: failing.length,
      postureChecks: failing.map((check) => referenceTo(postureCheck, check)),
    },
  ];
};

/** For a policy that selects only one of the two, the change that makes it select the other as well. */
const throughPolicy = (policy: NamedPolicy, identity: NamedEntity, service: NamedEntity): readonly Suggestion[] => {
  const { semantic, identityRoles, serviceRoles, name } = policy;
  const ofIdentity = describeSide({ semantic, roles: identityRoles }, identity);
  const ofService = describeSide({ semantic, roles: serviceRoles }, service);
  // A policy that has ended grants nothing until it is extended.
  if (ofIdentity.isSelected === ofService.isSelected || policy.endedIdentityRoles) return [];
  const [subject, side, operationId, field] = ofService.isSelected
    ? ([identity, ofIdentity, 'patchIdentity', 'identityRoles'] as const)
    : ([service, ofService, 'patchService', 'serviceRoles'] as const);
  const byId: Suggestion = {
    description: `add ${subject.name} to the ${field} of policy ${name}`,
    size: 1,
    operationId: 'patchServicePolicy',
    id: policy.id,
    body: { [field]: [...policy[field], selectorOfId(subject.id)] },
  };
  if (!side.missing) return [byId];
  const { missing } = side;
  const grants = Object.entries(subject.roleAttributeGrants ?? {});
  const remaining = grants.filter(([attribute]) => !missing.includes(attribute));
  const byAttribute: Suggestion = {
    description: `give ${subject.name} the role attributes ${side.missing.join(', ')}, which policy ${name} asks for`,
    size: side.missing.length,
    operationId,
    id: subject.id,
    body: {
      roleAttributes: [...subject.roleAttributes, ...missing],
      // Only this lets an attribute return that has ended.
      ...(remaining.length < grants.length ? { roleAttributeGrants: Object.fromEntries(remaining) } : {}),
    },
  };
  return [byAttribute, byId];
};
