import { edgeRouter, edgeRouters, router, routers, transitRouters } from '../../../api/routers.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { crudHandlers, deleteRow } from '../../../resources/crud.ts';
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
  ...implement(edgeRouters, { ...crudHandlers(edgeRouters, edgeRouter), reEnroll: reEnrollRouter }),
  ...implement(routers, routerHandlers),
  ...implement(transitRouters, routerHandlers),
];
