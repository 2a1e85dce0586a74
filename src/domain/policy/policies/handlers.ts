import { identity } from '../../../api/identities.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy, servicePolicy } from '../../../api/policies.ts';
import { edgeRouterPolicies, serviceEdgeRouterPolicies, servicePolicies } from '../../../api/policy-operations.ts';
import { postureCheck } from '../../../api/posture-checks/index.ts';
import { edgeRouter } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import { implement } from '../../../call/implement.ts';
import { crudHandlers } from '../../../resources/crud.ts';
import { relatedList } from '../../../resources/related.ts';
import { selectedBy } from '../roles/membership.ts';
import { sideOf } from './traversal.ts';

/** The entities that one side of a policy selects. */
const selectedIn = (field: string) => (_entities: unknown, policy: Readonly<Record<string, unknown>>) =>
  selectedBy([sideOf(policy, field)]);

export const policyEntries = [
  ...implement(servicePolicies, {
    ...crudHandlers(servicePolicies, servicePolicy),
    listIdentities: relatedList(servicePolicy, identity, selectedIn('identityRoles')),
    listServices: relatedList(servicePolicy, service, selectedIn('serviceRoles')),
    listPostureChecks: relatedList(servicePolicy, postureCheck, selectedIn('postureCheckRoles')),
  }),
  ...implement(edgeRouterPolicies, {
    ...crudHandlers(edgeRouterPolicies, edgeRouterPolicy),
    listIdentities: relatedList(edgeRouterPolicy, identity, selectedIn('identityRoles')),
    listEdgeRouters: relatedList(edgeRouterPolicy, edgeRouter, selectedIn('edgeRouterRoles')),
  }),
  ...implement(serviceEdgeRouterPolicies, {
    ...crudHandlers(serviceEdgeRouterPolicies, serviceEdgeRouterPolicy),
    listEdgeRouters: relatedList(serviceEdgeRouterPolicy, edgeRouter, selectedIn('edgeRouterRoles')),
    listServices: relatedList(serviceEdgeRouterPolicy, service, selectedIn('serviceRoles')),
  }),
];
