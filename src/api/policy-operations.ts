import { identity } from './identities.ts';
import { crud } from './kit/crud.ts';
import { group } from './kit/operation.ts';
import { related } from './kit/related.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy, servicePolicy } from './policies.ts';
import { postureCheck } from './posture-checks/index.ts';
import { edgeRouter } from './routers.ts';
import { service } from './services.ts';

export const servicePolicies = group('servicePolicies', 'Service policies', {
  ...crud(servicePolicy),
  listIdentities: related(servicePolicy, identity, { operationId: 'listServicePolicyIdentities' }),
  listServices: related(servicePolicy, service, { operationId: 'listServicePolicyServices' }),
  listPostureChecks: related(servicePolicy, postureCheck, { operationId: 'listServicePolicyPostureChecks' }),
});

export const edgeRouterPolicies = group('edgeRouterPolicies', 'Edge router policies', {
  ...crud(edgeRouterPolicy),
  listIdentities: related(edgeRouterPolicy, identity, { operationId: 'listEdgeRouterPolicyIdentities' }),
  listEdgeRouters: related(edgeRouterPolicy, edgeRouter, { operationId: 'listEdgeRouterPolicyEdgeRouters' }),
});

export const serviceEdgeRouterPolicies = group('serviceEdgeRouterPolicies', 'Service edge router policies', {
  ...crud(serviceEdgeRouterPolicy),
  listEdgeRouters: related(serviceEdgeRouterPolicy, edgeRouter, { operationId: 'listServiceEdgeRouterPolicyEdgeRouters' }),
  listServices: related(serviceEdgeRouterPolicy, service, { operationId: 'listServiceEdgeRouterPolicyServices' }),
});
