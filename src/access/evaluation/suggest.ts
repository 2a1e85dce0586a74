import type * as z from 'zod';
import { referenceTo } from '../../call/resources/links.ts';
import type { explanation } from '../../contract/api/explain.ts';
import type { RoleAttributeGrants } from '../../contract/api/grants-with-end.ts';
import { selectorOfId } from '../../contract/api/kit/index.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { postureCheck } from '../../contract/api/posture-checks/index.ts';
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
 * Suggests changes that would let the identity dial or bind the service, smallest first. Each is an operation with its body, or a list of
 * posture checks that the endpoint must pass, and suffices by itself. A new policy for this pair is always included, because it grants
 * nothing else.
 */
export const suggestAccess = (
  type: PolicyType,
  identity: NamedEntity,
  service: NamedEntity,
  results: readonly PolicyResult<NamedPolicy>[],
): readonly Suggestion[] => {
  const ownPolicy: Suggestion = {
    description: `create a ${type} policy for this identity and this service only`,
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

/** Passing the checks of a failing policy suffices if it selects both; otherwise, more than one change would be needed. */
const byPassing = ({ policy, checks }: PolicyResult<NamedPolicy>, identity: NamedEntity, service: NamedEntity): readonly Suggestion[] => {
  if (!grants(policy, identity, service)) return [];
  const failing = checks.filter(({ isPassing }) => !isPassing).map(({ check }) => check);
  return [
    {
      description: `on the endpoint of ${identity.name}, pass ${failing.map(({ name }) => name).join(', ')}, which policy ${policy.name} requires`,
      size: failing.length,
      postureChecks: failing.map((check) => referenceTo(postureCheck, check)),
    },
  ];
};

/** For a policy that selects only the identity or only the service, the changes that make it select the other, too. */
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
    description: `give ${subject.name} the role attributes ${side.missing.join(', ')}, which policy ${name} requires`,
    size: side.missing.length,
    operationId,
    id: subject.id,
    body: {
      roleAttributes: [...subject.roleAttributes, ...missing],
      // An attribute that has ended can be added only if its grant is removed.
      ...(remaining.length < grants.length ? { roleAttributeGrants: Object.fromEntries(remaining) } : {}),
    },
  };
  return [byAttribute, byId];
};
