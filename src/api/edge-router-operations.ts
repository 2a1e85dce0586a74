import { identity } from './identities.ts';
import { crud } from './kit/crud.ts';
import { group } from './kit/operation.ts';
import { related } from './kit/related.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy } from './policies.ts';
import { edgeRouter } from './routers.ts';
import { service } from './services.ts';

export const edgeRouters = group('edgeRouters', 'Edge routers', {
  ...crud(edgeRouter),
  listEdgeRouterPolicies: related(edgeRouter, edgeRouterPolicy, { operationId: 'listEdgeRouterEdgeRouterPolicies' }),
  listIdentities: related(edgeRouter, identity, { operationId: 'listEdgeRouterIdentities' }),
  listServiceEdgeRouterPolicies: related(edgeRouter, serviceEdgeRouterPolicy, { operationId: 'listEdgeRouterServiceEdgeRouterPolicies' }),
  listServices: related(edgeRouter, service, { operationId: 'listEdgeRouterServices' }),
});
