import { identity } from './identities.ts';
import { crud } from './kit/crud.ts';
import { EMPTY, group, operation } from './kit/operation.ts';
import { related } from './kit/related.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy } from './policies.ts';
import { edgeRouter } from './routers.ts';
import { service } from './services.ts';

export const edgeRouters = group('edgeRouters', 'Edge routers', {
  ...crud(edgeRouter),
  reEnroll: operation('POST', '/edge-routers/{id}/re-enroll', {
    operationId: 'reEnrollEdgeRouter',
    summary: 'Re-enroll an edge router: its certificate and any outstanding enrollment become invalid',
    permission: 'edgeRouter.update',
    answer: EMPTY,
  }),
  listEdgeRouterPolicies: related(edgeRouter, edgeRouterPolicy, { operationId: 'listEdgeRouterEdgeRouterPolicies' }),
  listIdentities: related(edgeRouter, identity, { operationId: 'listEdgeRouterIdentities' }),
  listServiceEdgeRouterPolicies: related(edgeRouter, serviceEdgeRouterPolicy, { operationId: 'listEdgeRouterServiceEdgeRouterPolicies' }),
  listServices: related(edgeRouter, service, { operationId: 'listEdgeRouterServices' }),
});
