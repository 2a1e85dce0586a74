import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers, deleteRow } from '../../call/resources/crud.ts';
import { edgeRouter, edgeRouters, router, routers, transitRouters } from '../../contract/api/routers.ts';
import { reEnrollRouter } from './enrollment.ts';

/** Handlers for both paths, which share the same routers. Edge routers can be deleted here, too, together with their companions. */
export const routerHandlers = {
  ...crudHandlers(routers, router),
  delete: async (call: Call, { id }: { readonly id: string }) => {
    await call.write(async (entities) => {
      const isEdgeRouter = (await entities.get(edgeRouter, id)) !== undefined;
      // Delegates to the behaviour of its kind, because `crudHandlers` only knows one kind.
      if (isEdgeRouter) await deleteRow(entities, edgeRouter, id, call);
      else await deleteRow(entities, router, id, call);
    });
    return {};
  },
};

export const routerEntries = [
  ...implement(edgeRouters, { ...crudHandlers(edgeRouters, edgeRouter), reEnroll: reEnrollRouter }),
  ...implement(routers, routerHandlers),
  ...implement(transitRouters, routerHandlers),
];
