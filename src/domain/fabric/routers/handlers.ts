import { edgeRouters } from '../../../api/edge-router-operations.ts';
import { identity } from '../../../api/identities.ts';
import { edgeRouterPolicy, serviceEdgeRouterPolicy } from '../../../api/policies.ts';
import { edgeRouter, router, routers, transitRouters } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { crudHandlers, deleteRow } from '../../../resources/crud.ts';
import { relatedList } from '../../../resources/related.ts';
import { reachedFrom, routerToIdentities, routerToServices } from '../../policy/policies/traversal.ts';
import { selecting } from '../../policy/roles/membership.ts';
import { reEnrollRouter } from './enrollment.ts';

/** Both paths lead to the same routers. An edge router may be deleted there, too, with all that goes with it. */
const routerHandlers = {
  ...crudHandlers(routers, router),
  delete: async (call: Call, { id }: { readonly id: string }) => {
    await call.write(async (entities) => {
      const isEdgeRouter = (await entities.get(edgeRouter, id)) !== undefined;
      // As `crudHandlers` does it: of a kind only its table is looked at.
      if (isEdgeRouter) await deleteRow(entities, edgeRouter, id, call);
      else await deleteRow(entities, router, id, call);
    });
    return {};
  },
};

export const routerEntries = [
  ...implement(edgeRouters, {
    ...crudHandlers(edgeRouters, edgeRouter),
    reEnroll: reEnrollRouter,
    listEdgeRouterPolicies: relatedList(edgeRouter, edgeRouterPolicy, (_, row) => selecting('edgeRouterRoles', row)),
    listIdentities: relatedList(edgeRouter, identity, (entities, row) => reachedFrom(entities, routerToIdentities, row)),
    listServiceEdgeRouterPolicies: relatedList(edgeRouter, serviceEdgeRouterPolicy, (_, row) => selecting('edgeRouterRoles', row)),
    listServices: relatedList(edgeRouter, service, (entities, row) => reachedFrom(entities, routerToServices, row)),
  }),
  ...implement(routers, routerHandlers),
  ...implement(transitRouters, routerHandlers),
];
