import type { z } from 'zod';
import type { explanation } from '../../api/explain.ts';
import { selectorOfId } from '../../api/kit/selectors.ts';
import type { PolicyType } from '../../api/policies.ts';
import { describeSide, type Selectable } from '../roles/membership.ts';
import type { AccessPolicy } from './evaluate.ts';

export type Suggestion = z.infer<typeof explanation>['suggestions'][number];

/** As many as are shown. */
const MOST = 5;

export interface Subject extends Selectable {
  readonly name: string;
}

/**
 * The smallest changes that would let the identity dial or bind the service, smallest first. Each is an operation with its body; carrying
 * out any one of them grants the access. A policy of its own for the two is always among them, for it grants nothing else.
 */
export const suggestAccess = (
  type: PolicyType,
  identity: Subject,
  service: Subject,
  policies: readonly (AccessPolicy & { readonly name: string })[],
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
  const others = policies.flatMap((policy) => throughPolicy(policy, identity, service)).sort((a, b) => a.size - b.size);
  return [...others.slice(0, MOST - 1), ownPolicy].sort((a, b) => a.size - b.size);
};

/** What a policy that selects one of the two needs to select the other as well. */
const throughPolicy = (policy: AccessPolicy & { readonly name: string }, identity: Subject, service: Subject): readonly Suggestion[] => {
  const { semantic, identityRoles, serviceRoles, name } = policy;
  const ofIdentity = describeSide({ semantic, roles: identityRoles }, identity);
  const ofService = describeSide({ semantic, roles: serviceRoles }, service);
  if (ofIdentity.isSelected === ofService.isSelected) return [];
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
  const byAttribute: Suggestion = {
    description: `give ${subject.name} the role attributes ${side.missing.join(', ')}, which policy ${name} asks for`,
    size: side.missing.length,
    operationId,
    id: subject.id,
    body: { roleAttributes: [...subject.roleAttributes, ...side.missing] },
  };
  return [byAttribute, byId];
};
